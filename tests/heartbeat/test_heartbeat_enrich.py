"""Which signal memories are asked for, what may be related, and how little of it is told."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.heartbeat.enrich import (
    EACH,
    IN_ALL,
    MAX_ASKED,
    OVER_FETCH,
    eligible,
    merge,
    pick,
    signal_memories,
    wanted,
)
from recalld.heartbeat.model import Tier
from recalld.memories.model import MemoryState, MemoryType, Origin
from support.relating import a_past, a_related, a_signal, asked_for, similar
from support.snapshots import DAY, HOUR, NOW, a_memory

MAY_BE_RELATED = {MemoryType.ACTIVITY, MemoryType.PLAN, MemoryType.EVENT}
MAY_STILL_COUNT = {MemoryState.ACTIVE, MemoryState.STALE, MemoryState.RESOLVED}


def ids(found) -> list[str]:
    return [one.memory.id for one in found]


def test_s1_7_the_three_most_urgent_signal_memories_are_asked_for():
    signals = [
        a_signal(a_memory("low", importance=1.0), tier=Tier.LOW),
        a_signal(a_memory("normal"), tier=Tier.NORMAL),
        a_signal(a_memory("now", importance=0.0), tier=Tier.IMMEDIATE),
        a_signal(a_memory("soon"), tier=Tier.ELEVATED),
    ]
    assert ids(pick(signals)) == ["now", "soon", "normal"]
    assert [one.tier for one in pick(signals)] == [Tier.IMMEDIATE, Tier.ELEVATED, Tier.NORMAL]


def test_s1_7_inside_a_tier_importance_then_the_newer_then_the_id():
    signal = a_signal(
        a_memory("d", importance=0.9, created_at=NOW - DAY),
        a_memory("c", importance=0.5, created_at=NOW - DAY),
        a_memory("b", importance=0.5, created_at=NOW - HOUR),
        a_memory("a", importance=0.5, created_at=NOW - HOUR),
    )
    assert ids(pick([signal])) == ["d", "a", "b"]


def test_s1_7_a_memory_of_several_signals_counts_once_at_its_best_tier():
    twice = a_memory("twice")
    signals = [
        a_signal(twice, tier=Tier.LOW, name="decaying"),
        a_signal(a_memory("once"), tier=Tier.NORMAL),
        a_signal(twice, tier=Tier.ELEVATED, name="deadlines"),
        a_signal(twice, tier=Tier.ELEVATED, name="conflicts"),
    ]
    found = pick(signals)
    assert ids(found) == ["twice", "once"]
    assert found[0].signal_id == "conflicts:twice"


@given(st.data())
def test_s1_7_the_order_of_the_signals_changes_nothing(data: st.DataObject):
    names = "abcdef"
    signals = [
        a_signal(
            *[
                a_memory(name, importance=names.index(name) % 2 / 2)
                for name in data.draw(st.lists(st.sampled_from(names), max_size=3, unique=True))
            ],
            tier=data.draw(st.sampled_from(list(Tier))),
            name=check,
        )
        for check in ("one", "two", "three")
    ]
    assert pick(signals) == pick(data.draw(st.permutations(signals)))
    assert len(pick(signals)) <= MAX_ASKED


def test_s1_8_and_s1_9_the_search_is_for_more_than_is_told():
    asked = asked_for(a_memory("m"), "other")
    assert wanted(asked).types == MAY_BE_RELATED
    assert wanted(asked).states == MAY_STILL_COUNT
    assert wanted(asked).exclude_ids == {"m", "other"}
    assert OVER_FETCH > IN_ALL


@pytest.mark.parametrize("kind", list(MemoryType))
def test_s1_11_only_activities_plans_and_events(kind: MemoryType):
    found = eligible(asked_for(a_memory("m")), similar([a_past("p", type=kind)]))
    assert bool(found) is (kind in MAY_BE_RELATED)


@pytest.mark.parametrize("state", list(MemoryState))
def test_s1_2_and_s1_12_resolved_ones_too_but_nothing_archived_or_deleted(state: MemoryState):
    found = eligible(asked_for(a_memory("m")), similar([a_past("p", state=state)]))
    assert bool(found) is (state in MAY_STILL_COUNT)


def test_s1_13_never_itself_nor_another_signal_of_the_tick():
    first, second, third = (a_memory(name, session=name) for name in ("x", "y", "z"))
    signals = [a_signal(first, second), a_signal(third, tier=Tier.LOW)]
    assert signal_memories(signals) == {"x", "y", "z"}
    for asked in pick(signals):
        assert not eligible(asked, similar([first, second, third]))


def test_s1_13_signals_that_are_not_asked_for_are_no_past_either():
    several = [a_memory(f"m{at}", session=f"s{at}") for at in range(5)]
    (asked, *_) = pick([a_signal(one) for one in several])
    assert len(pick([a_signal(one) for one in several])) == MAX_ASKED
    assert not eligible(asked, similar(several))


@pytest.mark.parametrize(
    ("signal", "other", "may"),
    [
        ("s1", "s1", False),
        ("s1", "s2", True),
        ("s1", None, True),
        (None, "s1", True),
        (None, None, True),
    ],
)
def test_s1_26_only_the_same_known_session_is_ruled_out(
    signal: str | None, other: str | None, may: bool
):
    found = eligible(
        asked_for(a_memory("m", session=signal)), similar([a_past("p", session=other)])
    )
    assert bool(found) is may


def test_b9_9_what_a_heartbeat_said_is_no_past():
    said = a_past("p", origin=Origin.HEARTBEAT)
    assert not eligible(asked_for(a_memory("m")), similar([said]))


def test_s1_14_a_memory_found_twice_counts_once_with_its_best_score():
    shared, other = a_past("shared"), a_past("other")
    found = merge(
        [
            [a_related(shared, 0.6, "plans:one"), a_related(other, 0.55, "plans:one")],
            [a_related(shared, 0.8, "plans:two")],
            [],
        ]
    )
    assert [(one.memory.id, one.score, one.signal_id) for one in found] == [
        ("shared", 0.8, "plans:two"),
        ("other", 0.55, "plans:one"),
    ]


def test_s1_14_of_equal_scores_the_more_urgent_signal_has_it():
    found = merge([[a_related(a_past("p"), 0.6, "one")], [a_related(a_past("p"), 0.6, "two")]])
    assert [one.signal_id for one in found] == ["one"]


def test_s1_24_three_of_each_signal_and_nine_in_all():
    several = [
        [a_related(a_past(f"{signal}{at}"), 0.9 - at / 100) for at in range(5)]
        for signal in range(4)
    ]
    found = merge(several)
    assert len(found) == IN_ALL
    assert {one.memory.id for one in found} == {f"{s}{at}" for s in range(3) for at in range(EACH)}


def test_s1_31_signals_without_memories_ask_nothing_and_do_not_count():
    mood = [a_signal(name=f"sentiment{at}", tier=Tier.IMMEDIATE) for at in range(4)]
    assert ids(pick([*mood, a_signal(a_memory("m"), tier=Tier.LOW)])) == ["m"]
    assert pick(mood) == ()
    assert pick([]) == ()


def test_what_is_found_twice_is_looked_at_once_as_the_nearer():
    found = [*similar([a_past("p")], 0.2), *similar([a_past("p")], 0.7), *similar([a_past("a")])]
    random.Random(1).shuffle(found)
    passing = eligible(asked_for(a_memory("m")), found)
    assert [(one.memory.id, one.similarity) for one in passing] == [("a", 0.5), ("p", 0.7)]
