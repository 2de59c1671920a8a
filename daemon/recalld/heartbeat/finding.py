"""What checks have in common: whom they believe, in which order, and how many they name. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from recalld.heartbeat.model import Signal, Snapshot, Tier
from recalld.heartbeat.tiers import effective
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin

MAX_RESULTS = 20
MIN_CONFIDENCE = 0.5
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A signal to be: ``key`` follows the check's name in its id."""

    key: str
    title: str
    memories: tuple[Memory, ...] = ()
    detail: Mapping[str, object] = field(default_factory=dict)


def signals(
    snapshot: Snapshot, name: str, tier: Tier, found: Iterable[Found], *, limit: int = MAX_RESULTS
) -> tuple[Signal, ...]:
    """Of ``found``, the most important first, the first ``limit``.

    How many more there are stands as ``left_out`` in the first one's detail.
    """
    every = list(found)
    kept = [
        Signal(
            id=f"{name}:{one.key}",
            check=name,
            tier=effective(tier, one.memories, snapshot.now, name),
            title=one.title,
            memories=one.memories,
            detail=one.detail,
        )
        for one in every[:limit]
    ]
    if len(every) > limit:
        kept[0] = replace(kept[0], detail={**kept[0].detail, "left_out": len(every) - limit})
    return tuple(kept)


def live(snapshot: Snapshot, *types: MemoryType) -> Iterator[Memory]:
    """The active and stale ones of these types, of all where none is named."""
    for kind in types or tuple(MemoryType):
        yield from snapshot.live[kind]


def active(snapshot: Snapshot, *types: MemoryType) -> Iterator[Memory]:
    return (one for one in live(snapshot, *types) if one.state is MemoryState.ACTIVE)


def is_sure(memory: Memory) -> bool:
    """Whether enough is known to speak of it; a confidence of 0 was never set."""
    return memory.confidence == 0 or memory.confidence >= MIN_CONFIDENCE


def weight(memory: Memory) -> tuple[float, float, str]:
    """Sorts the most important first, then the newest, then by id."""
    return -memory.importance, -memory.created_at.timestamp(), memory.id


def near(snapshot: Snapshot, memory: Memory, floor: float) -> Iterator[tuple[Memory, float]]:
    """The owner's memories at least ``floor`` like it on the common scale, nearest first.

    As they are in the snapshot; a heartbeat's own words and what was made later are left out.
    """
    for similar in snapshot.nearest(memory):
        likeness = snapshot.common(similar.similarity)
        if likeness < floor:
            return
        other = snapshot.memories.get(similar.memory.id)
        if other is not None and other.id != memory.id and counts(snapshot, other):
            yield other, likeness


def counts(snapshot: Snapshot, memory: Memory) -> bool:
    """Whether it is one of ``snapshot.said``."""
    return (
        memory.owner == snapshot.owner
        and memory.origin is not Origin.HEARTBEAT
        and memory.state is not MemoryState.DELETED
        and memory.created_at <= snapshot.now
    )


def rounded(value: float) -> float:
    return round(value, 2)


def hours(span: timedelta) -> float:
    return rounded(span / HOUR)


def days(span: timedelta) -> float:
    return rounded(span / DAY)


def stamp(at: datetime) -> str:
    return at.isoformat()
