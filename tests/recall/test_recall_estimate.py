"""The token estimate, which every budget rests on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.text.estimate import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("word", 1),
        ("審批插件", 4),
        ("かな 한글", 5),
        ("2026-08-01", 5),
        ("привет", 4),
        ("🎉", 2),
    ],
)
def test_estimate_counts_each_script_at_its_own_rate(text, tokens):
    assert estimate_tokens(text) == tokens


def test_estimate_never_lets_more_than_five_thirds_han_characters_into_a_token():
    assert estimate_tokens("汉" * 250) >= 150


@given(left=st.text(), right=st.text())
def test_estimate_never_shrinks_when_text_is_added(left, right):
    assert estimate_tokens(left + right) >= estimate_tokens(left)
    assert estimate_tokens(left + right) <= estimate_tokens(left) + estimate_tokens(right)
