"""Deadlines: within a day and overdue, shown again only where nothing else is left."""

from datetime import timedelta
from typing import Any

import pytest

from recalld.heartbeat.checks.deadlines import CHECK
from recalld.heartbeat.model import Tier
from recalld.memories.model import Memory, MemoryState, MemoryType
from support.snapshots import DAY, HOUR, INSTANT, MINUTE, NOW, a_memory, a_snapshot


def fired(*memories: Memory, **changes: Any) -> list[str]:
    found = CHECK.find(a_snapshot(*memories, **changes))
    return [signal.id for signal in found]


@pytest.mark.parametrize(
    ("left", "fires"),
    [
        (DAY + INSTANT, False),
        (DAY, False),  # before now + 24 h, not at it
        (DAY - INSTANT, True),
        (0 * DAY, True),
        (-INSTANT, True),
        (-400 * DAY, True),
    ],
)
def test_it_fires_before_a_day_from_now_and_when_overdue(left: timedelta, fires: bool):
    assert bool(fired(a_memory("m", expires_at=NOW + left))) is fires


@pytest.mark.parametrize("kind", MemoryType)
def test_any_type_may_have_a_date(kind: MemoryType):
    assert fired(a_memory("m", type=kind, expires_at=NOW)) == ["deadlines:m"]


@pytest.mark.parametrize("state", MemoryState)
def test_only_what_is_active_fires(state: MemoryState):
    fires = state is MemoryState.ACTIVE
    assert bool(fired(a_memory("m", state=state, expires_at=NOW))) is fires


@pytest.mark.parametrize(
    ("confidence", "fires"), [(0.0, True), (0.49, False), (0.5, True), (1.0, True)]
)
def test_what_is_doubted_stays_silent(confidence: float, fires: bool):
    assert bool(fired(a_memory("m", confidence=confidence, expires_at=NOW))) is fires


@pytest.mark.parametrize(
    ("left", "content", "title"),
    [
        (3 * HOUR, "Ship it", "Due in 3 hours: Ship it"),
        (HOUR, "Ship it", "Due in 1 hour: Ship it"),
        (59 * MINUTE, "Ship it", "Due in 59 minutes: Ship it"),
        (0 * HOUR, "Ship it", "Due in 1 minute: Ship it"),
        (-2 * DAY, "Ship it", "Overdue by 2 days: Ship it"),
        (3 * HOUR, "提交报告", "还剩 3 小时：提交报告"),
        (-5 * DAY, "提交报告", "已逾期 5 天：提交报告"),
    ],
)
def test_the_title_says_how_long_in_the_memorys_language(left: timedelta, content: str, title: str):
    (signal,) = CHECK.find(a_snapshot(a_memory("m", content, expires_at=NOW + left)))
    assert signal.title == title
    assert signal.tier is Tier.IMMEDIATE
    assert signal.detail == {
        "expires_at": (NOW + left).isoformat(),
        "hours_left": round(left / HOUR, 2),
        "overdue": left < 0 * HOUR,
    }


def test_the_earliest_comes_first_then_the_most_important_then_by_id():
    memories = [
        a_memory("a", expires_at=NOW + HOUR),
        a_memory("b", expires_at=NOW - HOUR),
        a_memory("d", expires_at=NOW + HOUR, importance=0.9),
        a_memory("c", expires_at=NOW + HOUR),
    ]
    assert fired(*memories) == [f"deadlines:{name}" for name in "bdac"]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [(HOUR - INSTANT, ["deadlines:b"]), (HOUR, ["deadlines:a", "deadlines:b"])],
)
def test_what_was_shown_within_the_hour_steps_back(shown: timedelta, expected: list[str]):
    both = [a_memory("a", expires_at=NOW), a_memory("b", expires_at=NOW + HOUR)]
    assert fired(*both, surfaced={"a": NOW - shown}) == expected


def test_but_not_where_that_would_leave_none():
    both = [a_memory("a", expires_at=NOW), a_memory("b", expires_at=NOW + HOUR)]
    shown = {"a": NOW, "b": NOW}
    assert fired(*both, surfaced=shown) == ["deadlines:a", "deadlines:b"]


def test_over_twenty_are_counted():
    found = CHECK.find(a_snapshot(*(a_memory(f"m{n}", expires_at=NOW) for n in range(21))))
    assert (len(found), found[0].detail["left_out"]) == (20, 1)
