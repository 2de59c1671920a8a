"""Which part of a text asks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.text.asking import asking_share, asks, may_ask, questions, sentences


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("I moved. Did you?", [" Did you?"]),
        ("你好！你在做什么？我在跑步。", ["你在做什么？"]),
        ("no question", []),
        ("Why?! Because.", ["Why?"]),
        ("first line?\nsecond", ["first line?"]),
        ("", []),
    ],
)
def test_a_sentence_that_ends_with_a_question_mark_asks(text: str, asked: list[str]) -> None:
    assert questions(text) == asked


def test_the_share_is_that_of_the_characters() -> None:
    assert asking_share("Yes. And?") == pytest.approx(5 / 9)
    assert asking_share("Really?") == 1.0
    assert asking_share("Really.") == 0.0


@given(st.text(alphabet="ab .?!？。\n"))
def test_sentences_are_the_text_and_the_share_is_one(text: str) -> None:
    kept = "".join(text.split())
    assert "".join("".join(sentences(text)).split()) == kept
    assert 0.0 <= asking_share(text) <= 1.0
    assert may_ask(text) or asking_share(text) == 0.0
    assert questions(text) == [one for one in sentences(text) if asks(one)]
