"""Which acts count, for how long one waits after them, and when delivery rests."""

from datetime import timedelta

import pytest

from recalld.heartbeat.cooldown import (
    PACES,
    counted,
    failures,
    is_running,
    is_suspended,
    last_about_signals,
    maybe_seen,
    messages_today,
)
from recalld.heartbeat.model import ActState, Autonomy, Period, Reason, Tier
from support.heartbeat_scene import a_signal, an_act
from support.snapshots import DAY, HOUR, INSTANT, MINUTE, NOW, a_snapshot

PENDING = a_signal("pending_work", "p")
ZONE = a_snapshot().zone


def in_state(state: ActState, *ago: timedelta, attempts: int = 1):
    return tuple(an_act(one, PENDING, state=state, attempts=attempts) for one in ago)


def test_b4_every_autonomy_has_its_numbers():
    hours = {
        autonomy: (
            *(pace.cooldowns[tier] / HOUR for tier in (Tier.NORMAL, Tier.ELEVATED, Tier.LOW)),
            None if pace.nudge_after is None else pace.nudge_after / HOUR,
            pace.nudges_per_day,
            pace.nudge_longest / HOUR,
            pace.confluence,
        )
        for autonomy, pace in PACES.items()
    }
    assert hours == {
        Autonomy.OBSERVE: (4, 2, 8, None, 0, 12, 20),
        Autonomy.SUGGEST: (2, 0.5, 4, 4, 3, 24, 12),
        Autonomy.ACT: (0.5, 0.25, 1, 2, 8, 48, 8),
    }
    assert all(pace.cooldowns[Tier.IMMEDIATE] == timedelta(0) for pace in PACES.values())


@pytest.mark.parametrize(
    ("state", "ago", "counts", "seen"),
    [
        (ActState.DELIVERED, MINUTE, True, True),
        (ActState.DELIVERED, 400 * DAY, True, True),
        (ActState.DELIVERED, -DAY, True, True),
        (ActState.DELIVERED, -DAY - INSTANT, False, False),
        (ActState.PREPARED, timedelta(0), True, True),
        (ActState.PREPARED, 30 * MINUTE - INSTANT, True, True),
        (ActState.PREPARED, 30 * MINUTE, False, True),
        (ActState.FAILED, MINUTE, False, False),
    ],
)
def test_an_act_counts_by_its_state(state, ago, counts, seen):
    acts = in_state(state, ago)
    assert bool(counted(acts, NOW)) is counts
    assert bool(maybe_seen(acts, NOW)) is seen


def test_counted_acts_come_newest_first():
    acts = in_state(ActState.DELIVERED, 3 * HOUR, HOUR, 2 * HOUR)
    assert [NOW - act.at for act in counted(acts, NOW)] == [HOUR, 2 * HOUR, 3 * HOUR]


@pytest.mark.parametrize(
    ("reason", "counts"),
    [
        (Reason.ACT, True),
        (Reason.ACT_CONFLUENCE, True),
        (Reason.ACT_STALE_ESCALATED, True),
        (Reason.ACT_DEADLINE_CRITICAL, True),
        (Reason.NUDGE, False),
        (Reason.FIRST_CONTACT, False),
    ],
)
def test_a_wait_is_counted_from_acts_about_signals(reason, counts):
    acts = [an_act(MINUTE, reason=reason), an_act(HOUR, PENDING)]
    assert last_about_signals(acts) is (acts[0] if counts else acts[1])
    assert last_about_signals([]) is None


@pytest.mark.parametrize(
    ("period", "rate", "minutes"),
    [
        (Period.WORKING, None, 60),
        (Period.WORKING, 0.5, 60),
        (Period.WORKING, 0.25, 90),
        (Period.WORKING, 0.0, 120),
        (Period.MORNING, None, 30),
        (Period.EVENING, None, 90),
        (Period.EVENING, 0.0, 180),
        (Period.LATE_NIGHT, None, 180),
        (Period.QUIET, None, 180),
    ],
)
def test_b2_b3_a_wait_is_stretched_by_period_and_answers(period, rate, minutes):
    for ago, runs in ((minutes * MINUTE - INSTANT, True), (minutes * MINUTE, False)):
        last = an_act(ago, PENDING)
        assert is_running(HOUR, last=last, now=NOW, period=period, rate=rate) is runs
    assert not is_running(HOUR, last=None, now=NOW, period=period, rate=rate)


def test_messages_are_counted_by_the_day():
    acts = in_state(ActState.DELIVERED, timedelta(0), 12 * HOUR, 12 * HOUR + INSTANT)
    assert messages_today(acts, NOW, ZONE) == 2


def test_b4_failures_are_counted_back_to_the_last_success():
    failed = in_state(ActState.FAILED, MINUTE, HOUR)
    delivered = in_state(ActState.DELIVERED, 2 * HOUR)
    older = in_state(ActState.FAILED, 3 * HOUR)
    prepared = in_state(ActState.PREPARED, timedelta(0))
    assert failures((*failed, *delivered, *older)) == 2
    assert failures((*prepared, *failed, *delivered)) == 2
    assert failures((*delivered, *older)) == 0
    assert failures(()) == 0
    # Each attempt is a failure; one that was not counted is at least one.
    assert failures(in_state(ActState.FAILED, MINUTE, attempts=3)) == 3
    assert failures(in_state(ActState.FAILED, MINUTE, attempts=0)) == 1


@pytest.mark.parametrize(
    ("count", "hours"), [(1, 0), (2, 0), (3, 1), (4, 2), (7, 5), (8, 6), (9, 6), (40, 6)]
)
def test_b4_delivery_rests_longer_the_more_fail_and_at_most_six_hours(count, hours):
    def acts(ago: timedelta):
        return in_state(ActState.FAILED, *(ago + one * MINUTE for one in range(count)))

    assert not is_suspended(acts(hours * HOUR), NOW)
    assert is_suspended(acts(hours * HOUR - INSTANT), NOW) is (hours > 0)


def test_failures_of_a_clock_that_was_wrong_suspend_nothing():
    assert not is_suspended(in_state(ActState.FAILED, *(-one * DAY for one in (9, 8, 7))), NOW)
