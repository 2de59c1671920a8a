"""Searching by named query routes: what a recall does, without gate, quality floor or block."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from itertools import accumulate

import msgspec

from recalld.budget import Run, Stage
from recalld.errors import Unavailable
from recalld.recall.expand import bounded, cut, folded, literal_query
from recalld.recall.fuse import fuse
from recalld.recall.model import Fused, Route, Routed, RouteHits, RouteQuery
from recalld.recall.policy import RecallPolicy
from recalld.search.model import Found, Scope, Searcher, SearchResult

LITERAL, SPARSE = "literal", "sparse"
# As many chunks of a file as a search may show at all.
ALL_CHUNKS = 100


class RouteSearch:
    """Runs routes over the one searcher and fuses what they bring."""

    def __init__(
        self,
        searcher: Searcher,
        *,
        routes: Sequence[Route],
        policy: Callable[[], RecallPolicy],
        sparse: Searcher | None = None,
    ) -> None:
        """``sparse`` None: the engine gives no learned weights, and that route is not known."""
        self._searcher = searcher
        self._sparse = sparse
        self._routes = {
            route.name: route for route in routes if sparse is not None or route.name != SPARSE
        }
        self._policy = policy

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._routes)

    async def search(
        self, text: str, *, routes: Sequence[str], scope: Scope, limit: int, now: datetime
    ) -> Routed:
        """``routes`` are known names. A route whose query another one asks too brings nothing.

        One route alone keeps the searcher's order, and its order score as far as that says the
        same; several are fused.
        ``Unavailable`` when every search fails or is late.
        """
        policy = self._policy()
        queries = self._queries(text, routes, policy)
        run = Run(policy.max_total_ms)
        results = await run.fan_out(
            [
                Stage(
                    name=query.route,
                    work=partial(
                        self._by(query.route).search,
                        query.text,
                        scope=scope,
                        limit=limit,
                        now=now,
                    ),
                    otherwise=None,
                    limit_ms=policy.max_total_ms,
                )
                for query in queries
            ]
        )
        answered = [result for result in results if result is not None]
        if queries and not answered:
            why = next((note.error for note in run.ledger if note.error), None)
            raise Unavailable("search", why or f"no answer in {policy.max_total_ms} ms")
        found = {query.route: result for query, result in zip(queries, results, strict=True)}
        lists = tuple(_listed(name, queries, found.get(name)) for name in dict.fromkeys(routes))
        late = tuple(f"{query.route}: no answer" for query in queries if found[query.route] is None)
        why_not = dict.fromkeys(why for result in answered for why in result.degraded)
        return Routed(hits=_fused(lists, policy)[:limit], lists=lists, degraded=(*why_not, *late))

    def _queries(
        self, text: str, routes: Sequence[str], policy: RecallPolicy
    ) -> tuple[RouteQuery, ...]:
        text = bounded(text)
        literal = literal_query(text)
        asked: dict[str, RouteQuery] = {}
        for name in dict.fromkeys(routes):
            route = self._routes[name]
            planned = cut(text) if name == LITERAL else route.plan(literal)
            if planned and folded(planned):
                query = RouteQuery(route=name, text=cut(planned), weight=route.weight(policy.rrf))
                # Another index may be asked the same question.
                asked.setdefault(folded(planned) + ("\0" if name == SPARSE else ""), query)
        return tuple(asked.values())

    def _by(self, route: str) -> Searcher:
        return self._sparse if route == SPARSE and self._sparse is not None else self._searcher


def _listed(name: str, queries: Sequence[RouteQuery], result: SearchResult | None) -> RouteHits:
    query = next((query for query in queries if query.route == name), None)
    found: tuple[Found, ...] = () if result is None else result.found
    return RouteHits(query=query or RouteQuery(route=name, text="", weight=0.0), found=found)


def _fused(lists: Sequence[RouteHits], policy: RecallPolicy) -> tuple[Fused, ...]:
    if len(lists) > 1:
        return fuse(lists, msgspec.structs.replace(policy, chunks_per_path=ALL_CHUNKS))
    return tuple(
        Fused(
            found=found,
            best_raw_score=found.raw_score,
            rrf_score=0.0,
            source_weight=0.0,
            rank_score=rank_score,
            routes=(hits.query.route,),
            route_hits=1,
            occurrences=1,
        )
        for hits in lists
        for found, rank_score in zip(hits.found, _falling(hits.found), strict=True)
    )


def _falling(found: Sequence[Found]) -> list[float]:
    """Order scores that say the order they stand in: none is below one further down.

    The searcher goes by raw score first.
    """
    return list(accumulate((one.order_score for one in reversed(found)), max))[::-1]
