"""The message's own words. Pure."""

from recalld.recall.model import Depth, Route

ROUTE = Route(
    name="literal",
    depths=frozenset(Depth),
    plan=lambda query: query,
    weight=lambda policy: policy.original_weight,
)
