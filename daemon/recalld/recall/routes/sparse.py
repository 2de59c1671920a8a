"""The message's own words, looked up by learned weights instead of vectors. Pure.

No expansion: the question is the literal one, and another index answers it, where the engine
gives weights.
"""

from recalld.recall.model import Depth, Route, RouteQuery
from recalld.recall.policy import RrfPolicy

# Where it takes part beside the literal query.
DEPTHS = frozenset({Depth.BALANCED, Depth.DEEP})

ROUTE = Route(name="sparse", depths=frozenset(), plan=lambda query: query, weight=lambda _: 1.0)


def query_of(literal: str, *, depth: Depth, policy: RrfPolicy) -> RouteQuery | None:
    """None where ``depth`` asks the literal query only."""
    if depth not in DEPTHS or not literal:
        return None
    return RouteQuery(route=ROUTE.name, text=literal, weight=ROUTE.weight(policy))
