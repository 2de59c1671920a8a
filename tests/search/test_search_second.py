"""The small rules of the second round: each does its one thing, and nothing when switched off."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from recalld.search.corpus import Corpus, empty_corpus, refreshed
from recalld.search.features import only_asked
from recalld.search.model import ChunkRow, FileRow
from recalld.search.newer import Move, Statements, changed_words, newer_first, wants_newest
from recalld.search.person import wants_own_words
from recalld.search.policy import NewerPolicy, SearchPolicy
from recalld.search.question import read_question
from recalld.search.ranking import raised
from recalld.search.score import NO_CUES, Cues, Fusion, Legs, Lexical, best, fuse
from recalld.search.speaker import lead_of_others
from recalld.text.tokens import lexical_tokens

POLICY = SearchPolicy()
NOW = datetime(2026, 4, 12, tzinfo=UTC)


def turns(*said: tuple[str | None, str]) -> Corpus:
    """One turn a file: who said it, and what."""
    files = [
        FileRow(
            id=key,
            path=f"{key:03}.md",
            source="memory",
            session=None,
            head_hash=b"",
            first_chunk=key,
            last_chunk=key,
            chunks=1,
        )
        for key in range(len(said))
    ]
    chunks = [
        ChunkRow(
            id=key,
            file_id=key,
            ordinal=0,
            speaker=speaker,
            is_cjk=False,
            passages=(key.to_bytes(16, "big"),),
            asking=text,
        )
        for key, (speaker, text) in enumerate(said)
    ]
    return refreshed(empty_corpus(1), files, chunks)


def fused(
    corpus: Corpus, words: list[float], cues: Cues = NO_CUES, policy: SearchPolicy = POLICY
) -> Fusion:
    own = np.array(words, np.float32)
    legs = Legs(lexical=Lexical(own=own, expansion=np.zeros_like(own)))
    allowed = np.ones(len(corpus), np.bool_)
    return fuse(corpus, legs, allowed=allowed, cues=cues, policy=policy)


def first(fusion: Fusion) -> int:
    return int(best(fusion.score, 1)[0])


@pytest.mark.parametrize(
    ("question", "own"),
    [
        ("Where did I put the keys?", True),
        ("what is my bike called", True),
        ("What did we decide about the port?", True),
        ("我养的猫叫什么？", True),
        ("What did you recommend me for dinner?", False),
        ("did you tell me about my visa?", False),
        ("你给我推荐的电影叫什么？", False),
        ("你之前建议我怎么做", False),
        ("Where does Caroline live?", False),
        ("The US office", False),
        ("which server runs i.e. the gateway", False),
    ],
)
def test_a_question_about_oneself_wants_ones_own_words(question: str, own: bool) -> None:
    assert wants_own_words(question) is own


def test_the_assistant_goes_behind_where_ones_own_words_are_wanted() -> None:
    corpus = turns(("user", ""), ("Assistant", ""))
    assert first(fused(corpus, [2.5, 3.0])) == 1
    wanted = fused(corpus, [2.5, 3.0], Cues(own_words=True))
    assert first(wanted) == 0
    assert wanted.assistant.tolist() == [False, True]


def test_a_turn_that_asks_goes_behind_an_equal_one_that_says() -> None:
    corpus = turns((None, "Did you paint it?"), (None, "I painted it, ok?"), (None, ""))
    assert corpus.asking.tolist() == [1.0, 1.0, 0.0]
    assert first(fused(corpus, [3.0, 3.0, 3.0])) == 2
    off = replace(POLICY, second=replace(POLICY.second, question_turns=False))
    assert first(fused(corpus, [3.0, 3.0, 3.0], policy=off)) == 0


def test_words_that_stand_in_a_question_only_are_no_statement() -> None:
    text = "Did you paint the boat? I sold the boat."
    own = lexical_tokens(text)
    assert only_asked(own, text, ("paint", "boat", "sold")) == {"paint"}
    assert only_asked(own, text.replace("?", "."), ("paint",)) == set()


def test_the_lead_of_somebody_else_counts_only_where_one_of_several_is_named() -> None:
    corpus = turns(("Ann", ""), ("Bob", ""), (None, ""))
    words, at = np.array([1.0, 4.0, 5.0], np.float32), np.arange(3)
    assert lead_of_others(corpus, words, at, named=(0,)) == pytest.approx(0.6)
    assert lead_of_others(corpus, words, at, named=(1,)) == pytest.approx(-0.6)
    assert lead_of_others(corpus, words, at, named=(0, 1)) == 0.0
    assert lead_of_others(corpus, words, at, named=()) == 0.0
    alone = turns(("Ann", ""), (None, ""))
    assert lead_of_others(alone, words[:2], at[:2], named=(0,)) == 0.0


def test_the_lead_is_taken_before_the_named_person_is_preferred() -> None:
    corpus = turns(("Ann", ""), ("Bob", ""))
    assert fused(corpus, [1.0, 4.0], Cues(named=(0,))).lead == pytest.approx(0.75)
    off = replace(POLICY, second=replace(POLICY.second, wrong_person=False))
    assert fused(corpus, [1.0, 4.0], Cues(named=(0,)), policy=off).lead == 0.0


@pytest.mark.parametrize(
    ("question", "newest"),
    [
        ("Where do I work?", True),
        ("What is the current port?", True),
        ("现在用哪个端口？", True),
        ("Where did I work before?", False),
        ("What was my first job?", False),
        ("我以前住在哪里？", False),
        ("Where does Caroline work?", False),
    ],
)
def test_only_a_question_about_oneself_or_now_wants_the_newest(question: str, newest: bool) -> None:
    assert wants_newest(question) is newest


def test_a_question_that_names_a_time_wants_that_time() -> None:
    assert read_question("where did I eat?", POLICY, now=NOW).newest
    assert not read_question("where did I eat yesterday?", POLICY, now=NOW).newest
    off = replace(POLICY, second=replace(POLICY.second, newer_first=False))
    assert not read_question("where did I eat?", off, now=NOW).newest


def test_a_change_is_told_by_a_sentence_that_says_so_and_not_by_one_that_asks() -> None:
    tokens = ("team", "desk", "port")
    text = "I moved to the blue team. My desk is by the door. Have you changed the port?"
    assert changed_words(text, tokens) == [True, False, False]


def statements(**change: object) -> Statements:
    """An older statement and a newer one that tells of a change of the word both hold."""
    row = np.array([[True, True], [True, False]])
    given: dict[str, object] = {
        "day": np.array([10, 20]),
        "file": np.array([1, 2]),
        "holds": row,
        "own": row,
        "changed": np.array([[False, False], [True, False]]),
        "likeness": np.array([[1.0, 0.6], [0.6, 1.0]], np.float32),
        "idf": np.array([1.0, 3.0]),
        **change,
    }
    return Statements(**given)  # type: ignore[arg-type]


SAME = np.ones((2, 2), np.bool_)


@pytest.mark.parametrize(
    ("change", "gap", "moved"),
    [
        ({}, 2.9, True),
        ({}, 3.1, False),
        ({"day": np.array([20, 10])}, 1.0, False),
        ({"day": np.array([0, 10])}, 1.0, False),
        ({"file": np.array([1, 1])}, 1.0, False),
        ({"changed": ~SAME}, 0.5, False),
        ({"likeness": np.full((2, 2), 0.2, np.float32)}, 1.0, False),
        ({"changed": ~SAME, "holds": SAME}, 0.9, True),
        ({"changed": ~SAME, "holds": SAME}, 1.1, False),
    ],
)
def test_a_newer_statement_goes_first_only_with_all_its_reasons(
    change: dict[str, object], gap: float, moved: bool
) -> None:
    found = newer_first(statements(**change), np.array([gap, 0.0]), NewerPolicy())
    assert bool(found) is moved
    if moved:
        assert (found[0].newer, found[0].older) == (1, 0)
        assert found[0].told is ("changed" not in change)


def test_what_goes_first_is_as_relevant_as_what_it_replaces() -> None:
    raw, score = raised(np.array([0.8, 0.7, 0.5]), np.array([0.9, 0.5, 0.3]), [Move(2, 0, True)])
    assert raw.tolist() == [0.8, 0.7, 0.8]
    assert score[2] > score[0] == 0.9
