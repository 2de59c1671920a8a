"""Something important that nobody has used for so long that it fades."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

from recalld.heartbeat.finding import DAY, Found, Label, by_weight, is_sure, noted, rounded, signals
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.surfaced import strict
from recalld.heartbeat.wording import title
from recalld.memories.decay import decay, is_scheduled, strength
from recalld.memories.model import Memory

LABEL = Label("decaying", Tier.LOW)

MIN_IMPORTANCE = 0.8
FADED = 0.4
# Of its strength's days: sooner nothing is that faded, later everything is, however the
# exponential is rounded. So most are told for the price of a comparison.
SOONEST, LATEST = 0.91, 0.92
_NEVER = datetime.max.replace(tzinfo=UTC)


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """The most important first."""
    now = snapshot.now
    fading = [
        memory
        for memory, (soonest, latest) in noted(snapshot, _mattering)
        if now > latest or (now > soonest and decay(memory, now) < FADED)
    ]
    shown = by_weight(strict(snapshot, fading))
    return signals(snapshot, LABEL, shown, partial(_found, snapshot))


def _mattering(
    memories: Iterable[Memory],
) -> Iterator[tuple[Memory, tuple[datetime, datetime]]]:
    for memory in memories:
        if memory.importance >= MIN_IMPORTANCE and is_sure(memory) and not is_scheduled(memory):
            days = strength(memory)
            yield memory, (_after(memory, SOONEST * days), _after(memory, LATEST * days))


def _after(memory: Memory, days: float) -> datetime:
    try:
        return memory.accessed_at + timedelta(days=days)
    except OverflowError:
        return _NEVER


def _found(snapshot: Snapshot, memory: Memory) -> Found:
    return Found(
        key=memory.id,
        title=title("decaying", memory.content),
        memories=(memory,),
        detail={
            "decay": rounded(decay(memory, snapshot.now)),
            "importance": memory.importance,
            "days_since_access": rounded((snapshot.now - memory.accessed_at) / DAY),
        },
    )


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
