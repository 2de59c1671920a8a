"""How often the user answers, and what that does to waits."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.heartbeat.model import ActState
from recalld.heartbeat.rate import multiplier, response_rate
from support.heartbeat_scene import a_signal, an_act
from support.snapshots import DAY, HOUR, INSTANT, MINUTE, NOW

PENDING = a_signal("pending_work", "p")


def an_ask(ago: timedelta, *, answered: bool = False, **changes: object):
    return an_act(ago, PENDING, answered_at=NOW - ago if answered else None, **changes)


def test_b3_10_the_rate_is_the_share_that_was_answered():
    acts = [an_ask(DAY, answered=True), an_ask(2 * DAY), an_ask(3 * DAY), an_ask(4 * DAY)]
    assert response_rate(acts, NOW) == 0.25
    assert response_rate(acts[1:], NOW) == 0.0
    assert response_rate([one for one in acts if one.answered_at] * 3, NOW) == 1.0


def test_b3_10_two_acts_say_nothing():
    assert response_rate([an_ask(DAY), an_ask(2 * DAY)], NOW) is None
    assert response_rate([], NOW) is None


@pytest.mark.parametrize(
    ("act", "counts"),
    [
        (an_ask(7 * DAY), True),
        (an_ask(7 * DAY + INSTANT), False),
        # It may still be answered.
        (an_ask(2 * HOUR - INSTANT), False),
        (an_ask(2 * HOUR), True),
        (an_ask(MINUTE, answered=True), True),
        (an_act(DAY, PENDING, state=ActState.FAILED), False),
        (an_act(DAY, PENDING, state=ActState.PREPARED), False),
        (an_ask(-MINUTE), False),
    ],
)
def test_b3_10_only_what_was_delivered_and_had_its_time_is_judged(act, counts):
    others = [an_ask(3 * DAY), an_ask(4 * DAY)]
    assert (response_rate([act, *others], NOW) is not None) is counts


def test_an_acknowledgement_is_an_answer():
    acts = [an_ask(DAY, acknowledged_at=NOW), an_ask(2 * DAY), an_ask(3 * DAY)]
    assert response_rate(acts, NOW) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("rate", "expected"),
    [(None, 1), (1.0, 1), (0.5, 1), (0.4, 1.2), (0.25, 1.5), (0.1, 1.8), (0.0, 2)],
)
def test_b3_10_waits_grow_evenly_below_a_half(rate, expected):
    assert multiplier(rate) == pytest.approx(expected)


@given(st.floats(0, 1), st.floats(0, 1))
def test_who_answers_more_never_waits_longer(one, other):
    less, more = sorted((one, other))
    assert 1 <= multiplier(more) <= multiplier(less) <= 2
