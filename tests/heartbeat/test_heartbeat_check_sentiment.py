"""Changes of mood and strong feelings."""

from datetime import timedelta
from typing import Any

import pytest

from recalld.heartbeat.checks.sentiment import CHECK
from recalld.heartbeat.model import Message, Snapshot, Tier
from support.snapshots import HOUR, MINUTE, NOW, a_memory, a_snapshot


def felt(*values: float, start: timedelta = HOUR, **changes: Any) -> Snapshot:
    messages = tuple(
        Message(at=NOW - start + n * MINUTE, session="s1", sentiment=value)
        for n, value in enumerate(values)
    )
    return a_snapshot(messages=messages, **changes)


def ids(snapshot: Snapshot) -> list[str]:
    return [signal.id for signal in CHECK.find(snapshot)]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # Halves of three; the difference has to be over .3.
        ((0.1, 0.1, 0.1, 0.5, 0.5, 0.5), "improving"),
        ((0.25, 0.25, 0.25, 0.5, 0.5, 0.5), None),
        ((0.5, 0.5, 0.5, 0.1, 0.1, 0.1), "declining"),
        ((0.5, 0.5, 0.5, 0.25, 0.25, 0.25), None),
        ((-0.2, -0.2, -0.2, 0.2, 0.2, 0.2), "improving"),
        # Over .7 is notable, either way; a change says more.
        ((0.7, 0.7, 0.7, 0.7, 0.7, 0.7), None),
        ((0.71, 0.6, 0.6, 0.6, 0.6, 0.6), "notable"),
        ((-0.6, -0.6, -0.6, -0.6, -0.6, -0.71), "notable"),
        ((0.1, 0.1, 0.1, 0.9, 0.9, 0.9), "improving"),
        ((0.1, 0.1, 0.1, 0.1, 0.1, 0.1), None),
    ],
)
def test_which_way(values: tuple[float, ...], expected: str | None):
    assert ids(felt(*values)) == ([] if expected is None else [f"sentiment:{expected}"])


def test_six_messages_with_a_feeling_are_needed():
    assert ids(felt(-0.9, -0.9, 0.9, 0.9, 0.9)) == []
    assert ids(felt(-0.9, 0.0, -0.9, 0.0, -0.9, 0.9, 0.0, 0.9)) == []
    assert ids(felt(-0.9, 0.0, -0.9, 0.0, -0.9, 0.9, 0.0, 0.9, 0.9)) == ["sentiment:improving"]


def test_only_the_last_forty_messages_count():
    calm = [0.0] * 34
    assert ids(felt(-0.9, -0.9, -0.9, 0.9, 0.9, 0.9, *calm)) == ["sentiment:improving"]
    assert ids(felt(-0.9, -0.9, -0.9, 0.9, 0.9, 0.9, *calm, 0.0)) == []


def test_messages_of_the_future_are_not_heard_yet():
    assert ids(felt(-0.9, -0.9, -0.9, 0.9, 0.9, 0.9, start=2 * MINUTE)) == []


def test_of_an_odd_number_the_middle_is_the_older_halfs():
    (signal,) = CHECK.find(felt(0.1, 0.1, 0.1, 0.9, 0.9, 0.9, 0.9))
    assert (signal.detail["before"], signal.detail["recent"]) == (0.3, 0.9)


@pytest.mark.parametrize(
    ("content", "title"), [("Wrote it", "The mood is declining"), ("写好了", "情绪在变差")]
)
def test_what_it_says_in_the_users_language(content: str, title: str):
    snapshot = felt(0.8, 0.5, 0.5, 0.1, 0.1, 0.1)
    (signal,) = CHECK.find(a_snapshot(a_memory("m", content), messages=snapshot.messages, now=NOW))
    assert (signal.title, signal.tier, signal.memories) == (title, Tier.LOW, ())
    assert signal.detail == {
        "direction": "declining",
        "recent": 0.1,
        "before": 0.6,
        "change": -0.5,
        "messages": 6,
        "notable": [{"at": (NOW - HOUR).isoformat(), "sentiment": 0.8}],
    }
