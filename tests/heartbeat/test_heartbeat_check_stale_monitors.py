"""Plans to keep watch that nobody keeps."""

from datetime import timedelta
from typing import Any

import pytest

from recalld.heartbeat.checks.stale_monitors import CHECK
from recalld.memories.model import MemoryState, MemoryType
from support.snapshots import DAY, HOUR, INSTANT, NOW, a_memory, a_snapshot


def fires(**changes: Any) -> bool:
    shown = changes.pop("surfaced", {})
    usual: dict[str, Any] = {"tags": ("monitor",), "accessed_at": NOW - 2 * DAY}
    found = CHECK.find(a_snapshot(a_memory("m", **(usual | changes)), surfaced=shown))
    return [signal.id for signal in found] == ["stale_monitors:m"]


@pytest.mark.parametrize(
    ("unseen", "expected"),
    [(DAY - INSTANT, False), (DAY, False), (DAY + INSTANT, True), (99 * DAY, True)],
)
def test_after_more_than_a_day(unseen: timedelta, expected: bool):
    assert fires(accessed_at=NOW - unseen) is expected


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (("monitor",), True),
        (("x", "Monitor"), True),
        (("监控",), True),
        (("監控",), True),
        (("monitoring",), False),
        (("monitor-ci",), False),
        ((), False),
    ],
)
def test_only_what_is_tagged(tags: tuple[str, ...], expected: bool):
    assert fires(tags=tags) is expected


@pytest.mark.parametrize("kind", MemoryType)
def test_only_plans(kind: MemoryType):
    assert fires(type=kind) is (kind is MemoryType.PLAN)


@pytest.mark.parametrize("state", MemoryState)
def test_only_what_is_still_to_be_watched(state: MemoryState):
    assert fires(state=state) is (state in {MemoryState.ACTIVE, MemoryState.STALE})


@pytest.mark.parametrize(("confidence", "expected"), [(0.49, False), (0.5, True), (0.0, True)])
def test_it_is_sure(confidence: float, expected: bool):
    assert fires(confidence=confidence) is expected


@pytest.mark.parametrize(("shown", "expected"), [(HOUR - INSTANT, False), (HOUR, True)])
def test_shown_within_the_hour_it_is_silent(shown: timedelta, expected: bool):
    assert fires(surfaced={"m": NOW - shown}) is expected


def test_the_longest_unseen_comes_first_and_the_rest_is_counted():
    memories = [
        a_memory(f"m{n:02d}", "看看 CI", tags=("监控",), accessed_at=NOW - (n + 2) * DAY)
        for n in range(21)
    ]
    found = CHECK.find(a_snapshot(*memories))
    assert found[0].id == "stale_monitors:m20"
    assert found[0].title == "已有 22 天没有查看：看看 CI"
    assert found[0].detail == {"hours_since_access": 528.0, "left_out": 1}
