"""How long ago something was, in words."""

from datetime import timedelta, timezone

import pytest

from recalld.heartbeat.ages import age
from support.snapshots import DAY, HOUR, INSTANT, MINUTE, NOW

SECOND = timedelta(seconds=1)
WEEK = 7 * DAY


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (timedelta(0), "just now"),
        (-SECOND, "just now"),
        (-400 * DAY, "just now"),
        (MINUTE - INSTANT, "just now"),
        (MINUTE, "1 minute ago"),
        (2 * MINUTE - INSTANT, "1 minute ago"),
        (2 * MINUTE, "2 minutes ago"),
        (HOUR - INSTANT, "59 minutes ago"),
        (HOUR, "1 hour ago"),
        (2 * HOUR, "2 hours ago"),
        (DAY - INSTANT, "23 hours ago"),
        (DAY, "1 day ago"),
        (2 * DAY - INSTANT, "1 day ago"),
        (2 * DAY, "2 days ago"),
        (14 * DAY - INSTANT, "13 days ago"),
        (14 * DAY, "2 weeks ago"),
        (3 * WEEK - INSTANT, "2 weeks ago"),
        (9 * WEEK - INSTANT, "8 weeks ago"),
        (9 * WEEK, "2 months ago"),
        (100 * DAY, "3 months ago"),
        (365 * DAY - INSTANT, "11 months ago"),
        (365 * DAY, "1 year ago"),
        (730 * DAY - INSTANT, "1 year ago"),
        (730 * DAY, "2 years ago"),
        (3_700 * DAY, "10 years ago"),
    ],
)
def test_s1_21_an_age_is_told_in_the_largest_unit_that_fits(passed: timedelta, said: str):
    assert age(NOW - passed, NOW) == said


def test_s1_21_an_age_is_the_same_in_every_zone():
    east = timezone(timedelta(hours=14))
    assert age((NOW - 2 * DAY).astimezone(east), NOW) == "2 days ago"
    assert age(NOW - 2 * DAY, NOW.astimezone(east)) == "2 days ago"


def test_s1_21_a_later_now_never_makes_it_younger():
    order = {"minute": 1, "hour": 2, "day": 3, "week": 4, "month": 5, "year": 6}
    before = (0, 0)
    for hours in range(24 * 1_200):
        said = age(NOW - hours * HOUR, NOW).split()
        now = (order[said[1].rstrip("s")], int(said[0])) if said[-1] == "ago" else (0, 0)
        assert now >= before
        before = now
