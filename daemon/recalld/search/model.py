"""Values of one search. Pure; what other features may import from ``search``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from msgspec import Struct


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

    ``workspace_ids`` empty: nothing. ``sources`` None: every source. ``home`` is the asker's own
    workspace where there are several: what stands elsewhere must be clearly the better answer.
    """

    workspace_ids: tuple[int, ...]
    sources: frozenset[Source] | None = None
    home: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One chunk that a search found.

    ``uid`` is stable over a rebuild of the index (it is derived from path and content).
    ``path`` is relative to the workspace; lines count from 1, by ``\\n`` only, inclusive.
    ``text`` is the whole chunk as stored (redacted); ``focus`` is the character range of
    ``text`` that matched best, for cutting a snippet.
    ``raw_score`` in [0, 1] judges relevance and has one meaning for every engine: a question
    without an answer reaches .65 once in twenty. ``order_score`` only orders this list.
    ``replaced_on`` is the day of a newer chunk that says that this changed; None: none known.
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
    replaced_on: str | None = None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """A file as the index has it. ``head_hash`` is empty where the name says nothing.

    Chunk ids are never used twice: the first, the last and the count tell a rewritten file.
    ``mtime_ns`` tells nothing: a touched file is the same.
    """

    id: int
    path: str
    source: str
    session: str | None
    head_hash: bytes
    first_chunk: int
    last_chunk: int
    chunks: int
    mtime_ns: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRow:
    """``passages`` are the hashes of its windows, in order; none: there is nothing to find.

    ``asking`` is its text where a sentence of it may ask, else empty.
    """

    id: int
    file_id: int
    ordinal: int
    speaker: str | None
    is_cjk: bool
    passages: tuple[bytes, ...]
    date: str | None = None
    asking: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalQuery:
    """What to search in one workspace. ``sources`` None: everywhere. ``counted``: for idf."""

    workspace_id: int
    own: tuple[str, ...]
    expansion: tuple[str, ...]
    sources: tuple[str, ...] | None
    weights: tuple[float, ...]
    best: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalHits:
    """bm25 by chunk id, higher is better; in how many chunks each token occurs (absent: 0)."""

    own: dict[int, float]
    expansion: dict[int, float]
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkDetail:
    """A candidate as it is shown and judged. ``own`` .. ``head`` are tokens joined by blanks."""

    id: int
    uid: str
    path: str
    start_line: int
    end_line: int
    source: str
    heading: str
    text: str
    speaker: str | None
    date: str | None
    session: str | None
    mtime_ns: int
    own: str
    prev: str
    next: str
    head: str
    windows: tuple[tuple[int, int], ...]


class IndexReads(Protocol):
    """What search reads of the index. Every call is one snapshot."""

    async def workspaces(self) -> tuple[int, ...]: ...

    async def files(self, workspace_id: int) -> tuple[FileRow, ...]: ...

    async def chunks(self, file_ids: Sequence[int]) -> tuple[ChunkRow, ...]: ...

    async def texts(self, chunk_ids: Sequence[int]) -> dict[int, str]: ...

    async def lexical(self, query: LexicalQuery) -> LexicalHits: ...

    async def details(self, chunk_ids: Sequence[int]) -> dict[int, ChunkDetail]: ...


class StoredVectors(Protocol):
    """Where vectors are kept, by text hash and identity, as half floats."""

    async def find(self, identity: str, hashes: Sequence[bytes]) -> dict[bytes, bytes]: ...

    async def texts(self, hashes: Sequence[bytes]) -> dict[bytes, str]: ...

    async def put(self, identity: str, vectors: Mapping[bytes, bytes]) -> None: ...

    async def sweep(self, identity: str, *, keep: Sequence[str]) -> int: ...

    async def counts(self) -> dict[str, int]: ...


class SearchStatus(Struct, frozen=True, kw_only=True):
    """How far one workspace can be searched.

    ``stored`` counts the vectors by identity, those of an engine used before too; they are
    replaced in the background (``reembedding``) and never compared with the current ones.
    ``fitted_on`` is what the raw score's coefficients come from.
    """

    engine: str
    identity: str
    dimension: int
    state: str
    problem: str
    chunks: int
    windows: int
    embedded: int
    refused: int
    words: int
    stored: dict[str, int]
    reembedding: bool
    stale: bool
    fitted_on: str = ""
