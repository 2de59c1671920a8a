"""Who has not been mentioned for a while, the more urgent the more a plan depends on them."""

from datetime import timedelta
from typing import Any

import pytest

from recalld.heartbeat.checks.relationship import CHECK
from recalld.heartbeat.model import Snapshot, Tier
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin
from support.snapshots import DAY, INSTANT, NOW, a_memory, a_snapshot, near


def met(age: timedelta, name: str = "m", **changes: Any) -> Memory:
    usual: dict[str, Any] = {"type": MemoryType.EVENT, "created_at": NOW - age}
    return a_memory(name, "Had lunch with Ann", **(usual | changes))


def a_plan(left: timedelta | None = None, **changes: Any) -> Memory:
    expires = None if left is None else NOW + left
    return a_memory("p", "Write the paper", expires_at=expires, **changes)


def scene(last: Memory, *plans: Memory, cosine: float = 0.4, **changes: Any) -> Snapshot:
    found = {last.id: tuple((plan, cosine) for plan in plans)}
    usual: dict[str, Any] = {"entities": {last.id: ("Ann",)}, "nearest": near(found)}
    return a_snapshot(last, *plans, **(usual | changes))


def level(snapshot: Snapshot) -> object:
    found = CHECK.find(snapshot)
    return found[0].detail["level"] if found else None


@pytest.mark.parametrize(
    ("age", "expected"),
    [(7 * DAY, None), (14 * DAY, None), (14 * DAY + INSTANT, "info"), (400 * DAY, "info")],
)
def test_without_a_plan_only_a_long_silence_is_told(age: timedelta, expected: str | None):
    assert level(scene(met(age))) == expected


@pytest.mark.parametrize(
    ("age", "expected"),
    [(7 * DAY - INSTANT, None), (7 * DAY, "attention"), (30 * DAY, "attention")],
)
def test_with_a_plan_a_week_is(age: timedelta, expected: str | None):
    assert level(scene(met(age), a_plan())) == expected


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        (14 * DAY - INSTANT, "urgent"),
        (14 * DAY, "attention"),
        (-DAY, "urgent"),
        (None, "attention"),
    ],
)
def test_with_a_near_deadline_it_is_urgent(left: timedelta | None, expected: str):
    assert level(scene(met(8 * DAY), a_plan(left))) == expected


@pytest.mark.parametrize(("cosine", "expected"), [(0.39, None), (0.4, "attention")])
def test_how_like_a_plan_must_be(cosine: float, expected: str | None):
    assert level(scene(met(8 * DAY), a_plan(), cosine=cosine)) == expected


def test_a_plan_that_names_them_needs_no_likeness():
    plan = a_plan(created_at=NOW - 8 * DAY)
    found = a_snapshot(met(9 * DAY), plan, entities={"m": ("Ann",), "p": ("Ann",)})
    (signal,) = CHECK.find(found)
    assert (signal.detail["level"], signal.detail["plans"]) == ("attention", ["p"])
    assert signal.memories == (plan,)


@pytest.mark.parametrize(
    "changes",
    [
        {"state": MemoryState.RESOLVED},
        {"state": MemoryState.ARCHIVED},
        {"type": MemoryType.EVENT},
        {"origin": Origin.HEARTBEAT},
        {"owner": "other"},
    ],
)
def test_which_plans_do_not_count(changes: dict[str, Any]):
    assert level(scene(met(8 * DAY), a_plan(**changes))) is None


def test_the_newest_mention_breaks_the_silence():
    both = (met(30 * DAY), met(2 * DAY, "n"))
    assert CHECK.find(a_snapshot(*both, entities={"m": ("Ann",), "n": ("Ann",)})) == ()


@pytest.mark.parametrize(
    "changes", [{"origin": Origin.HEARTBEAT}, {"owner": "other"}, {"created_at": NOW + DAY}]
)
def test_own_words_and_foreign_ones_break_no_silence(changes: dict[str, Any]):
    both = (met(30 * DAY), met(2 * DAY, "n", **changes))
    found = CHECK.find(a_snapshot(*both, entities={"m": ("Ann",), "n": ("Ann",)}))
    assert [signal.id for signal in found] == ["relationship:Ann"]


def test_without_a_graph_nobody_is_known():
    assert CHECK.find(scene(met(90 * DAY), entities={})) == ()


def test_what_a_signal_says():
    last, plan = met(9 * DAY), a_plan(3 * DAY)
    (signal,) = CHECK.find(scene(last, plan, entities={"m": ("王芳",)}))
    assert signal.title == "已有 9 天没有 王芳 的消息"
    assert (signal.memories, signal.tier) == ((plan, last), Tier.LOW)
    assert signal.detail == {
        "entity": "王芳",
        "level": "urgent",
        "days_silent": 9.0,
        "plans": ["p"],
    }
    (english,) = CHECK.find(scene(met(20 * DAY)))
    assert english.title == "Nothing about Ann for 20 days"


def test_what_was_put_away_counts_and_is_not_shown():
    (signal,) = CHECK.find(scene(met(20 * DAY, state=MemoryState.ARCHIVED)))
    assert (signal.id, signal.memories) == ("relationship:Ann", ())


def test_urgent_ones_come_first_then_the_longest_silent_and_the_rest_is_counted():
    memories = [met((20 + n) * DAY, f"m{n:02d}") for n in range(22)]
    near_plan = a_plan(DAY)
    found = near({"m00": ((near_plan, 0.9),)})
    names = {one.id: (one.id.upper(),) for one in memories}
    signals = CHECK.find(a_snapshot(*memories, near_plan, entities=names, nearest=found))
    assert [one.id for one in signals[:3]] == [f"relationship:M{n}" for n in ("00", "21", "20")]
    assert (len(signals), signals[0].detail["left_out"]) == (20, 2)


def test_ten_cost_a_search_those_silent_for_the_shortest_time():
    memories = [met((20 + n) * DAY, f"m{n:02d}") for n in range(22)]
    searched: list[str] = []

    def nearest(memory: Memory) -> tuple[()]:
        searched.append(memory.id)
        return ()

    names = {one.id: (one.id,) for one in memories}
    CHECK.find(a_snapshot(*memories, entities=names, nearest=nearest))
    assert searched == [f"m{n:02d}" for n in range(10)]
