"""``recalld search QUERY``: retrieval alone, without the gate and the quality floor."""

from collections.abc import Mapping
from typing import Annotated

import typer

from recalld.cli._input import text_of
from recalld.cli._options import ConfigOption, JsonFlag, SocketOption, absolute, asked, daemon
from recalld.cli._output import flowing, in_words, print_json, say, table
from recalld.errors import BadRequest

_TIMEOUT_S = 30.0
_SNIPPET_CHARS = 160
# What an index holds; a route may have more kinds of its own.
SOURCES = ("memory", "documents", "wiki", "sessions")


def attach(app: typer.Typer) -> None:
    app.command()(search)


def search(
    query: Annotated[
        list[str], typer.Argument(metavar="QUERY", help="What to look for; - reads stdin.")
    ],
    *,
    workspace: Annotated[
        str | None,
        typer.Option(
            "--workspace",
            "-w",
            metavar="DIR",
            help="Only here; default: everywhere, the workspace one stands in first.",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=100, help="At most so many.")
    ] = 10,
    sources: Annotated[
        str | None,
        typer.Option("--sources", metavar="A,B", help=f"Of {', '.join(SOURCES)}."),
    ] = None,
    min_score: Annotated[
        float,
        typer.Option("--min-score", min=0.0, max=1.0, help="Leave out what is less like it."),
    ] = 0.0,
    explain: Annotated[bool, typer.Option("--explain", help="Show each route's list.")] = False,
    json: JsonFlag = False,
    socket: SocketOption = None,
    config: ConfigOption = None,
) -> None:
    """Search the memory, best first."""
    place = ("home", ".") if workspace is None else ("workspace", workspace)
    params: dict[str, object] = {
        "query": text_of(query),
        "limit": limit,
        place[0]: absolute(place[1]),
        **_optional(sources, min_score=min_score, explain=explain),
    }
    with daemon(socket, config) as client:
        result = asked(client, "search", params, timeout_s=_TIMEOUT_S)
    if json:
        print_json(result)
    else:
        show(result)
        if not result.get("hits"):
            _advise(workspace, socket=socket, config=config)


def _optional(sources: str | None, *, min_score: float, explain: bool) -> dict[str, object]:
    """The parameters that are sent only where they say something."""
    params: dict[str, object] = {}
    if sources is not None:
        params["sources"] = _sources(sources)
    if min_score:
        params["min_score"] = min_score
    if explain:
        params["explain"] = True
    return params


def _sources(text: str) -> list[str]:
    named = [name.strip() for name in text.split(",") if name.strip()]
    for name in named:
        if name not in SOURCES:
            raise BadRequest("--sources", f"{name!r} is none of {', '.join(SOURCES)}")
    return named


def show(result: dict[str, object]) -> None:
    hits = result.get("hits")
    for note in _notes(result):
        say(f"note: {note}")
    if not isinstance(hits, list) or not hits:
        say("nothing found")
        return
    for hit in hits:
        score, place = f"{hit['raw_score']:.2f}", _place(hit)
        say(f"{score}  {place}  [{hit['source']}]  {hit['heading'] or ''}".rstrip())
        snippet = flowing(str(hit["snippet"]))
        say(f"      {snippet[:_SNIPPET_CHARS]}{'…' if len(snippet) > _SNIPPET_CHARS else ''}")
    # A route may know more than is shown; what was left out has no place to name.
    places = {hit["id"]: _place(hit) for hit in hits}
    routes = result.get("explain")
    if isinstance(routes, dict):
        for route, rows in routes.items():
            say()
            say(f"route {route}")
            head = ["rank", "raw", "place"]
            listed = [[row["rank"], row["raw_score"], places.get(row["id"], "-")] for row in rows]
            table(listed, head=head, indent="  ")


def _place(hit: Mapping[str, object]) -> str:
    return f"{hit['path']}:{hit['start_line']}-{hit['end_line']}"


def _advise(named: str | None, *, socket: str | None, config: str | None) -> None:
    """Say why nothing could be found at all; nothing where the folders were searched."""
    # Only a search that found nothing pays for the settings.
    from recalld.cli._roots import home_among  # noqa: PLC0415
    from recalld.cli._traces import daemon_folders  # noqa: PLC0415

    folders = daemon_folders(socket, config)
    if not folders:
        say("nothing is remembered yet: add a folder with 'recalld workspace add DIR'")
    elif named is not None and home_among(folders)(absolute(named)) is None:
        say(f"{absolute(named)} is in no remembered folder; 'recalld workspace list' has them")


def _notes(result: dict[str, object]) -> list[str]:
    degraded = result.get("degraded")
    return [in_words(str(why)) for why in degraded] if isinstance(degraded, list) else []
