"""Several kinds of small news together."""

import pytest

from recalld.heartbeat.confluence import WEIGHTS, score
from recalld.heartbeat.model import Tier
from support.heartbeat_scene import a_signal


def test_b1_the_weights_are_ten_five_three_and_one():
    assert [WEIGHTS[tier] for tier in Tier] == [10, 5, 3, 1]


@pytest.mark.parametrize(
    ("checks", "expected"),
    [
        ((), 0),
        (("decaying",), 1),
        (("deadlines", "conflicts", "pending_work", "sentiment"), 19),
        (("pending_work", "goal_progress", "knowledge_gaps", "positive_deltas"), 12),
    ],
)
def test_b10_confluence_is_the_plain_sum_of_the_weights(checks, expected):
    assert score([a_signal(check, "m") for check in checks]) == expected


def test_a_check_counts_once_with_the_most_urgent_it_found():
    fading = [a_signal("decaying", f"m{one}") for one in range(30)]
    assert score(fading) == 1
    urgent = a_signal("decaying", "u", tier=Tier.NORMAL)
    assert score([*fading, urgent]) == score([urgent, *fading]) == 3
