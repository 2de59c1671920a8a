"""How a memory fades, and what its state becomes by that. Pure; the clock is an argument.

Retention is exp(-days since the last access / strength), where strength is the memory's
stability, stretched by how often it was used (an Ebbinghaus curve with an access modifier).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import exp, log
from types import MappingProxyType

from recalld.memories.model import Memory, MemoryState, MemoryType

DAY = timedelta(days=1)
CRON = "cron:"

# Below these a memory is stale, archived, deleted.
STALE = 0.3
ARCHIVED = 0.1
DELETED = 0.01
# So long a stale memory stays, and a deleted one is kept.
STALE_FOR = timedelta(days=30)
PURGED_AFTER = timedelta(days=90)

# Growth of the stability by an access, by the days since the one before.
GROWTH = ((1.0, 1.10), (7.0, 1.20), (30.0, 1.35))
LONGEST_GROWTH = 1.60
# What all further accesses of one day add together: a busy afternoon is not a year of use.
BURST_GROWTH = 1.15
# Without a bound a memory used daily for a year would outlive everything by centuries.
MAX_STABILITY_DAYS = 3_650.0
BURST_STEP = 0.015
MAX_BURST_BOOST = 0.3
MIN_BURST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Nature:
    """What memories of a type start with."""

    stability_days: float
    importance: float


NATURES: Mapping[MemoryType, Nature] = MappingProxyType(
    {
        MemoryType.IDENTITY: Nature(stability_days=365.0, importance=0.8),
        MemoryType.PREFERENCE: Nature(stability_days=270.0, importance=0.6),
        MemoryType.RELATIONSHIP: Nature(stability_days=270.0, importance=0.7),
        MemoryType.EVENT: Nature(stability_days=120.0, importance=0.5),
        MemoryType.ACTIVITY: Nature(stability_days=90.0, importance=0.5),
        MemoryType.PLAN: Nature(stability_days=60.0, importance=0.5),
        MemoryType.CONTEXT: Nature(stability_days=21.0, importance=0.3),
        MemoryType.EPHEMERAL: Nature(stability_days=3.0, importance=0.2),
    }
)

# Where time alone may take a memory. A stale one that was used comes back; a resolved one is
# never active or stale again, unless somebody says so.
_ONWARD: Mapping[MemoryState, frozenset[MemoryState]] = MappingProxyType(
    {
        MemoryState.ACTIVE: frozenset(
            {MemoryState.STALE, MemoryState.ARCHIVED, MemoryState.DELETED}
        ),
        MemoryState.STALE: frozenset(
            {MemoryState.ACTIVE, MemoryState.ARCHIVED, MemoryState.DELETED}
        ),
        MemoryState.RESOLVED: frozenset({MemoryState.ARCHIVED, MemoryState.DELETED}),
        MemoryState.ARCHIVED: frozenset({MemoryState.DELETED}),
        MemoryState.DELETED: frozenset(),
    }
)


def is_scheduled(memory: Memory) -> bool:
    """Whether a ``cron:`` tag keeps it from fading."""
    # Most have no tags, and every memory is asked.
    return bool(memory.tags) and any(tag.casefold().startswith(CRON) for tag in memory.tags)


def decay(memory: Memory, now: datetime) -> float:
    """What is left of it, in [0, 1]; 1 when just used, and always for a scheduled one.

    Never rises while nobody uses it. An access in the future counts as now.
    """
    if is_scheduled(memory):
        return 1.0
    days = max(0.0, (now - memory.accessed_at) / DAY)
    return exp(-days / strength(memory))


def strength(memory: Memory) -> float:
    """After so many days without a use, 1/e of it is left; no less than its stability."""
    return memory.stability_days * (1.0 + 0.5 * log(1 + memory.access_count))


def next_state(memory: Memory, now: datetime) -> MemoryState | None:
    """The state that time makes of it; None where it stays. Twice at one time is as once."""
    left = decay(memory, now)
    since = memory.state_since or memory.updated_at
    long_stale = memory.state is MemoryState.STALE and now - since >= STALE_FOR
    if left < DELETED:
        wanted = MemoryState.DELETED
    elif left < ARCHIVED or (left < STALE and long_stale):
        wanted = MemoryState.ARCHIVED
    else:
        wanted = MemoryState.STALE if left < STALE else MemoryState.ACTIVE
    return wanted if wanted in _ONWARD[memory.state] else None


def is_over(memory: Memory, now: datetime) -> bool:
    """Whether a deleted memory has been kept long enough."""
    since = memory.state_since or memory.updated_at
    return memory.state is MemoryState.DELETED and now - since >= PURGED_AFTER


def accessed(memory: Memory, now: datetime) -> Memory:
    """The memory after one use of it. The state stays; the decay job looks at that."""
    at = max(now, memory.accessed_at)
    ongoing = memory.burst_at is not None and at - memory.burst_at < DAY
    count = memory.burst_count + 1 if ongoing else 1
    growth = _further(count) if ongoing else _growth((at - memory.accessed_at) / DAY)
    grown = max(memory.stability_days, min(MAX_STABILITY_DAYS, memory.stability_days * growth))
    return replace(
        memory,
        accessed_at=at,
        access_count=memory.access_count + 1,
        stability_days=grown,
        burst_at=memory.burst_at if ongoing else at,
        burst_count=count,
    )


def burst_boost(memory: Memory, now: datetime) -> float:
    """What much use within a day adds to the importance, in [0, 0.3]."""
    if memory.burst_at is None or memory.burst_count < MIN_BURST or now - memory.burst_at >= DAY:
        return 0.0
    return min(MAX_BURST_BOOST, BURST_STEP * memory.burst_count)


def _growth(days: float) -> float:
    return next((growth for below, growth in GROWTH if days < below), LONGEST_GROWTH)


def _further(count: int) -> float:
    """The growth by the ``count``-th access of a day, of those after the first."""
    steps = (min(BURST_GROWTH, GROWTH[0][1] ** (count - 2)), GROWTH[0][1] ** (count - 1))
    return min(BURST_GROWTH, steps[1]) / steps[0]
