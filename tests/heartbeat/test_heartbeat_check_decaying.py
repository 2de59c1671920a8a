"""Important memories that fade."""

from dataclasses import replace
from datetime import timedelta
from math import log
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.heartbeat.checks.decaying import CHECK, FADED
from recalld.memories.decay import decay, strength
from recalld.memories.model import MemoryState, MemoryType
from support.snapshots import DAY, HOUR, INSTANT, NOW, a_memory, a_snapshot

# A plan's strength is 60 days: exp(-t / 60) is .4 after so many.
FADES = -log(0.4) * 60 * DAY


def unused(since: timedelta) -> dict[str, Any]:
    return {"created_at": NOW - 300 * DAY, "accessed_at": NOW - since}


def fires(**changes: Any) -> bool:
    shown = changes.pop("surfaced", {})
    usual: dict[str, Any] = {
        "importance": 0.8,
        "created_at": NOW - 300 * DAY,
        "accessed_at": NOW - 80 * DAY,
    }
    found = CHECK.find(a_snapshot(a_memory("m", **(usual | changes)), surfaced=shown))
    return [signal.id for signal in found] == ["decaying:m"]


@pytest.mark.parametrize(
    ("idle", "expected"),
    [(FADES - HOUR, False), (FADES + HOUR, True), (DAY, False), (200 * DAY, True)],
)
def test_below_two_fifths_it_fires(idle: timedelta, expected: bool):
    assert fires(accessed_at=NOW - idle) is expected


@settings(max_examples=300, deadline=None)
@given(
    share=st.floats(0.88, 0.95) | st.floats(0.0, 40.0),
    stability=st.sampled_from([0.001, 3.0, 60.0, 365.0, 3_650.0]),
    uses=st.sampled_from([0, 1, 7, 500]),
    tags=st.sampled_from([(), ("urgent",), ("CRON:daily:09:00",)]),
)
def test_no_short_cut_finds_anything_else_than_the_curve(
    share: float, stability: float, uses: int, tags: tuple[str, ...]
):
    kept = a_memory("m", stability_days=stability, access_count=uses, tags=tags)
    for whole in (stability, strength(kept)):
        idle = share * whole * DAY
        left = decay(replace(kept, accessed_at=NOW - idle), NOW)
        found = fires(
            stability_days=stability, access_count=uses, tags=tags, accessed_at=NOW - idle
        )
        assert found is (left < FADED)


@pytest.mark.parametrize(("importance", "expected"), [(0.79, False), (0.8, True), (1.0, True)])
def test_it_is_important(importance: float, expected: bool):
    assert fires(importance=importance) is expected


@pytest.mark.parametrize("state", MemoryState)
def test_what_is_closed_may_fade(state: MemoryState):
    assert fires(state=state) is (state in {MemoryState.ACTIVE, MemoryState.STALE})


@pytest.mark.parametrize("kind", MemoryType)
def test_any_type_may_matter(kind: MemoryType):
    assert fires(type=kind)


def test_schedules_never_fade():
    assert not fires(tags=("cron:daily",))


@pytest.mark.parametrize(("confidence", "expected"), [(0.49, False), (0.5, True), (0.0, True)])
def test_it_is_sure(confidence: float, expected: bool):
    assert fires(confidence=confidence) is expected


@pytest.mark.parametrize(("shown", "expected"), [(HOUR - INSTANT, False), (HOUR, True)])
def test_shown_within_the_hour_it_is_silent(shown: timedelta, expected: bool):
    assert fires(surfaced={"m": NOW - shown}) is expected


def test_what_a_signal_says_and_in_which_order():
    usual = unused(90 * DAY)
    memories = [
        a_memory("a", "密钥每年更换", importance=0.8, **usual),
        a_memory("b", "Rotate the keys", importance=0.9, **usual),
    ]
    first, second = CHECK.find(a_snapshot(*memories))
    assert (first.title, second.title) == (
        "Important and fading: Rotate the keys",
        "重要但快要淡忘：密钥每年更换",
    )
    assert first.detail == {"decay": 0.22, "importance": 0.9, "days_since_access": 90.0}


def test_over_twenty_are_counted():
    old = {"importance": 0.9, **unused(99 * DAY)}
    found = CHECK.find(a_snapshot(*(a_memory(f"m{n}", **old) for n in range(22))))
    assert (len(found), found[0].detail["left_out"]) == (20, 2)
