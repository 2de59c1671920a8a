"""A plan, against the activities that are like it."""

from datetime import timedelta

from recalld.heartbeat.finding import Found, Label, rounded, signals
from recalld.heartbeat.goals import Goal, Progress, goals
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.wording import title

LABEL = Label("goal_progress", Tier.NORMAL)

# What needs someone stands before what goes well.
ORDER = (Progress.AT_RISK, Progress.STALLED, Progress.ON_TRACK)


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """Plans with activity: those at risk first, then stalled, then on track.

    One whose deadline is past is named only while it is on track.
    """
    named = [one for one in goals(snapshot) if one.progress in ORDER and not _is_over(one)]
    named.sort(key=lambda one: ORDER.index(one.progress))
    return signals(snapshot, LABEL, named, _found)


def _is_over(goal: Goal) -> bool:
    return goal.expired and goal.progress is not Progress.ON_TRACK


def _found(goal: Goal) -> Found:
    left = max(goal.left or timedelta(0), timedelta(0))
    return Found(
        key=goal.plan.id,
        title=title(goal.progress.value, goal.plan.content, span=left),
        memories=(goal.plan,),
        detail={
            "status": goal.progress.value,
            "progress": rounded(goal.share),
            "activities": [one.id for one in goal.activities],
            "days_left": goal.days_left,
            "expired": goal.expired,
        },
    )


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
