"""A question that nothing remembered seems to answer."""

from functools import partial

from recalld.heartbeat.finding import Found, Label, days, signals
from recalld.heartbeat.gaps import open_questions
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.wording import title
from recalld.memories.model import Memory

LABEL = Label("knowledge_gaps", Tier.NORMAL)

MAX_GAPS = 5


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """The newest first, at most five."""
    return signals(
        snapshot, LABEL, open_questions(snapshot), partial(_found, snapshot), limit=MAX_GAPS
    )


def _found(snapshot: Snapshot, memory: Memory) -> Found:
    return Found(
        key=memory.id,
        title=title("gap", memory.content),
        memories=(memory,),
        detail={"days_open": days(snapshot.now - memory.created_at)},
    )


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
