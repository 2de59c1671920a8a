"""How much two texts have in common by their words, where there are no vectors. Pure."""

from recalld.text.tokens import query_tokens


def overlap(query: str, content: str) -> float:
    """The share of the query's words that are in ``content``, in [0, 1]; 0 without words."""
    wanted = frozenset(query_tokens(query))
    return len(wanted & frozenset(query_tokens(content))) / len(wanted) if wanted else 0.0
