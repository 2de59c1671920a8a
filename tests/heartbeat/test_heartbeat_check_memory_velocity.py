"""Much that is new since the last act. It can fire: the count is kept with the act (hazard 1)."""

from dataclasses import replace
from typing import Any

import pytest

from recalld.heartbeat.checks.memory_velocity import CHECK
from recalld.heartbeat.model import Snapshot, State, Tier
from recalld.heartbeat.standing import state_of
from recalld.memories.model import Memory, MemoryState, Origin
from support.snapshots import DAY, HOUR, INSTANT, NOW, a_memory, a_snapshot

ACT = NOW - DAY


def new(count: int, **changes: Any) -> list[Memory]:
    usual: dict[str, Any] = {"created_at": NOW - HOUR}
    return [a_memory(f"n{n}", **(usual | changes)) for n in range(count)]


def old(count: int) -> list[Memory]:
    return [a_memory(f"o{n}", created_at=NOW - 9 * DAY) for n in range(count)]


def since(*memories: Memory, counted: int) -> Snapshot:
    return a_snapshot(*memories, last_state=State(at=ACT, memories=counted))


@pytest.mark.parametrize(("count", "fires"), [(0, False), (4, False), (5, True), (90, True)])
def test_at_five_new_ones(count: int, fires: bool):
    found = CHECK.find(since(*old(3), *new(count), counted=3))
    assert [signal.id for signal in found] == (["memory_velocity:new"] if fires else [])


def test_before_a_first_act_nothing_is_new():
    assert CHECK.find(a_snapshot(*new(50))) == ()


def test_what_an_act_keeps_is_what_is_counted_here():
    before = replace(a_snapshot(*old(7), *new(2, origin=Origin.HEARTBEAT)), now=ACT)
    kept = state_of(before)
    assert kept.memories == 7
    after = a_snapshot(*old(7), *new(4), last_state=kept)
    assert CHECK.find(after) == ()
    assert CHECK.find(a_snapshot(*old(7), *new(5), last_state=kept)) != ()


@pytest.mark.parametrize(("created", "fires"), [(ACT, False), (ACT + INSTANT, True)])
def test_new_is_later_than_the_act(created: object, fires: bool):
    found = CHECK.find(since(*new(5, created_at=created), counted=5))
    assert bool(found) is fires


def test_forgetting_old_ones_does_not_hide_new_ones():
    assert CHECK.find(since(*new(5), counted=50)) != ()


def test_a_date_of_long_ago_does_not_hide_what_was_just_told():
    assert CHECK.find(since(*new(5, created_at=NOW - 99 * DAY), counted=0)) != ()


@pytest.mark.parametrize(
    ("changes", "fires"),
    [
        ({"origin": Origin.HEARTBEAT}, False),
        ({"owner": "other"}, False),
        ({"state": MemoryState.DELETED}, False),
        ({"state": MemoryState.ARCHIVED}, True),
        ({"created_at": NOW + INSTANT}, False),
    ],
)
def test_whose_memories_count(changes: dict[str, Any], fires: bool):
    assert bool(CHECK.find(since(*new(9, **changes), counted=0))) is fires


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("Wrote it", "6 new memories since the last message"),
        ("写好了", "上次消息以来新增 6 条记忆"),
    ],
)
def test_what_it_says_in_the_users_language(content: str, title: str):
    (signal,) = CHECK.find(since(*new(6, content=content), counted=0))
    assert (signal.title, signal.tier, signal.memories) == (title, Tier.ELEVATED, ())
    assert signal.detail == {"new_memories": 6, "since": ACT.isoformat()}
