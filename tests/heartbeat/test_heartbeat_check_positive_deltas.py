"""What is better than at the last act."""

from datetime import timedelta
from typing import Any

import pytest

from recalld.heartbeat.checks.positive_deltas import CHECK
from recalld.heartbeat.model import Message, Snapshot, State, Tier
from recalld.heartbeat.standing import state_of
from recalld.memories.model import Memory, MemoryState, MemoryType
from support.snapshots import DAY, HOUR, NOW, a_memory, a_snapshot, near


def last(**changes: Any) -> State:
    return State(at=NOW - DAY, memories=0, **changes)


def activities(count: int) -> list[Memory]:
    kind = MemoryType.ACTIVITY
    return [a_memory(f"a{n:02d}", f"Did part {n}", type=kind) for n in range(count)]


def a_plan_with(count: int, before: State | None, **changes: Any) -> Snapshot:
    plan, done = a_memory("p", **changes), activities(count)
    found = {"p": tuple((one, 0.9) for one in done)}
    return a_snapshot(plan, *done, nearest=near(found), last_state=before)


def kinds(snapshot: Snapshot) -> list[object]:
    return [signal.detail["kind"] for signal in CHECK.find(snapshot)]


@pytest.mark.parametrize(
    ("before", "count", "fires"),
    [(0.0, 0, False), (0.0, 1, True), (0.3, 3, False), (0.3, 4, True), (0.3, 2, False)],
)
def test_a_plan_that_went_on(before: float, count: int, fires: bool):
    found = CHECK.find(a_plan_with(count, last(goals={"p": before})))
    assert [signal.id for signal in found] == (["positive_deltas:p"] if fires else [])


def test_a_plan_the_last_act_did_not_know_is_not_better():
    assert kinds(a_plan_with(3, last(goals={"other": 0.0}))) == []


def test_before_a_first_act_nothing_is_better():
    assert kinds(a_plan_with(3, None)) == []


def test_a_closed_plan_is_no_news():
    closed = a_plan_with(3, last(goals={"p": 0.0}), state=MemoryState.RESOLVED)
    assert kinds(closed) == []


def test_what_an_act_keeps_is_compared_with():
    kept = state_of(a_plan_with(2, None))
    assert kept.goals == {"p": 0.2}
    assert kinds(a_plan_with(2, kept)) == []
    assert kinds(a_plan_with(3, kept)) == ["goal_improved"]
    nothing_yet = state_of(a_plan_with(0, None))
    assert kinds(a_plan_with(1, nothing_yet)) == ["goal_improved"]


def mentioned(age: timedelta, before: float, name: str = "Ann") -> Snapshot:
    memory = a_memory("m", "Ann wrote", type=MemoryType.EVENT, created_at=NOW - age)
    state = last(silent_days={name: before})
    return a_snapshot(memory, entities={"m": (name,)}, last_state=state)


@pytest.mark.parametrize(
    ("age", "before", "fires"),
    [
        (DAY, 7.0, False),  # silent for more than seven days
        (DAY, 7.01, True),
        (5 * DAY, 10.0, False),  # now less than half
        (5 * DAY - HOUR, 10.0, True),
        (9 * DAY, 20.0, True),
    ],
)
def test_somebody_who_is_back(age: timedelta, before: float, fires: bool):
    found = CHECK.find(mentioned(age, before))
    assert [signal.id for signal in found] == (["positive_deltas:entity:Ann"] if fires else [])


def test_somebody_new_is_not_back():
    snapshot = mentioned(DAY, 30.0)
    assert kinds(a_snapshot(*snapshot.said, entities={"m": ("Bo",)}, last_state=last())) == []


def moods(recent: float, before: float = 0.0) -> Snapshot:
    values = [0.1, 0.1, 0.1, recent, recent, recent]
    said = [
        Message(at=NOW - HOUR + n * timedelta(minutes=1), session="s1", sentiment=value)
        for n, value in enumerate(values)
    ]
    return a_snapshot(messages=tuple(said), last_state=last(sentiment=before))


@pytest.mark.parametrize(
    ("recent", "before", "fires"),
    [(0.5, 0.25, False), (0.75, 0.25, True), (0.5, -0.5, True), (-0.5, 0.5, False)],
)
def test_a_better_mood(recent: float, before: float, fires: bool):
    assert kinds(moods(recent, before)) == (["sentiment_improved"] if fires else [])


def test_too_few_messages_have_no_mood():
    messages = tuple(Message(at=NOW, session="s", sentiment=0.9) for _ in range(5))
    assert kinds(a_snapshot(messages=messages, last_state=last(sentiment=-0.9))) == []


def test_what_each_says():
    plan = a_plan_with(4, last(goals={"p": 0.2}), content="改写导入")
    (goal,) = CHECK.find(plan)
    assert (goal.title, goal.tier) == ("有进展：改写导入", Tier.NORMAL)
    assert goal.detail == {"kind": "goal_improved", "progress": 0.4, "before": 0.2}
    (entity,) = CHECK.find(mentioned(DAY, 21.5, "王芳"))
    assert entity.title == "时隔 21 天又有消息：王芳"
    assert entity.detail == {
        "kind": "entity_reengaged",
        "entity": "王芳",
        "days_silent": 1.0,
        "days_silent_before": 21.5,
    }
    (mood,) = CHECK.find(moods(0.9))
    assert (mood.title, mood.memories) == ("The mood is better than before", ())


def test_over_twenty_are_counted():
    memories = [a_memory(f"m{n}", created_at=NOW - HOUR) for n in range(25)]
    names = {one.id: (f"name {n:02d}",) for n, one in enumerate(memories)}
    state = last(silent_days={f"name {n:02d}": 30.0 for n in range(25)})
    found = CHECK.find(a_snapshot(*memories, entities=names, last_state=state))
    assert (len(found), found[0].detail["left_out"]) == (20, 5)
