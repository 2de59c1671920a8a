"""When to look again. Pure."""

from recalld.heartbeat.cooldown import MINUTE, failures, maybe_seen
from recalld.heartbeat.model import Decision, Snapshot
from recalld.heartbeat.periods import HABITS
from recalld.heartbeat.view import VELOCITY

SHORTEST_S = 60.0
LONGEST_S = 1_800.0

ACTED_WITHIN = 10 * MINUTE
MANY_SIGNALS = 5
MAX_BACKOFF = 32

FASTER = 0.5
IDLE = 1.5


def interval_s(snapshot: Snapshot, decision: Decision, *, base_s: float) -> float:
    """Seconds from this tick to the next, from one minute to thirty.

    Half of ``base_s`` shortly after an act, with more than five signals, and while much is being
    remembered; half as long again without signals; longer by the time of day, and twice as long
    for each failed delivery in a row. All that holds is multiplied. ``decision`` is this tick's,
    ``snapshot`` what it looked at.
    """
    seen = maybe_seen(snapshot.acts, snapshot.now)
    acted = decision.act or any(snapshot.now - act.at < ACTED_WITHIN for act in seen)
    busy = any(signal.check == VELOCITY for signal in decision.signals)
    factor = HABITS[decision.period].slower * backoff(failures(snapshot.acts))
    factor *= FASTER if acted else 1.0
    factor *= FASTER if len(decision.signals) > MANY_SIGNALS else 1.0
    factor *= IDLE if not decision.signals else 1.0
    factor *= FASTER if busy else 1.0
    return min(LONGEST_S, max(SHORTEST_S, base_s * factor))


def backoff(failed: int) -> int:
    """How much slower after so many failed deliveries in a row."""
    return min(MAX_BACKOFF, 1 << min(max(failed, 0), MAX_BACKOFF))
