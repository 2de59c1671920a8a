"""``search``: retrieval and fusion without gate and quality floor."""

from typing import Annotated, Literal

from msgspec import Meta

from recalld.budget import Run, Stage
from recalld.errors import Unavailable
from recalld.recall.model import HitShape
from recalld.search.model import Found, Scope, SearchResult, Source
from recalld.server.method import Context, Method
from recalld.server.params import AbsolutePath, Params
from recalld.server.services import Services

# One search runs one query route: the text itself.
ROUTE: Literal["literal"] = "literal"


class SearchParams(Params, frozen=True, kw_only=True):
    """``routes`` may name the routes wanted; a search has ``literal`` alone."""

    query: str
    workspace: AbsolutePath | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 10
    sources: tuple[Source, ...] | None = None
    routes: tuple[Literal["literal"], ...] | None = None
    min_score: Annotated[float, Meta(ge=0.0, le=1.0)] = 0.0
    explain: bool = False


async def handle(params: SearchParams, context: Context) -> object:
    services = context.services
    scope = await _scope(params, services)
    query = services.bounded_query(params.query.replace("\0", " "))
    found: tuple[Found, ...] = ()
    degraded: tuple[str, ...] = ()
    if query and scope.workspace_ids and params.routes != ():
        result = await _searched(query, params=params, scope=scope, services=services)
        found, degraded = result.found, result.degraded
    kept = [chunk for chunk in found if chunk.raw_score >= params.min_score]
    answer: dict[str, object] = {"hits": [_hit(chunk) for chunk in kept]}
    if degraded:
        answer["degraded"] = degraded
    if params.explain:
        answer["explain"] = {
            ROUTE: [
                {"id": chunk.uid, "rank": rank, "raw_score": chunk.raw_score}
                for rank, chunk in enumerate(found, start=1)
            ]
        }
    return answer


async def _scope(params: SearchParams, services: Services) -> Scope:
    sources = None if params.sources is None else frozenset(params.sources)
    if params.workspace is None:
        ids = tuple(place.id for place in services.places.all)
        return Scope(workspace_ids=ids, sources=sources)
    place = await services.places.of_path(params.workspace)
    return Scope(workspace_ids=() if place is None else (place.id,), sources=sources)


async def _searched(
    query: str, *, params: SearchParams, scope: Scope, services: Services
) -> SearchResult:
    async def work() -> SearchResult | None:
        return await services.searcher.search(
            query, scope=scope, limit=params.limit, now=services.clock().astimezone()
        )

    run = Run(services.total_ms())
    result = await run.stage(
        Stage(name="search", work=work, otherwise=None, limit_ms=services.total_ms())
    )
    if result is None:
        raise Unavailable("search", run.ledger[-1].error or f"no answer in {run.total_ms} ms")
    return result


def _hit(chunk: Found) -> HitShape:
    return HitShape(
        id=chunk.uid,
        path=chunk.path,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        source=chunk.source,
        heading=chunk.heading,
        snippet=chunk.text,
        raw_score=chunk.raw_score,
        rank_score=chunk.order_score,
        routes=(ROUTE,),
        route_hits=1,
        occurrences=1,
        modified_at=chunk.modified_at,
        session=chunk.session,
    )


METHOD = Method("search", SearchParams, handle)
