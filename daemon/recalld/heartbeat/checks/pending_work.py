"""An active plan or activity that matters and is still going on."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import partial

from recalld.heartbeat import cron
from recalld.heartbeat.chatter import is_chatter
from recalld.heartbeat.finding import Found, Label, by_weight, days, is_sure, noted, signals
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.surfaced import strict
from recalld.heartbeat.wording import title
from recalld.memories.model import Memory, MemoryState, MemoryType

LABEL = Label("pending_work", Tier.NORMAL)

TYPES = frozenset({MemoryType.PLAN, MemoryType.ACTIVITY})
MIN_IMPORTANCE = 0.4
RECENT = timedelta(days=7)
DEADLINE = timedelta(days=14)


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """The most important first. What has a schedule comes with that instead."""
    pending = [
        memory
        for memory, _ in noted(snapshot, _work)
        if _goes_on(snapshot, memory) and not is_chatter(memory.content)
    ]
    shown = by_weight(strict(snapshot, pending))
    return signals(snapshot, LABEL, shown, partial(_found, snapshot))


def _work(memories: Iterable[Memory]) -> Iterator[tuple[Memory, None]]:
    return (
        (memory, None)
        for memory in memories
        if memory.type in TYPES
        and memory.state is MemoryState.ACTIVE
        and memory.importance >= MIN_IMPORTANCE
        and is_sure(memory)
        and not cron.has_schedule(memory)
    )


def _goes_on(snapshot: Snapshot, memory: Memory) -> bool:
    """Touched within a week, or due within two. What is overdue is a deadline's matter."""
    if snapshot.now - memory.updated_at <= RECENT:
        return True
    if memory.expires_at is None:
        return False
    return timedelta(0) <= memory.expires_at - snapshot.now <= DEADLINE


def _found(snapshot: Snapshot, memory: Memory) -> Found:
    left = None if memory.expires_at is None else days(memory.expires_at - snapshot.now)
    return Found(
        key=memory.id,
        title=title("pending", memory.content),
        memories=(memory,),
        detail={
            "type": memory.type.value,
            "importance": memory.importance,
            "days_since_update": days(snapshot.now - memory.updated_at),
            "days_left": left,
        },
    )


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
