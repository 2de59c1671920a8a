"""The values of typed memories. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class MemoryType(StrEnum):
    IDENTITY = "IDENTITY"
    PREFERENCE = "PREFERENCE"
    RELATIONSHIP = "RELATIONSHIP"
    EVENT = "EVENT"
    ACTIVITY = "ACTIVITY"
    PLAN = "PLAN"
    CONTEXT = "CONTEXT"
    EPHEMERAL = "EPHEMERAL"


class MemoryState(StrEnum):
    """``active`` to ``stale`` to ``archived`` to ``deleted``; ``resolved`` goes on to the last two
    only."""

    ACTIVE = "active"
    STALE = "stale"
    RESOLVED = "resolved"
    ARCHIVED = "archived"
    DELETED = "deleted"


class Origin(StrEnum):
    """Where a memory comes from. ``HEARTBEAT``: a heartbeat's own words or a reply to them, kept
    as events only; such text never becomes a memory or a signal."""

    USER = "user"
    AGENT = "agent"
    IMPORTED = "imported"
    PROPOSED = "proposed"
    HEARTBEAT = "heartbeat"


class Visibility(StrEnum):
    PRIVATE = "private"
    TEAM = "team"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory. ``id`` is sortable text; times are aware and in UTC.

    ``importance`` and ``confidence`` are in [0, 1]; ``stability_days`` above 0. ``session`` is a
    session key or None. ``accessed_at`` starts at the call that added it, never at
    ``created_at``, which is when it happened. ``state_since``: None is ``updated_at``.
    ``resolved_by``: the memory that reported it done; None where a person said so.
    ``burst_at`` and ``burst_count``: when the accesses of the running day began, and how many.
    """

    id: str
    owner: str
    content: str
    type: MemoryType
    state: MemoryState
    importance: float
    tags: tuple[str, ...]
    session: str | None
    agent: str
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    origin: Origin
    visibility: Visibility = Visibility.PRIVATE
    stability_days: float = 60.0
    accessed_at: datetime
    access_count: int = 0
    confidence_factors: tuple[str, ...] = ()
    confidence: float = 0.8
    state_since: datetime | None = None
    resolved_by: str | None = None
    burst_at: datetime | None = None
    burst_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """A memory near a text: ``similarity`` is the cosine, ``score`` what it was ranked by."""

    memory: Memory
    similarity: float
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What was found. ``by_words``: the engine was not ready or had no vector of the query in
    time, so that only common words were looked at, and ``similarity`` is their share. Where there
    is to be no engine that goes without saying."""

    found: tuple[Similar, ...]
    by_words: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """What is to be remembered. None: what its type usually has, or the moment of the call."""

    content: str
    type: MemoryType
    owner: str = "default"
    state: MemoryState = MemoryState.ACTIVE
    session: str | None = None
    agent: str = "main"
    importance: float | None = None
    tags: tuple[str, ...] = ()
    expires_at: datetime | None = None
    created_at: datetime | None = None
    event_id: str | None = None
    origin: Origin = Origin.USER
    visibility: Visibility = Visibility.PRIVATE
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """``duplicate_of``: the memory that says so already, which ``memory`` then is.

    ``repeated``: an event id that was answered before; nothing was done. ``resolved``: what the
    new memory reported done.
    """

    memory: Memory
    duplicate_of: str | None = None
    repeated: bool = False
    resolved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One more time that a memory was said, in these words. ``count``: so often."""

    memory_id: str
    content: str
    session: str | None
    agent: str
    origin: Origin
    at: datetime
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What an update sets; None leaves a field as it is, ``no_expiry`` takes the date away."""

    content: str | None = None
    type: MemoryType | None = None
    state: MemoryState | None = None
    importance: float | None = None
    tags: tuple[str, ...] | None = None
    expires_at: datetime | None = None
    no_expiry: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which memories; empty sets ask for any. ``tags``: all of them. Times by ``created_at``,
    ``since`` inclusive, ``until`` not. Without ``states``: what is not archived or deleted."""

    types: frozenset[MemoryType] = frozenset()
    states: frozenset[MemoryState] = frozenset()
    tags: frozenset[str] = frozenset()
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    exclude_ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """``cursor`` asks for what follows; None at the end."""

    memories: tuple[Memory, ...]
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was forgotten: ``ids``, how many rows of what, and what lies ``beyond`` reach."""

    ids: tuple[str, ...]
    removed: dict[str, int]
    beyond: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The first answer to an event id. Both are None once its memory is forgotten."""

    memory_id: str | None
    answer: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewReply:
    """An answer to be remembered for an event id."""

    owner: str
    event_id: str
    at: datetime
    memory_id: str
    answer: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """``blob``: half floats of the engine ``identity`` for exactly ``content``."""

    memory_id: str
    content: str
    identity: str
    blob: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One transaction: memories as they are to be, vectors, one occurrence, one reply.

    ``stale_vectors`` are of memories whose words changed, and go.
    """

    memories: tuple[Memory, ...] = ()
    vectors: tuple[Vector, ...] = ()
    stale_vectors: tuple[str, ...] = ()
    occurrence: Occurrence | None = None
    reply: NewReply | None = None
