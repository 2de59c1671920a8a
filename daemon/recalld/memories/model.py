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

    ``importance`` is in [0, 1]; ``stability_days`` above 0. ``session`` is a session key or None.
    ``accessed_at`` starts at the call that added it, never at ``created_at``.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """A memory near a text: ``similarity`` is the cosine, ``score`` what it was ranked by."""

    memory: Memory
    similarity: float
    score: float
