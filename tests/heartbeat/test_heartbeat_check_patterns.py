"""What the user usually does on this day of the week, in the user's own zone."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from recalld.heartbeat.checks.patterns import CHECK
from recalld.heartbeat.model import Snapshot, Tier
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin
from support.snapshots import DAY, HOUR, INSTANT, NOW, a_memory, a_snapshot

WEEK = 7 * DAY


def noted(name: str, age: timedelta, **changes: Any) -> Memory:
    usual: dict[str, Any] = {"type": MemoryType.EVENT, "created_at": NOW - age}
    return a_memory(name, **(usual | changes))


def filler(count: int) -> list[Memory]:
    """Memories of another day of the week, of a type that is not looked for."""
    kind = MemoryType.CONTEXT
    return [noted(f"f{n:02d}", DAY + n * timedelta(minutes=1), type=kind) for n in range(count)]


def habits(*memories: Memory, **changes: Any) -> list[str]:
    found = CHECK.find(a_snapshot(*memories, **changes))
    return [signal.id for signal in found]


@pytest.mark.parametrize(("weeks", "fires"), [(2, False), (3, True), (9, True)])
def test_on_three_such_days(weeks: int, fires: bool):
    some = [noted(f"m{n}", n * WEEK) for n in range(weeks)]
    assert habits(*some, *filler(10)) == (["patterns:2:type:EVENT"] if fires else [])


def test_a_busy_day_is_no_habit():
    some = [noted(f"m{n}", n * timedelta(minutes=1)) for n in range(9)]
    assert habits(*some, *filler(10)) == []
    assert habits(*some, noted("x", WEEK), *filler(10)) == []
    assert habits(*some, noted("x", WEEK), noted("y", 2 * WEEK), *filler(10)) != []


@pytest.mark.parametrize(("others", "fires"), [(6, False), (7, True)])
def test_ten_memories_are_needed(others: int, fires: bool):
    some = [noted(f"m{n}", n * WEEK) for n in range(3)]
    assert bool(habits(*some, *filler(others))) is fires


def test_ninety_days_are_looked_at():
    oldest = 12 * WEEK  # 84 days; the day before it is out of the window
    some = [noted("a", 0 * DAY), noted("b", WEEK), noted("c", oldest)]
    assert habits(*some, *filler(10)) != []
    assert habits(*some[:2], noted("c", oldest + WEEK), *filler(10)) == []
    old = [noted(f"o{n}", 90 * DAY + INSTANT) for n in range(10)]
    assert habits(*some, *old) == []
    assert habits(*some, *[noted(f"o{n}", 90 * DAY) for n in range(10)]) != []


def test_other_days_of_the_week_do_not_count():
    some = [noted(f"m{n}", n * WEEK + DAY) for n in range(3)]
    assert habits(*some, *filler(10)) == []


def test_tags_are_habits_too_whatever_their_case_and_schedules_are_none():
    tags = (("Gym", "cron:weekly"), ("gym",), ("GYM", "gym"))
    kinds = (MemoryType.EVENT, MemoryType.ACTIVITY, MemoryType.PLAN)
    some = [
        noted(f"m{n}", n * WEEK, tags=own, type=kind)
        for n, (own, kind) in enumerate(zip(tags, kinds, strict=True))
    ]
    assert habits(*some, *filler(10)) == ["patterns:2:tag:gym"]


def test_the_day_is_the_users_own():
    # 20:00 in UTC is the next day in Shanghai.
    late = [noted(f"m{n}", n * WEEK, created_at=NOW - n * WEEK - 16 * HOUR) for n in range(3)]
    assert habits(*late, *filler(10)) == []
    assert habits(*late, *filler(10), zone=ZoneInfo("Asia/Shanghai")) == ["patterns:2:type:EVENT"]


def test_days_begin_at_midnight_over_a_change_of_clocks():
    berlin = ZoneInfo("Europe/Berlin")
    now = datetime(2026, 4, 5, 12, tzinfo=berlin).astimezone(UTC)  # a Sunday, a week after
    midnights = [datetime(2026, 3, day, 0, 0, tzinfo=berlin) for day in (15, 22, 29)]
    first = [noted(f"a{n}", DAY, created_at=at) for n, at in enumerate(midnights)]
    assert habits(*first, *filler_before(now), now=now, zone=berlin) == ["patterns:6:type:EVENT"]
    before = [replace_time(one) for one in first]
    assert habits(*before, *filler_before(now), now=now, zone=berlin) == []


def filler_before(now: datetime) -> list[Memory]:
    return [noted(f"f{n}", DAY, created_at=now - DAY, type=MemoryType.CONTEXT) for n in range(10)]


def replace_time(memory: Memory) -> Memory:
    return noted(memory.id, DAY, created_at=memory.created_at - INSTANT)


@pytest.mark.parametrize(
    ("changes", "fires"),
    [
        ({"state": MemoryState.RESOLVED}, True),  # what was done is a habit all the same
        ({"state": MemoryState.ARCHIVED}, True),
        ({"state": MemoryState.DELETED}, False),
        ({"origin": Origin.HEARTBEAT}, False),
        ({"owner": "other"}, False),
    ],
)
def test_whose_memories_count(changes: dict[str, Any], fires: bool):
    some = [noted(f"m{n}", n * WEEK, **changes) for n in range(3)]
    assert bool(habits(*some, *filler(10))) is fires


@pytest.mark.parametrize(("weeks", "confidence"), [(3, 0.3), (10, 1.0), (13, 1.0)])
def test_ten_times_make_it_certain(weeks: int, confidence: float):
    some = [noted(f"m{n:02d}", n * WEEK) for n in range(weeks)]
    (signal,) = CHECK.find(a_snapshot(*some, *filler(10)))
    assert signal.detail["confidence"] == confidence


@pytest.mark.parametrize(
    ("content", "title"),
    [("Wrote it", "Usual on a Wednesday: events"), ("写好了", "周三常有：事件")],
)
def test_what_a_signal_says(content: str, title: str):
    some = [noted(f"m{n}", n * WEEK, content=content) for n in range(3)]
    others = [noted(f"f{n}", DAY, content=content, type=MemoryType.CONTEXT) for n in range(9)]
    (signal,) = CHECK.find(a_snapshot(*some, *others))
    assert (signal.title, signal.tier) == (title, Tier.LOW)
    # The newest of a kind stands for nothing; that of a tag does.
    assert signal.memories == ()
    assert signal.detail == {
        "weekday": 2,
        "kind": "type",
        "name": "EVENT",
        "count": 3,
        "confidence": 0.3,
    }


def test_what_was_put_away_counts_and_is_not_shown():
    for state, shown in ((MemoryState.RESOLVED, ["m0"]), (MemoryState.ARCHIVED, [])):
        some = [noted(f"m{n}", n * WEEK, tags=("gym",), state=state) for n in range(3)]
        (signal, _) = CHECK.find(a_snapshot(*some, *filler(10)))
        assert signal.title == "Usual on a Wednesday: gym"
        assert [memory.id for memory in signal.memories] == shown


def many() -> Snapshot:
    tags = tuple(f"t{n:02d}" for n in range(25))
    return a_snapshot(*(noted(f"m{n}", n * WEEK, tags=tags) for n in range(10)))


def test_the_most_frequent_come_first_and_the_rest_is_counted():
    some = [noted(f"m{n}", n * WEEK, tags=("gym",) if n < 4 else ()) for n in range(10)]
    assert habits(*some) == ["patterns:2:type:EVENT", "patterns:2:tag:gym"]
    found = CHECK.find(many())
    assert (len(found), found[0].detail["left_out"]) == (20, 6)
