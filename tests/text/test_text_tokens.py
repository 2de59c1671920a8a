"""Tokens: what can be found by what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.text.stopwords import is_stopword
from recalld.text.tokens import MAX_TOKEN_CHARS, lexical_tokens, query_tokens, stem

IDENTIFIERS = [
    ("readWhen", ["read", "when", "read_when"]),
    ("1.2.3", ["1", "2", "3", "1_2_3"]),
    ("pre-deploy", ["pre", "deploi", "pre_deploy"]),
    ("Ledger::close", ["ledger", "close", "ledger_close"]),
    ("mcp__recall__search", ["mcp", "recal", "search", "mcp_recall_search"]),
    ("HTTPServer", ["http", "server", "http_server"]),
    ("sha256", ["sha", "256", "sha_256"]),
    ("3 GB/s", ["3", "gb", "s", "gb_s"]),
    ("don't", ["don"]),
    ("Anna's", ["anna"]),
    ("a3f4b2c10d9e", ["a3f4b2c10d9e"]),
    ("C++", ["c", "c_plusplus"]),
    ("C#", ["c", "c_sharp"]),
    ("https://example.org", ["http", "exampl", "org", "example_org"]),
]


@pytest.mark.parametrize(("text", "tokens"), IDENTIFIERS)
def test_an_identifier_gives_its_parts_and_the_joined_form(text: str, tokens: list[str]) -> None:
    assert lexical_tokens(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("仓库盘点", ["仓库", "库盘", "盘点"]),
        ("猫", ["猫"]),
        ("用pip装", ["用", "pip", "装"]),
        ("カメラ", ["カメ", "メラ"]),
        ("저장소", ["저장", "장소"]),
        ("𠮷野家", ["𠮷野", "野家"]),
    ],
)
def test_a_cjk_run_gives_overlapping_bigrams(text: str, tokens: list[str]) -> None:
    assert lexical_tokens(text) == tokens


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("café", "cafe"),
        ("ＡＰＩ", "api"),
        ("Müller", "muller"),
        ("running", "runs"),
        ("ﬁle", "file"),
        ("e\u0301tude", "étude"),
    ],
)
def test_two_spellings_of_one_word_meet(left: str, right: str) -> None:
    assert lexical_tokens(left) == lexical_tokens(right)


# bc-03, bc-04: the note must hold every token of a query that names it.
FINDABLE = [
    ("the pre-deploy gate runs first", "pre-deploy"),
    ("Throughput target is 3 GB/s", "3 GB/s"),
    ("call Ledger::close before exit", "Ledger::close"),
    ("don't retry the webhook", "don't retry"),
    ("port to C++ next quarter", "C++ (next"),
    ("仓库盘点改到每周五下午", "盘点"),
    ("仓库盘点改到每周五下午", "周五"),
    ("发布窗口是周三上午十点", "发布"),
    ("发布窗口是周三上午十点", "窗口"),
    ("the db role was renamed", "db"),
]


@pytest.mark.parametrize(("note", "query"), FINDABLE)
def test_a_note_holds_every_token_of_its_query(note: str, query: str) -> None:
    tokens = query_tokens(query)
    assert tokens
    assert set(tokens) <= set(lexical_tokens(note))


@pytest.mark.parametrize(
    "query", ["the of and", "？？？", "🎉🎉", "的了吗", "   ", "", "*", "\x00"]
)
def test_a_question_without_content_has_no_tokens(query: str) -> None:
    assert query_tokens(query) == []


def test_a_question_loses_question_words_and_repeats() -> None:
    assert query_tokens("What did we decide about the release, the RELEASE?") == ["decid", "releas"]
    assert query_tokens("上次什么时候发布") == ["次什", "候发", "发布"]


def test_stop_words_are_dropped_before_stemming() -> None:
    assert not is_stopword("doings")
    assert query_tokens("doings") == ["do"]


@given(st.text())
def test_every_token_is_made_of_letters_digits_and_underscore(text: str) -> None:
    for token in lexical_tokens(text):
        assert 0 < len(token) <= MAX_TOKEN_CHARS
        assert all(character == "_" or character.isalnum() for character in token) or not (
            token.isascii()
        )
        assert '"' not in token
        assert " " not in token


@given(st.text(), st.text())
def test_tokens_of_two_texts_set_apart_are_the_tokens_of_each(left: str, right: str) -> None:
    assert lexical_tokens(f"{left}\n{right}") == lexical_tokens(left) + lexical_tokens(right)


@given(st.text())
def test_a_question_asks_for_nothing_its_own_text_does_not_hold(text: str) -> None:
    tokens = query_tokens(text)
    assert len(tokens) == len(set(tokens))
    assert set(tokens) <= set(lexical_tokens(text))


def test_stemming_leaves_what_is_no_plain_word() -> None:
    assert [stem(token) for token in ("running", "is", "read_when", "naïve", "v2")] == [
        "run",
        "is",
        "read_when",
        "naïve",
        "v2",
    ]
