"""The windows that are embedded, and the language test that sets their size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.text.language import has_cjk, is_cjk
from recalld.text.passages import CJK_CHARS, LATIN_CHARS, WHOLE_FACTOR, passages


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("  \n", False),
        ("deploy on Friday", False),
        ("周五部署", True),
        ("把 deploy-window 改到周五下午三点", True),
        ("the word 部署 means to deploy something", False),
        ("カメラ", True),
    ],
)
def test_a_fifth_of_cjk_characters_makes_a_text_cjk(text: str, expected: bool) -> None:
    assert is_cjk(text) is expected


def test_one_character_is_enough_to_hold_cjk() -> None:
    assert has_cjk("about 猫")
    assert not has_cjk("about cats")


def test_a_short_text_is_one_window_without_its_outer_blanks() -> None:
    assert passages("  one line.\n") == ((2, 11),)


@pytest.mark.parametrize("text", ["", "\n\n", "---", "!!! ???"])
def test_a_text_without_words_has_no_window(text: str) -> None:
    assert passages(text) == ()


@pytest.mark.parametrize(
    ("sentence", "limit"),
    [("The gateway listens on one port only. ", LATIN_CHARS), ("网关只监听一个端口。", CJK_CHARS)],
)
def test_a_long_text_is_cut_at_sentence_ends(sentence: str, limit: int) -> None:
    text = sentence * 60
    windows = passages(text)
    assert len(windows) > 1
    for start, end in windows:
        assert end - start <= limit
        assert text[start:end].endswith(sentence.strip()[-1])


def test_a_line_without_blanks_is_cut_in_linear_pieces() -> None:
    windows = passages("a" * 100_000)
    assert max(end - start for start, end in windows) <= LATIN_CHARS * 1.6
    assert sum(end - start for start, end in windows) == 100_000


@given(st.text(alphabet=st.sampled_from("ab .。\n周五!"), max_size=3_000))
def test_windows_are_ordered_disjoint_and_lose_no_word(text: str) -> None:
    windows = passages(text)
    at = 0
    for start, end in windows:
        assert at <= start < end <= len(text)
        assert not any(character.isalnum() for character in text[at:start])
        assert end - start <= LATIN_CHARS * max(1.6, WHOLE_FACTOR)
        at = end
    assert not any(character.isalnum() for character in text[at:])
