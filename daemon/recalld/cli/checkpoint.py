"""``recalld checkpoint``: what is being worked on in a workspace, and what was before."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from recalld.cli._checkpoint_files import read_kept, read_now
from recalld.cli._options import ConfigOption, JsonFlag, SocketOption, asked, daemon
from recalld.cli._output import print_json, say, shown, table
from recalld.cli._roots import chosen
from recalld.continuity.difference import difference
from recalld.continuity.shape import written
from recalld.errors import BadRequest
from recalld.text.redact import redact

_LABELS = (
    ("objective", "Objective"),
    ("current_step", "Current Step"),
    ("key_decisions", "Key Decisions"),
    ("next_action", "Next Action"),
    ("blockers", "Blockers"),
    ("unsurfaced_results", "Unsurfaced Results"),
)
_LABEL_WIDTH = 20
_OBJECTIVE_CHARS = 60

WorkspaceOption = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        "-w",
        metavar="DIR",
        help="The workspace; default: the one you are in, or the only one.",
    ),
]
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="A version, as 'recalld checkpoint history' lists it.")
]


def attach(app: typer.Typer) -> None:
    group = typer.Typer(
        help="Show, write, compare or restore the checkpoint of a workspace.",
        no_args_is_help=True,
    )
    app.add_typer(group, name="checkpoint")
    group.command("show")(show)
    group.command("write")(write)
    group.command("history")(history)
    group.command("diff")(diff)
    group.command("restore")(restore)


def show(
    *,
    workspace: WorkspaceOption = None,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Print the checkpoint as the file has it now; no daemon is needed."""
    fields, template = read_now(chosen(workspace, socket=socket, config=config))
    if json:
        print_json(fields)
        return
    show_fields(fields)
    if template:
        say("It is an unfilled template.")


def write(
    *,
    objective: Annotated[str | None, typer.Option(help="What the work is for.")] = None,
    current_step: Annotated[
        str | None, typer.Option("--current-step", "--step", help="What is being done now.")
    ] = None,
    decision: Annotated[
        list[str] | None, typer.Option(help="A key decision and why; may be repeated.")
    ] = None,
    next_action: Annotated[
        str | None, typer.Option("--next-action", "--next", help="What to do first on return.")
    ] = None,
    blockers: Annotated[str | None, typer.Option(help="What the work waits for.")] = None,
    unsurfaced_results: Annotated[
        str | None,
        typer.Option("--unsurfaced-results", "--unsurfaced", help="What the user was not told."),
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="KEY", help="The session that writes.")
    ] = None,
    workspace: WorkspaceOption = None,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Replace the fields you give; an empty text clears one, and the others stay."""
    given: dict[str, object] = {
        "objective": objective,
        "current_step": current_step,
        "key_decisions": None if decision is None else [one for one in decision if one.strip()],
        "next_action": next_action,
        "blockers": blockers,
        "unsurfaced_results": unsurfaced_results,
    }
    fields = {name: value for name, value in given.items() if value is not None}
    if not fields:
        raise BadRequest("checkpoint write", "name a field to write, such as --objective TEXT")
    if session is not None:
        fields["session"] = session
    place = {"workspace": chosen(workspace, socket=socket, config=config)}
    with daemon(socket, config) as client:
        result = asked(client, "checkpoint.write", {**place, **fields})
    _print(result, json=json)


def history(
    *,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=100, help="At most so many.")
    ] = 20,
    workspace: WorkspaceOption = None,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """List the versions that are kept, newest first, with what each changed."""
    place = chosen(workspace, socket=socket, config=config)
    params: dict[str, object] = {"workspace": place, "limit": limit}
    with daemon(socket, config) as client:
        result = asked(client, "checkpoint.history", params)
    if json:
        print_json(result)
        return
    listed = result.get("versions")
    versions = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    if versions:
        head = ("name", "at", "by", "objective", "changed")
        table([_row(version) for version in versions], head=head)
    else:
        say("no version is kept yet")


def diff(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A version; default: the newest archived copy."),
    ] = None,
    *,
    workspace: WorkspaceOption = None,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Say what changed between a version and the file as it is now; no daemon is needed."""
    now, kept = read_kept(chosen(workspace, socket=socket, config=config), name)
    changed = [redact(line).text for line in difference(kept.checkpoint, now)]
    if json:
        print_json({"name": kept.name, "at": written(kept.at), "changed": changed})
        return
    say(f"since {kept.name} ({written(kept.at)}):")
    for line in changed or ("nothing",):
        say(f"  {line}")


def restore(
    name: NameArgument,
    *,
    workspace: WorkspaceOption = None,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Make a version the checkpoint again; what is there now is kept as a version."""
    place = chosen(workspace, socket=socket, config=config)
    params: dict[str, object] = {"workspace": place, "name": name}
    with daemon(socket, config) as client:
        result = asked(client, "checkpoint.restore", params)
    _print(result, json=json)


def _print(result: Mapping[str, object], *, json: bool) -> None:
    if json:
        print_json(result)
    else:
        show_fields(result)


def show_fields(fields: Mapping[str, object]) -> None:
    """The six sections with their texts beside them, then what is known of the whole."""
    for name, label in _LABELS:
        lines = _lines(fields.get(name))
        for number, line in enumerate(lines or ["-"]):
            say((label if number == 0 else "").ljust(_LABEL_WIDTH) + line)
    work = "active work" if fields.get("active") else "no active work"
    by = {"hand": "an agent or a person", "machine": "recalld"}.get(str(fields.get("origin")), "-")
    updated = fields.get("updated_at") or "at an unknown time"
    say()
    say(f"{work}; updated {updated} by {by}; {fields.get('path')}")


def _lines(value: object) -> Sequence[str]:
    if isinstance(value, list):
        return [f"- {' '.join(str(one).split())}" for one in value]
    return str(value).split("\n") if value else []


def _row(version: Mapping[str, object]) -> tuple[str, ...]:
    objective = " ".join(str(version.get("objective") or "-").split())
    short = objective if len(objective) <= _OBJECTIVE_CHARS else objective[:_OBJECTIVE_CHARS] + "…"
    where = " (cold)" if version.get("cold") else ""
    by = f"{shown(version.get('origin'))}{where}"
    name, at = shown(version.get("name")), shown(version.get("at"))
    return name, at, by, short, _sections(version.get("changed"))


def _sections(changed: object) -> str:
    """Which sections changed, each once; the lines themselves are for ``diff`` and ``--json``."""
    lines = changed if isinstance(changed, list) else []
    return ", ".join(dict.fromkeys(str(line).partition(":")[0] for line in lines)) or "-"
