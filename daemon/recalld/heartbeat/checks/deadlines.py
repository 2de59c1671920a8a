"""An active memory whose date is near or past."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from recalld.heartbeat.finding import Found, Label, hours, is_sure, noted, signals, stamp
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.surfaced import soft
from recalld.heartbeat.wording import title
from recalld.memories.model import Memory, MemoryState

LABEL = Label("deadlines", Tier.IMMEDIATE)

NEAR = timedelta(hours=24)


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """Those whose ``expires_at`` comes before a day from now, overdue ones too, earliest first."""
    horizon = snapshot.now + NEAR
    dated = [
        (expires_at, memory)
        for memory, expires_at in noted(snapshot, _dated)
        if expires_at < horizon
    ]
    dated.sort(key=lambda pair: (pair[0], -pair[1].importance, pair[1].id))
    shown = soft(snapshot, (memory for _, memory in dated))
    ends = {memory.id: expires_at for expires_at, memory in dated}
    return signals(snapshot, LABEL, shown, lambda one: _found(snapshot, one, ends[one.id]))


def _dated(memories: Iterable[Memory]) -> Iterator[tuple[Memory, datetime]]:
    return (
        (memory, memory.expires_at)
        for memory in memories
        if memory.expires_at is not None and memory.state is MemoryState.ACTIVE and is_sure(memory)
    )


def _found(snapshot: Snapshot, memory: Memory, expires_at: datetime) -> Found:
    left = expires_at - snapshot.now
    overdue = left < timedelta(0)
    return Found(
        key=memory.id,
        title=title("overdue" if overdue else "due", memory.content, span=left),
        memories=(memory,),
        detail={
            "expires_at": stamp(expires_at),
            "hours_left": hours(left),
            "overdue": overdue,
        },
    )


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
