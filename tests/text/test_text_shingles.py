"""Runs of words tell how much of one text stands in another."""

import pytest

from recalld.text.shingles import share_in, shingles, words


def test_words_are_told_apart_in_any_script_and_width():
    assert words("The Gate, gate２ 人工审批!") == ["the", "gate", "gate2", "人", "工", "审", "批"]


@pytest.mark.parametrize(
    ("part", "whole", "share"),
    [
        ("use five attempts", "we use five attempts here", 1.0),
        ("Use FIVE attempts!", "use five attempts", 1.0),
        ("use six attempts", "use five attempts", 0.0),
        ("one two three four", "two three four five", 0.5),
        ("定了新的值班表", "昨天定了新的值班表。", 1.0),
        ("short", "short", 1.0),
        ("", "anything", 0.0),
        ("...", "anything", 0.0),
    ],
)
def test_the_share_counts_runs_of_three(part, whole, share):
    assert share_in(shingles(part), shingles(whole)) == share


def test_the_hashes_are_the_same_on_every_machine():
    assert shingles("use five attempts") == {1_898_375_465}


def test_text_that_is_no_valid_unicode_is_hashed_too():
    assert shingles("a \ud800 b c")
