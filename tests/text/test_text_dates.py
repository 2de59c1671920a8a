"""Dates as tokens that both languages share."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.text.dates import date_tokens, parse_date


@pytest.mark.parametrize(
    "text",
    [
        "2023-05-07",
        "2023/5/7",
        "2023-05-07T10:30:00Z",
        "7 May 2023",
        "7th of May, 2023",
        "May 7th, 2023",
        "may 7 2023",
        "2023年5月7日",
        "2023 年 5 月 7 号",
        "２０２３年５月７日",
    ],
)
def test_one_day_has_the_same_tokens_in_every_spelling(text: str) -> None:
    assert set(date_tokens(text)) == {"zzd0507", "zzm05", "zzy2023"}
    assert parse_date(text) == "2023-05-07"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("in October", ["zzm10"]),
        ("5月7号去了哪里", ["zzd0507", "zzm05"]),
        ("2023年的计划", ["zzy2023"]),
        ("1989年，他", ["zzy1989"]),
        ("September 2022", ["zzm09", "zzy2022"]),
        ("Sept. 3", ["zzd0903", "zzm09"]),
        ("2024-02", ["zzm02", "zzy2024"]),
    ],
)
def test_a_part_of_a_date_gives_the_tokens_of_its_parts(text: str, tokens: list[str]) -> None:
    assert date_tokens(text) == tokens
    assert parse_date(text) is None


@pytest.mark.parametrize(
    "text", ["may I ask", "in may", "march on", "2023-13-40", "192.168.2.1", "45月", "", "v1.2"]
)
def test_what_is_no_date_gives_no_tokens(text: str) -> None:
    assert date_tokens(text) == []


def test_a_day_that_does_not_exist_is_no_date() -> None:
    assert parse_date("2023-02-30") is None


def test_the_first_complete_date_of_the_text_wins_whatever_its_spelling() -> None:
    assert parse_date("May 2023; 3 June 2022, then 2021-01-01") == "2022-06-03"


@given(st.dates())
def test_every_iso_date_is_read_back(day: datetime.date) -> None:
    assert parse_date(f"# {day.isoformat()}") == day.isoformat()


@given(st.text())
def test_no_text_raises(text: str) -> None:
    assert all(token.startswith("zz") for token in date_tokens(text))
    assert parse_date(text) is None or len(parse_date(text) or "") == 10
