"""A question that nothing remembered seems to answer."""

from recalld.heartbeat.finding import Found, days, signals
from recalld.heartbeat.gaps import open_questions
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.wording import title
from recalld.memories.model import Memory

MAX_GAPS = 5


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """The newest first, at most five."""
    found = [_found(snapshot, one) for one in open_questions(snapshot)]
    return signals(snapshot, "knowledge_gaps", Tier.NORMAL, found, limit=MAX_GAPS)


def _found(snapshot: Snapshot, memory: Memory) -> Found:
    return Found(
        key=memory.id,
        title=title("gap", memory.content),
        memories=(memory,),
        detail={"days_open": days(snapshot.now - memory.created_at)},
    )


CHECK = Check(name="knowledge_gaps", tier=Tier.NORMAL, find=_find)
