"""``search``: retrieval and fusion without gate and quality floor."""

from difflib import get_close_matches
from typing import Annotated

from msgspec import Meta

from recalld.errors import BadRequest
from recalld.recall.model import Routed, RouteHits, shape_of
from recalld.search.model import Scope, Source
from recalld.server.method import Context, Method
from recalld.server.params import AbsolutePath, Params
from recalld.server.services import Services
from recalld.server.wire import shown

DEFAULT_ROUTES = ("literal",)
NOTHING = Routed(hits=(), lists=())


class SearchParams(Params, frozen=True, kw_only=True):
    """``routes`` names query routes; without it the text itself is searched for.

    ``home`` is where the asker is: without ``workspace`` all are searched, and that one goes
    first.
    """

    query: str
    workspace: AbsolutePath | None = None
    home: AbsolutePath | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 10
    sources: tuple[Source, ...] | None = None
    routes: Annotated[tuple[str, ...], Meta(max_length=16)] | None = None
    min_score: Annotated[float, Meta(ge=0.0, le=1.0)] = 0.0
    explain: bool = False


async def handle(params: SearchParams, context: Context) -> object:
    services = context.services
    routes = DEFAULT_ROUTES if params.routes is None else params.routes
    _require_known(routes, services.searcher.names)
    scope = await _scope(params, services)
    query = params.query.replace("\0", " ").strip()
    found = NOTHING
    if query and scope.workspace_ids and routes:
        found = await services.searcher.search(
            query,
            routes=routes,
            scope=scope,
            limit=params.limit,
            now=services.clock().astimezone(),
        )
    kept = [hit for hit in found.hits if hit.best_raw_score >= params.min_score]
    answer: dict[str, object] = {"hits": [shape_of(hit, hit.found.text) for hit in kept]}
    if found.degraded:
        answer["degraded"] = found.degraded
    if params.explain:
        answer["explain"] = {hits.query.route: _ranks(hits) for hits in found.lists}
    return answer


def _require_known(routes: tuple[str, ...], names: tuple[str, ...]) -> None:
    for number, name in enumerate(routes):
        if name not in names:
            close = get_close_matches(name[:64], names, n=1) or list(names)
            problem = f"no route {shown(name)}; did you mean {' or '.join(close)}?"
            raise BadRequest(f"params.routes[{number}]", problem)


def _ranks(hits: RouteHits) -> list[dict[str, object]]:
    return [
        {"id": chunk.uid, "rank": rank, "raw_score": chunk.raw_score}
        for rank, chunk in enumerate(hits.found, start=1)
    ]


async def _scope(params: SearchParams, services: Services) -> Scope:
    sources = None if params.sources is None else frozenset(params.sources)
    if params.workspace is None:
        ids = tuple(place.id for place in services.places.all)
        home = None if params.home is None else await services.places.of_path(params.home)
        return Scope(workspace_ids=ids, sources=sources, home=None if home is None else home.id)
    place = await services.places.of_path(params.workspace)
    return Scope(workspace_ids=() if place is None else (place.id,), sources=sources)


METHOD = Method("search", SearchParams, handle)
