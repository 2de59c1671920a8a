"""An active plan or activity that matters and is still going on."""

from datetime import timedelta

from recalld.heartbeat import cron
from recalld.heartbeat.chatter import is_chatter
from recalld.heartbeat.finding import Found, active, days, is_sure, signals, weight
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.surfaced import strict
from recalld.heartbeat.wording import title
from recalld.memories.model import Memory, MemoryType

MIN_IMPORTANCE = 0.4
RECENT = timedelta(days=7)
DEADLINE = timedelta(days=14)


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """The most important first. What has a schedule comes with that instead."""
    pending = [
        memory
        for memory in active(snapshot, MemoryType.PLAN, MemoryType.ACTIVITY)
        if memory.importance >= MIN_IMPORTANCE
        and _goes_on(snapshot, memory)
        and is_sure(memory)
        and not cron.has_schedule(memory)
        and not is_chatter(memory.content)
    ]
    shown = sorted(strict(snapshot, pending), key=weight)
    return signals(snapshot, "pending_work", Tier.NORMAL, [_found(snapshot, one) for one in shown])


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


CHECK = Check(name="pending_work", tier=Tier.NORMAL, find=_find)
