"""A plan to keep watch over something, that nobody has looked at for a day."""

import unicodedata
from datetime import timedelta
from functools import partial

from recalld.heartbeat.finding import Found, Label, hours, is_sure, live, signals
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.surfaced import strict
from recalld.heartbeat.wording import title
from recalld.memories.model import Memory, MemoryType

LABEL = Label("stale_monitors", Tier.ELEVATED)

TAGS = frozenset({"monitor", "监控", "監控"})
STALE = timedelta(hours=24)


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """The longest unseen first."""
    stale = [
        memory
        for memory in live(snapshot, MemoryType.PLAN)
        if memory.tags
        and any(_plain(tag) in TAGS for tag in memory.tags)
        and snapshot.now - memory.accessed_at > STALE
        and is_sure(memory)
    ]
    shown = sorted(strict(snapshot, stale), key=lambda one: (one.accessed_at, one.id))
    return signals(snapshot, LABEL, shown, partial(_found, snapshot))


def _plain(tag: str) -> str:
    return unicodedata.normalize("NFKC", tag).casefold().strip()


def _found(snapshot: Snapshot, memory: Memory) -> Found:
    unseen = snapshot.now - memory.accessed_at
    return Found(
        key=memory.id,
        title=title("monitor", memory.content, span=unseen),
        memories=(memory,),
        detail={"hours_since_access": hours(unseen)},
    )


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
