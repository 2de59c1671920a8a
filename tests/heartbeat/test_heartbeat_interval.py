"""When the next tick is."""

from dataclasses import replace

import pytest

from recalld.heartbeat.interval import backoff, interval_s
from recalld.heartbeat.model import ActState, Period, Reason
from support.heartbeat_scene import a_scene, a_signal, an_act, decided
from support.snapshots import MINUTE

PENDING = a_signal("pending_work", "p")
SEEN = decided(PENDING, acts=[an_act(20 * MINUTE, PENDING)])
NOTHING = replace(SEEN, signals=())
MANY = replace(SEEN, signals=tuple(a_signal("pending_work", f"{one}") for one in range(6)))
BUSY = replace(SEEN, signals=(a_signal("memory_velocity"),))


def failed(count: int):
    return [an_act(one * MINUTE, PENDING, state=ActState.FAILED) for one in range(11, 11 + count)]


@pytest.mark.parametrize(
    ("decision", "acts", "expected_s"),
    [
        (SEEN, [], 300),
        (SEEN, [an_act(9 * MINUTE, PENDING)], 150),
        (SEEN, [an_act(10 * MINUTE, PENDING)], 300),
        (SEEN, [an_act(MINUTE, reason=Reason.NUDGE)], 150),
        (replace(SEEN, act=True), [], 150),
        (NOTHING, [], 450),
        (MANY, [], 150),
        (replace(MANY, signals=MANY.signals[:5]), [], 300),
        (BUSY, [], 150),
        (replace(BUSY, signals=(*BUSY.signals, *MANY.signals), act=True), [], 60),
        (replace(SEEN, period=Period.MORNING), [], 150),
        (replace(SEEN, period=Period.EVENING), [], 450),
        (replace(SEEN, period=Period.QUIET), [], 900),
        (replace(NOTHING, period=Period.LATE_NIGHT), [], 1_350),
        (SEEN, failed(1), 600),
        (SEEN, failed(2), 1_200),
        (SEEN, failed(3), 1_800),
        (replace(NOTHING, period=Period.QUIET), failed(9), 1_800),
    ],
)
def test_b4_the_interval_follows_what_goes_on(decision, acts, expected_s):
    assert interval_s(a_scene(acts=acts), decision, base_s=300) == expected_s


@pytest.mark.parametrize(
    ("failures", "expected"), [(-1, 1), (0, 1), (1, 2), (5, 32), (6, 32), (10**9, 32)]
)
def test_b4_failed_deliveries_double_it_up_to_32_times(failures, expected):
    assert backoff(failures) == expected


@pytest.mark.parametrize("base_s", [60, 300, 3_600])
def test_b4_it_is_never_below_a_minute_or_above_thirty(base_s):
    for decision in (SEEN, NOTHING, MANY, BUSY):
        for period in Period:
            wait = interval_s(a_scene(), replace(decision, period=period), base_s=base_s)
            assert 60 <= wait <= 1_800
