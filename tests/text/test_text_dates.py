"""Dates as tokens that both languages share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.text.dates import date_tokens


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


@pytest.mark.parametrize(
    "text", ["may I ask", "in may", "march on", "2023-13-40", "192.168.2.1", "45月", "", "v1.2"]
)
def test_what_is_no_date_gives_no_tokens(text: str) -> None:
    assert date_tokens(text) == []


@given(st.text())
def test_no_text_raises(text: str) -> None:
    assert all(token.startswith("zz") for token in date_tokens(text))
