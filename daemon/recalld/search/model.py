"""Values of one search. Pure; what other features may import from ``search``."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class Source(StrEnum):
    """Where a piece of memory comes from. Decided by its path, never by its content."""

    MEMORY = "memory"
    DOCUMENTS = "documents"
    WIKI = "wiki"
    SESSIONS = "sessions"
    GRAPH = "graph"
    PROFILE = "profile"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a search may look at; applied before ranking.

    ``workspace_ids`` empty: nothing. ``sources`` None: every source.
    """

    workspace_ids: tuple[int, ...]
    sources: frozenset[Source] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One chunk that a search found.

    ``uid`` is stable over a rebuild of the index (it is derived from path and content).
    ``path`` is relative to the workspace; lines count from 1, by ``\\n`` only, inclusive.
    ``text`` is the whole chunk as stored (redacted); ``focus`` is the character range of
    ``text`` that matched best, for cutting a snippet.
    ``raw_score`` in [0, 1] judges relevance and has one meaning for every engine: a question
    without an answer reaches .65 once in twenty. ``order_score`` only orders this list.
    """

    uid: str
    workspace_id: int
    path: str
    start_line: int
    end_line: int
    source: Source
    heading: str
    text: str
    focus: tuple[int, int]
    speaker: str | None
    date: str | None
    session: str | None
    modified_at: str | None
    raw_score: float
    order_score: float
    both_legs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Best first, by raw score, ties by order score, then path, then line.

    ``degraded`` names what did not take part and why (``dense: timeout``, ``dense: no vectors
    yet``, ``index: not ready``); empty when everything did. A result is never an error
    because one leg failed. ``searchable`` is False when the query holds no searchable term.
    """

    found: tuple[Found, ...]
    degraded: tuple[str, ...] = ()
    searchable: bool = True
    embed_ms: float = 0.0
    lexical_ms: float = 0.0
    dense_ms: float = 0.0
    score_ms: float = 0.0


class Searcher(Protocol):
    """The one way to look something up. Raises ``Unavailable`` only when no leg could run."""

    async def search(
        self, query: str, *, scope: Scope, limit: int, now: datetime
    ) -> SearchResult: ...
