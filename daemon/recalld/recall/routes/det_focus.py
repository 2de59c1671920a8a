"""The question's content words alone. Pure."""

from recalld.recall.model import Depth, Route
from recalld.recall.phrases import content_words

ROUTE = Route(
    name="det:focus",
    depths=frozenset({Depth.BALANCED, Depth.DEEP}),
    plan=lambda query: content_words(query) or None,
    weight=lambda _: 1.0,
)
