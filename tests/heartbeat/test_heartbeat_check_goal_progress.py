"""Plans against the activities that are like them."""

from datetime import timedelta
from typing import Any

import pytest

from recalld.heartbeat.checks.goal_progress import CHECK
from recalld.heartbeat.model import Signal, Snapshot, Tier
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin
from support.snapshots import DAY, HOUR, INSTANT, NOW, a_memory, a_snapshot, near

RECENT = 3 * DAY
LONG_AGO = 30 * DAY


def an_activity(name: str, age: timedelta = RECENT, **changes: Any) -> Memory:
    usual: dict[str, Any] = {"type": MemoryType.ACTIVITY, "created_at": NOW - age}
    return a_memory(name, "Wrote a test for it", **(usual | changes))


def scene(plan: Memory, *activities: Memory, cosine: float = 0.8, **changes: Any) -> Snapshot:
    found = {plan.id: tuple((one, cosine) for one in activities)}
    return a_snapshot(plan, *activities, nearest=near(found), **changes)


def status(snapshot: Snapshot) -> object:
    found = CHECK.find(snapshot)
    return found[0].detail["status"] if found else None


def due(left: timedelta | None) -> dict[str, Any]:
    return {"expires_at": None if left is None else NOW + left}


@pytest.mark.parametrize(
    ("age", "left", "expected"),
    [
        (7 * DAY, None, "on_track"),
        (7 * DAY + INSTANT, None, "stalled"),
        (7 * DAY, 3 * DAY, "on_track"),
        (8 * DAY, 14 * DAY - INSTANT, "at_risk"),
        (8 * DAY, 14 * DAY, "stalled"),
        (8 * DAY, 0 * DAY, "at_risk"),
        # A deadline that is past is named only while the plan is on track.
        (8 * DAY, -INSTANT, None),
        (7 * DAY, -INSTANT, "on_track"),
        (7 * DAY, -99 * DAY, "on_track"),
    ],
)
def test_how_a_plan_stands(age: timedelta, left: timedelta | None, expected: str | None):
    plan = a_memory("p", created_at=NOW - 90 * DAY, **due(left))
    assert status(scene(plan, an_activity("a", age))) == expected


def test_one_activity_of_this_week_is_enough():
    old = [an_activity(f"o{n}", LONG_AGO) for n in range(3)]
    assert status(scene(a_memory("p"), *old, an_activity("new"))) == "on_track"


def test_a_plan_without_activity_is_dropped():
    assert CHECK.find(scene(a_memory("p"))) == ()


@pytest.mark.parametrize(
    ("cosine", "expected"), [(0.39, None), (0.4, "on_track"), (1.0, "on_track")]
)
def test_how_like_an_activity_must_be(cosine: float, expected: str | None):
    assert status(scene(a_memory("p"), an_activity("a"), cosine=cosine)) == expected


def test_likeness_is_judged_on_the_common_scale():
    strict = scene(a_memory("p"), an_activity("a"), cosine=0.3, common=lambda cosine: cosine * 1.4)
    assert status(strict) == "on_track"


@pytest.mark.parametrize("kind", MemoryType)
def test_only_activities_are_activity(kind: MemoryType):
    expected = "on_track" if kind is MemoryType.ACTIVITY else None
    assert status(scene(a_memory("p"), an_activity("a", type=kind))) == expected


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({"state": MemoryState.RESOLVED}, True),
        ({"state": MemoryState.STALE}, True),
        ({"state": MemoryState.ARCHIVED}, False),
        ({"origin": Origin.HEARTBEAT}, False),
        ({"owner": "other"}, False),
        ({"created_at": NOW + HOUR}, False),
    ],
)
def test_which_activities_count(changes: dict[str, Any], counts: bool):
    found = CHECK.find(scene(a_memory("p"), an_activity("a", **changes)))
    assert bool(found) is counts


@pytest.mark.parametrize(
    ("changes", "looked_at"),
    [
        ({}, True),
        ({"state": MemoryState.STALE}, True),
        ({"state": MemoryState.RESOLVED}, False),
        ({"state": MemoryState.ARCHIVED}, False),
        ({"type": MemoryType.EVENT}, False),
        ({"origin": Origin.HEARTBEAT}, False),
        ({"owner": "other"}, False),
        ({"confidence": 0.49}, False),
        ({"confidence": 0.5}, True),
        ({"tags": ("cron:daily",)}, False),
        ({"tags": ("cron:dialy",)}, True),
    ],
)
def test_which_plans_are_looked_at(changes: dict[str, Any], looked_at: bool):
    found = CHECK.find(scene(a_memory("p", **changes), an_activity("a")))
    assert bool(found) is looked_at


@pytest.mark.parametrize(("count", "progress"), [(1, 0.1), (3, 0.3), (10, 1.0), (15, 1.0)])
def test_ten_activities_are_a_whole(count: int, progress: float):
    activities = [an_activity(f"a{n:02d}") for n in range(count)]
    (signal,) = CHECK.find(scene(a_memory("p"), *activities))
    assert signal.detail["progress"] == progress


def test_at_most_twenty_candidates_count_and_a_plan_is_none():
    others = [a_memory(f"o{n:02d}") for n in range(5)]
    activities = [an_activity(f"a{n:02d}") for n in range(25)]
    signals = CHECK.find(scene(a_memory("p"), *others, *activities))
    (signal,) = [one for one in signals if one.id == "goal_progress:p"]
    assert signal.detail["activities"] == [f"a{n:02d}" for n in range(20)]


def test_a_deadline_that_is_not_there_is_minus_one():
    def days_left(left: timedelta | None) -> object:
        snapshot = scene(a_memory("p", **due(left)), an_activity("a"))
        return CHECK.find(snapshot)[0].detail["days_left"]

    assert [days_left(left) for left in (None, 2.5 * DAY, -DAY)] == [-1.0, 2.5, 0.0]


def test_what_a_signal_says():
    plan = a_memory("p", "导入改用流式", **due(3 * DAY))
    (signal,) = CHECK.find(scene(plan, an_activity("a", 8 * DAY)))
    assert signal.title == "有风险，还剩 3 天：导入改用流式"
    assert (signal.memories, signal.tier) == ((plan,), Tier.NORMAL)
    assert signal.detail == {
        "status": "at_risk",
        "progress": 0.1,
        "activities": ["a"],
        "days_left": 3.0,
        "expired": False,
    }


def many(count: int, **changes: Any) -> tuple[Signal, ...]:
    done = an_activity("a", LONG_AGO)
    plans = [a_memory(f"p{n:02d}", importance=n / 100, **changes) for n in range(count)]
    found = {plan.id: ((done, 0.9),) for plan in plans}
    return CHECK.find(a_snapshot(*plans, done, nearest=near(found)))


def test_only_twenty_plans_cost_a_search_the_most_important_ones():
    found = many(30)
    assert [signal.id for signal in found] == [f"goal_progress:p{n}" for n in range(29, 9, -1)]


def test_a_near_deadline_is_looked_at_before_what_matters_more():
    done = an_activity("a", LONG_AGO)
    plans = [a_memory(f"p{n:02d}", importance=0.9) for n in range(25)]
    near_one = a_memory("near", importance=0.1, **due(2 * DAY))
    found = {plan.id: ((done, 0.9),) for plan in (*plans, near_one)}
    signals = CHECK.find(a_snapshot(*plans, near_one, done, nearest=near(found)))
    assert (signals[0].id, signals[0].detail["status"]) == ("goal_progress:near", "at_risk")
