"""How plans go on, seen from the activities that are like them. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import partial
from itertools import islice

from recalld.heartbeat import cron
from recalld.heartbeat.finding import DAY, by_weight, is_sure, near, noted, rounded
from recalld.heartbeat.model import Snapshot
from recalld.memories.model import Memory, MemoryState, MemoryType

LIKENESS = 0.4
CANDIDATES = 20
# So many plans are looked at: each costs a search.
MAX_PLANS = 20
# So many activities are a plan that is done.
WHOLE = 10
RECENT = timedelta(days=7)
NEAR_DEADLINE = timedelta(days=14)
# What was done stays done when its memory is closed.
DONE = frozenset({MemoryState.ACTIVE, MemoryState.STALE, MemoryState.RESOLVED})


class Progress(StrEnum):
    ON_TRACK = "on_track"
    AT_RISK = "at_risk"
    STALLED = "stalled"
    NO_ACTIVITY = "no_activity"


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A plan and its ``activities``, nearest first. ``left``: None without a deadline."""

    plan: Memory
    activities: tuple[Memory, ...]
    left: timedelta | None
    progress: Progress

    @property
    def share(self) -> float:
        """How much seems done, in [0, 1]."""
        return min(1.0, len(self.activities) / WHOLE)

    @property
    def expired(self) -> bool:
        return self.left is not None and self.left < timedelta(0)

    @property
    def days_left(self) -> float:
        """-1 where there is no deadline; 0 where it is past."""
        return -1.0 if self.left is None else rounded(max(self.left, timedelta(0)) / DAY)


def plans(snapshot: Snapshot) -> list[Memory]:
    """The plans whose progress is looked at: live ones without a schedule, the nearest deadline
    within two weeks first, then the most important."""
    unscheduled = (one for one, _ in noted(snapshot, _unscheduled))
    return sorted(by_weight(unscheduled), key=partial(_nearness, snapshot))[:MAX_PLANS]


def _unscheduled(memories: Iterable[Memory]) -> Iterator[tuple[Memory, None]]:
    return (
        (one, None)
        for one in memories
        if one.type is MemoryType.PLAN
        and is_sure(one)
        and not (one.tags and cron.has_schedule(one))
    )


def goals(snapshot: Snapshot) -> tuple[Goal, ...]:
    """Of every plan that is looked at, in that order."""
    return snapshot.once(_goals)


def _goals(snapshot: Snapshot) -> tuple[Goal, ...]:
    return tuple(goal(snapshot, plan) for plan in plans(snapshot))


def goal(snapshot: Snapshot, plan: Memory) -> Goal:
    """On track with an activity within a week; else at risk with less than two weeks left."""
    alike = (
        other
        for other, _ in near(snapshot, plan, LIKENESS)
        if other.type is MemoryType.ACTIVITY and other.state in DONE
    )
    activities = tuple(islice(alike, CANDIDATES))
    left = None if plan.expires_at is None else plan.expires_at - snapshot.now
    return Goal(
        plan=plan, activities=activities, left=left, progress=_progress(snapshot, activities, left)
    )


def shares(snapshot: Snapshot) -> Mapping[str, float]:
    """The progress of each plan that is looked at, without activity too, by its id."""
    return {one.plan.id: one.share for one in goals(snapshot)}


def _progress(
    snapshot: Snapshot, activities: tuple[Memory, ...], left: timedelta | None
) -> Progress:
    if not activities:
        return Progress.NO_ACTIVITY
    if any(snapshot.now - one.created_at <= RECENT for one in activities):
        return Progress.ON_TRACK
    return Progress.AT_RISK if left is not None and left < NEAR_DEADLINE else Progress.STALLED


def _nearness(snapshot: Snapshot, plan: Memory) -> float:
    """Seconds to a deadline within two weeks; later, past or without one all come after."""
    if plan.expires_at is None:
        return NEAR_DEADLINE.total_seconds()
    left = plan.expires_at - snapshot.now
    return min(left, NEAR_DEADLINE).total_seconds() if left >= timedelta(0) else float("inf")
