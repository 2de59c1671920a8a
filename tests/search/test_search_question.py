"""What is read out of a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.search.policy import SearchPolicy
from recalld.search.question import (
    content_words,
    lookup_terms,
    names_in,
    read_question,
)

POLICY = SearchPolicy()


@pytest.mark.parametrize(
    ("question", "names", "content"),
    [
        ("What did Jon do on Friday?", ("Jon",), "Friday"),
        ("Where is Jon's red car?", ("Jon",), "red car"),
        ("What is it?", (), "What is it?"),
        ("发布窗口是什么时候", (), "发布窗口"),
        ("我们上次定的接口叫什么？", (), "定 接口"),
        ("是什么", (), "是什么"),
    ],
)
def test_content_words_are_what_is_left_without_names_and_function_words(
    question: str, names: tuple[str, ...], content: str
) -> None:
    assert content_words(question, names) == content


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What did Jon say?", [0]),
        ("What did Jonathan say?", []),
        ("Jon and Gina's shop", [0, 1]),
        ("曼婷喜欢什么", [2]),
        ("what did jon say?", []),
    ],
)
def test_a_name_counts_as_a_whole_word_only(question: str, named: list[int]) -> None:
    assert names_in(question, ("Jon", "Gina", "曼婷")) == named


def test_a_long_question_keeps_its_head_and_its_tail() -> None:
    text = "head " + "x" * 1_000 + " what is asked"
    kept = read_question(text, POLICY).text
    assert len(kept) == POLICY.query_chars
    assert kept.startswith("head ")
    assert kept.endswith(" what is asked")


@pytest.mark.parametrize("text", ["the of and", "？？？", "🎉🎉", "的了吗", "   ", ""])
def test_a_question_without_a_term_cannot_be_searched(text: str) -> None:
    assert not read_question(text, POLICY).searchable


def test_a_date_alone_can_be_searched_in_any_language() -> None:
    english, chinese = read_question("in October", POLICY), read_question("10月", POLICY)
    assert english.searchable
    assert english.dates == chinese.dates == {"zzm10"}


def test_terms_are_latin_words_and_short_parts_of_cjk_runs() -> None:
    assert lookup_terms("gateway 插件安装 is", POLICY)[:4] == ("gateway", "插件", "件安", "安装")
    assert len(lookup_terms("数" * 10 + "据库备份运行时间安排在什么地方" * 9, POLICY)) <= 24


@given(st.text(max_size=600))
def test_any_text_is_read_without_an_error(text: str) -> None:
    question = read_question(text, POLICY)
    assert len(question.text) <= POLICY.query_chars
    assert question.searchable is bool(question.tokens)
    content_words(question.text, ("Ann", "王"))
    assert len(lookup_terms(question.text, POLICY)) <= POLICY.max_terms
