"""The time a question names, in English and Chinese."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.text.window import Window, window_of

TODAY = date(2026, 4, 12)  # a Sunday


def span(first: int, last: int) -> Window:
    return Window(TODAY - timedelta(days=first), TODAY - timedelta(days=last))


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
        ("two weeks ago", span(16, 12)),
        ("a few months ago", span(108, 72)),
        ("三周前", span(25, 17)),
        ("in the past few weeks", span(21, 0)),
        ("最近两周", span(14, 0)),
        ("this week", span(6, 0)),
        ("上个月的决定", Window(date(2026, 3, 1), date(2026, 3, 31))),
        ("this month", Window(date(2026, 4, 1), TODAY)),
        ("last year", Window(date(2025, 1, 1), date(2025, 12, 31))),
        ("the gateway of 2026-04-11", span(1, 1)),
        ("What did Jo do on 7 May, 2023?", Window(date(2023, 5, 7), date(2023, 5, 7))),
        ("5月7号聊了什么", Window(date(2000, 5, 7), date(2000, 5, 7), yearly=True)),
        ("in June 2023", Window(date(2023, 6, 1), date(2023, 6, 30))),
        ("in early June 2023", Window(date(2023, 6, 1), date(2023, 6, 12))),
        ("in late February 2023", Window(date(2023, 2, 18), date(2023, 2, 28))),
        ("mid-June 2023", Window(date(2023, 6, 8), date(2023, 6, 23))),
        ("in the summer of 2022", Window(date(2022, 6, 1), date(2022, 8, 31))),
        ("winter 2023", Window(date(2023, 12, 1), date(2024, 2, 29))),
        ("the talk in 2021", Window(date(2021, 1, 1), date(2021, 12, 31))),
        ("a 2021 model", None),
        ("我们第一次聊天说了什么", Window(date.min, date.min, opening=True)),
        ("yesterdays", None),
        ("以前怎么做的", None),
        ("", None),
    ],
)
def test_the_days_a_text_names_are_counted_from_its_own(text: str, days: Window | None) -> None:
    assert window_of(text, TODAY) == days


def test_a_monday_s_last_week_is_the_seven_days_before_it() -> None:
    monday = date(2026, 4, 13)
    assert window_of("last week", monday) == Window(date(2026, 4, 6), TODAY)


def test_days_before_the_first_year_are_not_named() -> None:
    assert window_of("two days ago", date(1, 1, 2)) is None
    assert window_of("yesterday", date(1, 1, 2)) == Window(date(1, 1, 1), date(1, 1, 1))


@given(st.text() | st.sampled_from(["昨天", "999 days ago", "上周"]), st.dates())
def test_named_days_are_in_order_and_inside(text: str, today: date) -> None:
    days = window_of(text, today)
    if days is not None:
        assert days.first <= days.last
        assert days.yearly or days.opening or (days.hold(days.first) and days.hold(days.last))


@pytest.mark.parametrize(
    ("day", "away"),
    [
        (date(2019, 5, 7), 0),
        (date(2024, 5, 9), 2),
        (date(2024, 5, 1), 6),
    ],
)
def test_a_day_without_its_year_is_every_year_s(day: date, away: int) -> None:
    window = window_of("on May 7th", TODAY)
    assert window is not None
    assert window.away(day) == away


def test_around_the_turn_of_the_year_the_nearest_one_counts() -> None:
    window = window_of("on January 2nd", TODAY)
    assert window is not None
    assert window.away(date(2024, 12, 30)) == 3
    assert window.away(date.max) == 363


def test_without_its_own_day_nothing_is_relative() -> None:
    assert window_of("yesterday", None) is None
    assert window_of("on 2023-05-07", None) is not None
