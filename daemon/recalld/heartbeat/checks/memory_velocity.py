"""Much that is new since the last act."""

from bisect import bisect_right

from recalld.heartbeat.finding import Found, Label, stamp, told
from recalld.heartbeat.model import Check, Signal, Snapshot, State, Tier
from recalld.heartbeat.wording import prefers_chinese, title

LABEL = Label("memory_velocity", Tier.ELEVATED)

MANY = 5


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """One, without memories, at five new ones or more; none before a first act."""
    last = snapshot.last_state
    if last is None:
        return ()
    count = _new(snapshot, last)
    if count < MANY:
        return ()
    found = Found(
        key="new",
        title=title("velocity", "", chinese=prefers_chinese(snapshot), count=count),
        detail={"new_memories": count, "since": stamp(last.at)},
    )
    return told(snapshot, LABEL, [found])


def _new(snapshot: Snapshot, last: State) -> int:
    """By number or by date, whichever is more: what was forgotten since hides nothing, nor does
    a date of long ago on what was just told."""
    later = len(snapshot.said) - bisect_right(snapshot.said, last.at, key=lambda m: m.created_at)
    return max(later, len(snapshot.said) - last.memories)


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
