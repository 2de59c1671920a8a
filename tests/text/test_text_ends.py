"""A long text is cut to its head and its end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.text.ends import ends_of


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("", ""),
        ("abcdefgh", "abcdefgh"),
        ("abcdefghi", "abc fghi"),
        ("一二三四五六七八九十", "一二三 七八九十"),
    ],
)
def test_the_head_and_the_end_stay(text: str, cut: str) -> None:
    assert ends_of(text, most=8, head=3) == cut


@given(st.text(max_size=40), st.integers(1, 20), st.data())
def test_never_longer_than_asked_for(text: str, most: int, data: st.DataObject) -> None:
    head = data.draw(st.integers(0, most - 1))
    cut = ends_of(text, most=most, head=head)
    assert len(cut) <= most
    assert cut == text or (len(cut) == most and cut.startswith(text[:head]))
