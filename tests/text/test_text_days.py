"""Relative days in English and Chinese."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.text.days import Days, days_of

TODAY = date(2026, 4, 12)  # a Sunday


def span(first: int, last: int) -> Days:
    return Days(TODAY - timedelta(days=first), TODAY - timedelta(days=last))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("昨天定了什么", span(1, 1)),
        ("昨晚说的那个", span(1, 1)),
        ("今天的会定了什么？", span(0, 0)),
        ("前天谁值班", span(2, 2)),
        ("大前天谁值班", span(3, 3)),
        ("三天前定的超时", span(3, 3)),
        ("10 天之前", span(10, 10)),
        ("上周定了什么", span(13, 7)),
        ("上个星期的决定", span(13, 7)),
        ("What did we decide yesterday?", span(1, 1)),
        ("the note of the day before yesterday", span(2, 2)),
        ("who was on call LAST NIGHT", span(1, 1)),
        ("what was it this morning", span(0, 0)),
        ("what we said two days ago", span(2, 2)),
        ("1 day ago", span(1, 1)),
        ("last week's review", span(13, 7)),
        ("yesterday and today", span(1, 0)),
        ("前天和昨天", span(2, 1)),
        ("what did we decide about the port?", None),
        ("the gateway of 2026-04-11", None),
        ("yesterdays", None),
        ("以前怎么做的", None),
        ("", None),
    ],
)
def test_the_days_a_text_names_are_counted_from_its_own(text: str, days: Days | None) -> None:
    assert days_of(text, TODAY) == days


def test_a_monday_s_last_week_is_the_seven_days_before_it() -> None:
    monday = date(2026, 4, 13)
    assert days_of("last week", monday) == Days(date(2026, 4, 6), TODAY)


def test_days_before_the_first_year_are_not_named() -> None:
    assert days_of("two days ago", date(1, 1, 2)) is None
    assert days_of("yesterday", date(1, 1, 2)) == Days(date(1, 1, 1), date(1, 1, 1))


@given(st.text() | st.sampled_from(["昨天", "999 days ago", "上周"]), st.dates())
def test_named_days_are_in_order_and_never_in_the_future(text: str, today: date) -> None:
    days = days_of(text, today)
    if days is not None:
        assert days.first <= days.last <= today
        assert days.hold(days.first)
        assert days.hold(days.last)
