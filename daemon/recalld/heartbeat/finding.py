"""What checks have in common: whom they believe, in which order, and how many they name. Pure."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import chain
from operator import attrgetter
from typing import NamedTuple, TypeVar

from recalld.heartbeat import roster
from recalld.heartbeat.model import Signal, Snapshot, Tier
from recalld.heartbeat.roster import Choose
from recalld.heartbeat.tiers import effective
from recalld.memories.model import Memory, MemoryState, MemoryType

T = TypeVar("T")

MAX_RESULTS = 20
MIN_CONFIDENCE = 0.5
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


class Label(NamedTuple):
    """A check's name, and the tier its signals have before tags and freshness."""

    name: str
    tier: Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A signal to be: ``key`` follows the check's name in its id."""

    key: str
    title: str
    memories: tuple[Memory, ...] = ()
    detail: Mapping[str, object] = field(default_factory=dict)


def signals(
    snapshot: Snapshot,
    label: Label,
    items: Sequence[T],
    make: Callable[[T], Found],
    *,
    limit: int = MAX_RESULTS,
) -> tuple[Signal, ...]:
    """What ``make`` says of the first ``limit`` of ``items``, the most important first.

    How many more there are stands as ``left_out`` in the first signal's detail; nothing is made
    of those.
    """
    kept = [_signal(snapshot, label, make(item)) for item in items[:limit]]
    if len(items) > limit:
        kept[0] = replace(kept[0], detail={**kept[0].detail, "left_out": len(items) - limit})
    return tuple(kept)


def told(snapshot: Snapshot, label: Label, found: Sequence[Found]) -> tuple[Signal, ...]:
    """The same of what is made already."""
    return signals(snapshot, label, found, lambda one: one)


def _signal(snapshot: Snapshot, label: Label, found: Found) -> Signal:
    """What is put away may count, but is not shown."""
    shown = tuple(one for one in found.memories if one.state is not MemoryState.ARCHIVED)
    return Signal(
        id=f"{label.name}:{found.key}",
        check=label.name,
        tier=effective(label.tier, shown, snapshot.now, label.name),
        title=found.title,
        memories=shown,
        detail=found.detail,
    )


def live(snapshot: Snapshot, *types: MemoryType) -> Iterator[Memory]:
    """The active and stale ones of these types, of all where none is named."""
    return chain.from_iterable(snapshot.live[kind] for kind in types or tuple(MemoryType))


def noted(snapshot: Snapshot, choose: Choose[T]) -> Collection[tuple[Memory, T]]:
    """The live ones that ``choose`` gives, in no order, with what it says of each; see there."""
    return snapshot.roster.noted(choose)


def is_sure(memory: Memory) -> bool:
    """Whether enough is known to speak of it; a confidence of 0 was never set."""
    return memory.confidence == 0 or memory.confidence >= MIN_CONFIDENCE


def by_weight(memories: Iterable[Memory]) -> list[Memory]:
    """The most important first, then the newest, then by id."""
    ordered = sorted(memories, key=attrgetter("id"))
    ordered.sort(key=attrgetter("created_at"), reverse=True)
    ordered.sort(key=attrgetter("importance"), reverse=True)
    return ordered


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
    return roster.counts(memory, snapshot.owner) and memory.created_at <= snapshot.now


def rounded(value: float) -> float:
    return round(value, 2)


def hours(span: timedelta) -> float:
    return rounded(span / HOUR)


def days(span: timedelta) -> float:
    return rounded(span / DAY)


def stamp(at: datetime) -> str:
    return at.isoformat()
