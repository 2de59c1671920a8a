"""Fading: monotone, bounded, by the table; the states follow it, and twice is as once."""

from dataclasses import replace
from datetime import timedelta
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.memories.decay import (
    BURST_GROWTH,
    MAX_STABILITY_DAYS,
    NATURES,
    accessed,
    burst_boost,
    decay,
    is_over,
    next_state,
)
from recalld.memories.model import Memory, MemoryState, MemoryType
from support.memory_world import AT, memory

DAY = timedelta(days=1)
SPANS = st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=20_000))
STATES = st.sampled_from(list(MemoryState))
MEMORIES = st.builds(
    memory,
    type=st.sampled_from(list(MemoryType)),
    state=STATES,
    stability_days=st.floats(0.01, MAX_STABILITY_DAYS),
    access_count=st.integers(0, 10_000),
    accessed_at=st.timedeltas(timedelta(-9_000), timedelta(9_000)).map(lambda by: AT + by),
    state_since=st.none() | st.timedeltas(timedelta(-9_000), timedelta(0)).map(lambda by: AT + by),
    tags=st.sampled_from([(), ("cron:daily",), ("work",)]),
)
ORDER = list(MemoryState)


def test_types_start_with_the_stability_and_importance_of_the_table():
    assert {
        kind.value: (nature.stability_days, nature.importance) for kind, nature in NATURES.items()
    } == {
        "IDENTITY": (365, 0.8),
        "PREFERENCE": (270, 0.6),
        "RELATIONSHIP": (270, 0.7),
        "EVENT": (120, 0.5),
        "ACTIVITY": (90, 0.5),
        "PLAN": (60, 0.5),
        "CONTEXT": (21, 0.3),
        "EPHEMERAL": (3, 0.2),
    }


@pytest.mark.parametrize(
    ("days", "stability", "accesses"), [(0, 60, 0), (60, 60, 0), (60, 60, 10), (7, 3, 1), (1, 1, 0)]
)
def test_decay_is_the_formula(days: int, stability: float, accesses: int):
    one = memory(stability_days=float(stability), access_count=accesses)
    wanted = exp(-days / (stability * (1 + 0.5 * log(1 + accesses))))
    assert decay(one, AT + days * DAY) == pytest.approx(wanted)


@given(MEMORIES, SPANS, SPANS)
def test_decay_is_a_share_and_never_rises_by_waiting(
    one: Memory, first: timedelta, more: timedelta
):
    early, late = decay(one, AT + first), decay(one, AT + first + more)
    assert 0.0 <= late <= early <= 1.0


@given(MEMORIES, SPANS)
def test_more_use_and_more_stability_never_fade_faster(one: Memory, after: timedelta):
    now = AT + after
    assert decay(replace(one, access_count=one.access_count + 1), now) >= decay(one, now)
    assert decay(replace(one, stability_days=one.stability_days * 2), now) >= decay(one, now)


@given(MEMORIES, SPANS)
def test_a_scheduled_memory_never_fades(one: Memory, after: timedelta):
    scheduled = replace(one, tags=("work", "CRON:weekly:mon:09:00"), state=MemoryState.ACTIVE)
    assert decay(scheduled, AT + after) == 1.0
    assert next_state(scheduled, AT + after) is None


@pytest.mark.parametrize(
    ("left", "state", "wanted"),
    [
        (0.31, MemoryState.ACTIVE, None),
        (0.29, MemoryState.ACTIVE, MemoryState.STALE),
        (0.11, MemoryState.ACTIVE, MemoryState.STALE),
        (0.09, MemoryState.ACTIVE, MemoryState.ARCHIVED),
        (0.011, MemoryState.STALE, MemoryState.ARCHIVED),
        (0.009, MemoryState.STALE, MemoryState.DELETED),
        (0.29, MemoryState.STALE, None),
        (0.31, MemoryState.STALE, MemoryState.ACTIVE),
        (0.29, MemoryState.RESOLVED, None),
        (0.09, MemoryState.RESOLVED, MemoryState.ARCHIVED),
        (0.009, MemoryState.RESOLVED, MemoryState.DELETED),
        (0.99, MemoryState.RESOLVED, None),
        (0.99, MemoryState.ARCHIVED, None),
        (0.02, MemoryState.ARCHIVED, None),
        (0.009, MemoryState.ARCHIVED, MemoryState.DELETED),
        (0.99, MemoryState.DELETED, None),
    ],
)
def test_states_follow_what_is_left(left: float, state: MemoryState, wanted: MemoryState | None):
    one = memory(state=state, stability_days=10.0)
    now = AT - 10 * log(left) * DAY
    assert next_state(replace(one, state_since=now), now) is wanted


def test_a_stale_memory_is_archived_after_thirty_days_unless_it_was_used():
    stale = memory(state=MemoryState.STALE, stability_days=60.0, state_since=AT + 73 * DAY)
    assert next_state(stale, AT + (73 + 29) * DAY) is None
    assert next_state(stale, AT + (73 + 30) * DAY) is MemoryState.ARCHIVED
    used = accessed(stale, AT + (73 + 30) * DAY)
    assert next_state(used, AT + (73 + 30) * DAY) is MemoryState.ACTIVE


def test_a_deleted_memory_is_over_after_ninety_days():
    gone = memory(state=MemoryState.DELETED, state_since=AT)
    assert not is_over(gone, AT + 90 * DAY - timedelta(seconds=1))
    assert is_over(gone, AT + 90 * DAY)
    assert not is_over(replace(gone, state=MemoryState.ARCHIVED), AT + 999 * DAY)


@given(MEMORIES, SPANS, SPANS)
def test_time_alone_moves_a_memory_onward_only_and_twice_is_as_once(
    one: Memory, first: timedelta, more: timedelta
):
    now = AT + first
    wanted = next_state(one, now)
    moved = replace(one, state=wanted, state_since=now) if wanted else one
    assert next_state(moved, now) is None
    later = next_state(moved, now + more)
    assert later is None or ORDER.index(later) > ORDER.index(moved.state)
    if one.state is MemoryState.RESOLVED:
        assert wanted in (None, MemoryState.ARCHIVED, MemoryState.DELETED)
        assert later in (None, MemoryState.ARCHIVED, MemoryState.DELETED)


@pytest.mark.parametrize(
    ("gap", "growth"),
    [
        (timedelta(0), 1.10),
        (timedelta(hours=23), 1.10),
        (timedelta(days=1), 1.20),
        (timedelta(days=6), 1.20),
        (timedelta(days=7), 1.35),
        (timedelta(days=29), 1.35),
        (timedelta(days=30), 1.60),
        (timedelta(days=900), 1.60),
    ],
)
def test_a_use_makes_it_last_longer_by_the_time_since_the_one_before(gap: timedelta, growth: float):
    used = accessed(memory(stability_days=60.0), AT + gap)
    assert used.stability_days == pytest.approx(60 * growth)
    assert (used.access_count, used.accessed_at) == (1, AT + gap)


def test_the_uses_of_a_busy_day_add_fifteen_percent_together():
    one = first = accessed(memory(stability_days=60.0), AT + 10 * DAY)
    for minute in range(1, 60):
        one = accessed(one, AT + 10 * DAY + timedelta(minutes=minute))
    assert one.stability_days == pytest.approx(first.stability_days * BURST_GROWTH)
    assert one.burst_count == 60


def test_a_burst_raises_importance_from_three_uses_and_is_over_after_a_day():
    one = memory()
    boosts = []
    for minute in range(30):
        one = accessed(one, AT + timedelta(minutes=minute))
        boosts.append(burst_boost(one, one.accessed_at))
    assert boosts[:3] == [0.0, 0.0, pytest.approx(0.045)]
    assert boosts[-1] == 0.3
    assert burst_boost(one, AT + DAY) == 0.0


@given(MEMORIES, st.lists(SPANS, max_size=30))
def test_use_keeps_every_bound(one: Memory, gaps: list[timedelta]):
    now = AT
    for gap in gaps:
        now += gap
        before = one
        one = accessed(one, now)
        assert one.stability_days >= before.stability_days
        assert one.stability_days <= max(MAX_STABILITY_DAYS, before.stability_days)
        assert one.accessed_at >= before.accessed_at
        assert 0.0 <= burst_boost(one, now) <= 0.3
    assert one.access_count >= len(gaps)


def test_a_clock_set_back_makes_nothing_young_or_old():
    one = accessed(memory(), AT + 5 * DAY)
    back = accessed(one, AT)
    assert back.accessed_at == AT + 5 * DAY
    assert decay(back, AT) == 1.0
