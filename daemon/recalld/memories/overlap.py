"""How much two texts have in common by their words, where there are no vectors. Pure."""

from recalld.text.tokens import fold, query_tokens

# A stem and the words it comes from begin alike.
_ALIKE_CHARS = 4


class Overlap:
    """One query, to be compared with many texts."""

    def __init__(self, query: str) -> None:
        self._wanted = frozenset(query_tokens(query))
        self._beginnings = tuple({token[:_ALIKE_CHARS] for token in self._wanted})

    def may_share(self, content: str) -> bool:
        """False only for a text without any of the words; a fiftieth of the work of ``of``."""
        lower = fold(content).lower()
        return any(beginning in lower for beginning in self._beginnings)

    def all_in(self, content: str) -> bool:
        """Whether ``content`` has every word of the query; False for a query without words."""
        lower = fold(content).lower()
        likely = bool(self._wanted) and all(start in lower for start in self._beginnings)
        return likely and self._wanted <= frozenset(query_tokens(content))

    def of(self, content: str) -> float:
        """The share of the query's words that are in ``content``, in [0, 1]; 0 without words."""
        if not self._wanted:
            return 0.0
        return len(self._wanted & frozenset(query_tokens(content))) / len(self._wanted)
