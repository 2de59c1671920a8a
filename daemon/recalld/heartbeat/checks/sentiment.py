"""A change of mood, or strong feelings, in what the user wrote."""

from recalld.heartbeat.finding import Found, Label, rounded, stamp, told
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.mood import CHANGE, Mood, mood
from recalld.heartbeat.wording import prefers_chinese, title

LABEL = Label("sentiment", Tier.LOW)


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """At most one, without memories. Its id says which way, so that a turn is news."""
    felt = mood(snapshot)
    if felt is None:
        return ()
    direction = _direction(felt)
    if direction is None:
        return ()
    found = Found(
        key=direction,
        title=title(direction, "", chinese=prefers_chinese(snapshot)),
        detail={
            "direction": direction,
            "recent": rounded(felt.recent),
            "before": rounded(felt.before),
            "change": rounded(felt.change),
            "messages": felt.scored,
            "notable": [
                {"at": stamp(one.at), "sentiment": rounded(one.sentiment)} for one in felt.notable
            ],
        },
    )
    return told(snapshot, LABEL, [found])


def _direction(felt: Mood) -> str | None:
    if felt.change > CHANGE:
        return "improving"
    if felt.change < -CHANGE:
        return "declining"
    return "notable" if felt.notable else None


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
