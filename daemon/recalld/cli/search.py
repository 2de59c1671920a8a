"""``recalld search QUERY``: retrieval alone, without the gate and the quality floor."""

from typing import Annotated

import typer

from recalld.cli._input import text_of
from recalld.cli._options import ConfigOption, JsonFlag, SocketOption, absolute, asked, daemon
from recalld.cli._output import flowing, in_words, print_json, say, table

_TIMEOUT_S = 30.0
_SNIPPET_CHARS = 160


def attach(app: typer.Typer) -> None:
    @app.command()
    def search(
        query: Annotated[
            list[str], typer.Argument(metavar="QUERY...", help="What to look for; - reads stdin.")
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
        limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100)] = 10,
        sources: Annotated[
            str | None,
            typer.Option("--sources", help="Comma-separated: memory, documents, wiki, sessions."),
        ] = None,
        min_score: Annotated[float, typer.Option("--min-score", min=0.0, max=1.0)] = 0.0,
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


def _optional(sources: str | None, *, min_score: float, explain: bool) -> dict[str, object]:
    """The parameters that are sent only where they say something."""
    params: dict[str, object] = {}
    if sources is not None:
        params["sources"] = [name.strip() for name in sources.split(",") if name.strip()]
    if min_score:
        params["min_score"] = min_score
    if explain:
        params["explain"] = True
    return params


def show(result: dict[str, object]) -> None:
    hits = result.get("hits")
    for note in _notes(result):
        say(f"note: {note}")
    if not isinstance(hits, list) or not hits:
        say("nothing found")
        return
    for hit in hits:
        place = f"{hit['path']}:{hit['start_line']}-{hit['end_line']}"
        say(f"{hit['raw_score']:.2f}  {place}  [{hit['source']}]  {hit['heading'] or ''}".rstrip())
        snippet = flowing(str(hit["snippet"]))
        say(f"      {snippet[:_SNIPPET_CHARS]}{'…' if len(snippet) > _SNIPPET_CHARS else ''}")
    routes = result.get("explain")
    if isinstance(routes, dict):
        for route, rows in routes.items():
            say()
            say(f"route {route}")
            head = ["rank", "raw", "id"]
            listed = [[row["rank"], row["raw_score"], row["id"]] for row in rows]
            table(listed, head=head, indent="  ")


def _notes(result: dict[str, object]) -> list[str]:
    degraded = result.get("degraded")
    return [in_words(str(why)) for why in degraded] if isinstance(degraded, list) else []
