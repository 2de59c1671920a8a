"""What an act remembers of how things stood, for the next ticks to compare with. Pure."""

from recalld.heartbeat.goals import shares
from recalld.heartbeat.model import Snapshot, State
from recalld.heartbeat.mood import mood
from recalld.heartbeat.silence import silent_days


def state_of(snapshot: Snapshot) -> State:
    """To be kept with an act. ``memories`` are counted as ``memory_velocity`` counts them."""
    felt = mood(snapshot)
    return State(
        at=snapshot.now,
        memories=len(snapshot.said),
        goals=shares(snapshot),
        silent_days=silent_days(snapshot),
        sentiment=0.0 if felt is None else felt.recent,
    )
