"""Something important that nobody has used for so long that it fades."""

from functools import partial

from recalld.heartbeat.finding import DAY, Found, Label, by_weight, is_sure, live, rounded, signals
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.surfaced import strict
from recalld.heartbeat.wording import title
from recalld.memories.decay import decay
from recalld.memories.model import Memory

LABEL = Label("decaying", Tier.LOW)

MIN_IMPORTANCE = 0.8
FADED = 0.4
# Of its stability's days: sooner nothing is that faded, however it is used. So most are passed
# over for the price of a subtraction.
SOONEST = 0.9


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """The most important first."""
    fading = [
        memory
        for memory in live(snapshot)
        if memory.importance >= MIN_IMPORTANCE
        and is_sure(memory)
        and (snapshot.now - memory.accessed_at) / DAY > SOONEST * memory.stability_days
        and decay(memory, snapshot.now) < FADED
    ]
    shown = by_weight(strict(snapshot, fading))
    return signals(snapshot, LABEL, shown, partial(_found, snapshot))


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
