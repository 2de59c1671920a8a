"""Pieces of a list are of one size, in order, and leave nothing out."""

import pytest

from recalld.slices import slices


@pytest.mark.parametrize(
    ("items", "pieces"),
    [
        ("", []),
        ("ab", ["ab"]),
        ("abc", ["abc"]),
        ("abcd", ["abc", "d"]),
        ("abcdef", ["abc", "def"]),
    ],
)
def test_a_list_in_threes(items, pieces):
    assert list(slices(items, 3)) == pieces
