"""``recalld memory``: what is remembered of people and their work, one memory at a time."""

import sys
from typing import Annotated

import typer

from recalld.cli import _memory_answers as answers
from recalld.cli._input import text_of
from recalld.cli._memories import (
    STATES,
    IdArgument,
    LimitOption,
    MinScoreOption,
    OwnerOption,
    SessionOption,
    call,
    given,
    lower,
    mapping,
    moment,
    rows,
    show_memory,
    table_of,
)
from recalld.cli._options import ConfigOption, JsonFlag, SocketOption
from recalld.cli._output import print_json, say, shown
from recalld.errors import BadRequest

TypesOption = Annotated[
    list[str] | None, typer.Option("--type", "-t", help="Only of this type; may be repeated.")
]
StatesOption = Annotated[
    list[str] | None,
    typer.Option("--state", help="Only in this state; may be repeated. Default: not put away."),
]
TagsOption = Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be repeated.")]
ImportanceOption = Annotated[
    float | None, typer.Option("--importance", min=0.0, max=1.0, help="From 0 to 1.")
]
ExpiresOption = Annotated[
    str | None,
    typer.Option("--expires", metavar="WHEN", help="A date or an RFC 3339 time; a deadline."),
]
StatesHelp = f"{', '.join(STATES)}."
TypeHelp = "identity, preference, relationship, event, activity, plan, context or ephemeral."


def attach(app: typer.Typer) -> None:
    group = typer.Typer(
        help="Add, find, change or forget memories; answer what turns proposed.",
        no_args_is_help=True,
    )
    app.add_typer(group, name="memory")
    for name, command in (
        ("add", add),
        ("get", get),
        ("list", list_),
        ("search", search),
        ("update", update),
        ("resolve", resolve),
        ("forget", answers.forget),
        ("proposals", answers.proposals),
        ("accept", answers.accept),
        ("reject", answers.reject),
    ):
        group.command(name)(command)


def add(
    text: Annotated[
        list[str], typer.Argument(metavar="TEXT", help="What to remember; - reads stdin.")
    ],
    *,
    kind: Annotated[str, typer.Option("--type", "-t", metavar="TYPE", help=TypeHelp)],
    importance: ImportanceOption = None,
    tag: TagsOption = None,
    expires: ExpiresOption = None,
    created: Annotated[
        str | None, typer.Option("--created", metavar="WHEN", help="When it happened.")
    ] = None,
    state: Annotated[
        str | None, typer.Option("--state", help=f"{StatesHelp} Default: active.")
    ] = None,
    session: SessionOption = None,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="NAME", help="The agent that heard it.")
    ] = None,
    owner: OwnerOption = None,
    event_id: Annotated[
        str | None, typer.Option("--event-id", help="The same id again within a day does nothing.")
    ] = None,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Remember something. What is remembered already is not kept twice."""
    params = given(
        content=text_of(text),
        type=kind,
        importance=importance,
        tags=tag,
        expires_at=moment(expires, "--expires", ends=True),
        created_at=moment(created, "--created"),
        state=None if state is None else state.lower(),
        session=session,
        agent=agent,
        owner=owner,
        event_id=event_id,
    )
    result = call("memory.add", params, socket, config)
    if json:
        print_json(result)
        return
    memory = mapping(result.get("memory"))
    known = result.get("duplicate_of") is not None or result.get("duplicate")
    say(f"{'known already as' if known else 'remembered as'} {shown(memory.get('id'))}")
    resolved = result.get("resolved")
    for done in resolved if isinstance(resolved, list) else ():
        say(f"resolved {done}")


def get(
    memory_id: IdArgument,
    *,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Show one memory."""
    show_memory(call("memory.get", {"id": memory_id}, socket, config), json=json)


def list_(
    *,
    types: TypesOption = None,
    states: StatesOption = None,
    tag: TagsOption = None,
    query: Annotated[
        str | None, typer.Option("--query", "-q", help="Only what holds this, or all its words.")
    ] = None,
    session: SessionOption = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="WHEN", help="Made then or later.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="WHEN", help="Made then or earlier.")
    ] = None,
    limit: LimitOption = 50,
    cursor: Annotated[
        str | None, typer.Option("--cursor", help="Go on behind the page that gave this.")
    ] = None,
    owner: OwnerOption = None,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """List memories, newest first."""
    params = given(
        types=types,
        states=lower(states),
        tags=tag,
        query=query,
        session=session,
        since=moment(since, "--since"),
        until=moment(until, "--until", ends=True),
        limit=limit,
        cursor=cursor,
        owner=owner,
    )
    result = call("memory.list", params, socket, config)
    if json:
        print_json(result)
        return
    memories = rows(result.get("memories"))
    table_of(memories, otherwise="nothing remembered")
    if result.get("cursor"):
        say(f"more with --cursor '{result['cursor']}'")


def search(
    query: Annotated[
        list[str], typer.Argument(metavar="QUERY", help="What to look for; - reads stdin.")
    ],
    *,
    types: TypesOption = None,
    states: StatesOption = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option("--exclude", metavar="ID", help="Not this one; may be repeated."),
    ] = None,
    limit: LimitOption = 10,
    min_score: MinScoreOption = 0.0,
    owner: OwnerOption = None,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Find memories by what they mean, best first.

    The score is of how near, how fresh and how important a memory is.
    """
    params = given(
        query=text_of(query),
        types=types,
        states=lower(states),
        exclude_ids=exclude,
        limit=limit,
        min_score=min_score or None,
        owner=owner,
    )
    result = call("memory.search", params, socket, config)
    if json:
        print_json(result)
        return
    found = rows(result.get("results"))
    if result.get("by_words"):
        # On standard error: on standard output are the memories alone.
        sys.stderr.write("searched by words only: the engine is not ready\n")
    table_of(
        [mapping(each.get("memory")) for each in found],
        otherwise="nothing found",
        scores=[(each.get("score"), each.get("similarity")) for each in found],
    )


def update(
    memory_id: IdArgument,
    *,
    content: Annotated[
        str | None, typer.Option("--content", help="Other words; - reads stdin.")
    ] = None,
    kind: Annotated[str | None, typer.Option("--type", "-t", metavar="TYPE", help=TypeHelp)] = None,
    state: Annotated[str | None, typer.Option("--state", help=StatesHelp)] = None,
    importance: ImportanceOption = None,
    tag: TagsOption = None,
    no_tags: Annotated[bool, typer.Option("--no-tags", help="Take all tags away.")] = False,
    expires: ExpiresOption = None,
    no_expiry: Annotated[bool, typer.Option("--no-expiry", help="Take the date away.")] = False,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Change what you name; tags you give replace all there were."""
    if (expires is not None and no_expiry) or (tag is not None and no_tags):
        raise BadRequest("memory update", "give a value or take it away, not both")
    params = given(
        id=memory_id,
        content=None if content is None else text_of([content]),
        type=kind,
        state=None if state is None else state.lower(),
        importance=importance,
        tags=[] if no_tags else tag,
        expires_at=moment(expires, "--expires", ends=True),
    )
    if no_expiry:
        params["expires_at"] = None
    if len(params) == 1:
        raise BadRequest("memory update", "name what to change, such as --content TEXT")
    show_memory(call("memory.update", params, socket, config), json=json)


def resolve(
    memory_id: IdArgument,
    *,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Mark a memory as done."""
    show_memory(call("memory.resolve", {"id": memory_id}, socket, config), json=json)
