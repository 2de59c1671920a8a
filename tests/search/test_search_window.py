"""Notes of the time asked for go before near equals of other times, and before nothing else."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.search.corpus import Corpus, empty_corpus, refreshed
from recalld.search.model import ChunkRow, FileRow
from recalld.search.policy import SearchPolicy
from recalld.search.question import read_question
from recalld.search.score import Cues, Legs, Lexical, best, fuse
from recalld.search.window import day_written, nearness
from recalld.text.window import Window

POLICY = SearchPolicy()
# One chunk a file, so that no file supports its chunks more than another.
YESTERDAY = date(2026, 4, 11)
ASKED = Window(YESTERDAY, YESTERDAY)
SHANGHAI = timezone(timedelta(hours=8))
NOW = datetime(2026, 4, 12, 3, 53, tzinfo=SHANGHAI)
ON, OFF = datetime(2026, 4, 11, 2, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)


def corpus_of(*written: datetime, own: dict[int, str] | None = None) -> Corpus:
    """One chunk in each file; ``own`` are the dates that chunks give themselves."""
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
            mtime_ns=int(at.timestamp()) * 10**9,
        )
        for key, at in enumerate(written)
    ]
    chunks = [
        ChunkRow(
            id=key,
            file_id=key,
            ordinal=0,
            speaker=None,
            is_cjk=True,
            passages=(key.to_bytes(16, "big"),),
            date=(own or {}).get(key),
        )
        for key in range(len(written))
    ]
    return refreshed(empty_corpus(1), files, chunks)


@pytest.mark.parametrize(
    ("written", "day"),
    [
        (datetime(2026, 4, 10, 15, tzinfo=UTC), date(2026, 4, 10)),
        (datetime(2026, 4, 11, 2, tzinfo=UTC), date(2026, 4, 11)),
        (datetime(2026, 4, 11, 18, tzinfo=UTC), date(2026, 4, 12)),
    ],
)
def test_a_file_is_of_the_day_it_was_in_the_askers_zone(written: datetime, day: date) -> None:
    assert day_written(int(written.timestamp()) * 10**9, SHANGHAI) == day


def test_the_day_a_note_gives_itself_goes_before_its_files() -> None:
    corpus = corpus_of(ON, ON, ON, own={0: "2024-05-07T10:00", 1: "2024-05"})
    assert nearness(ASKED, corpus, UTC).tolist() == [pytest.approx(0, abs=1e-9), 1.0, 1.0]


def test_nearness_falls_with_every_day_between() -> None:
    days = [ON + timedelta(days=away) for away in (-400, -1, 0, 1, 2, 400)]
    near = nearness(ASKED, corpus_of(*days), UTC)
    assert near[2] == 1.0
    assert near[1] == near[3] == pytest.approx(0.3679, abs=1e-4)
    assert near[3] > near[4] > near[5] == near[0] >= 0.0
    week = Window(YESTERDAY - timedelta(days=6), YESTERDAY)
    assert nearness(week, corpus_of(ON - timedelta(days=3)), UTC).tolist() == [1.0]


def test_the_first_talk_is_the_earliest_day_that_a_chunk_gives_itself() -> None:
    opening = Window(date.min, date.min, opening=True)
    dated = corpus_of(OFF, OFF, OFF, own={0: "2024-05-08", 1: "2024-05-07"})
    assert nearness(opening, dated, UTC).tolist() == pytest.approx([0.3679, 1.0, 0.0], abs=1e-4)
    assert nearness(opening, corpus_of(OFF), UTC).tolist() == [0.0]
    assert nearness(opening, empty_corpus(1), UTC).tolist() == []


def leant(scores: list[float], inside: list[bool], text: str) -> list[int]:
    """The order of chunks with these lexical scores, each at its best .6 of the whole."""
    question = read_question(text, POLICY, now=NOW)
    corpus = corpus_of(*(ON if within else OFF for within in inside))
    near = None
    if question.window is not None:
        near = nearness(question.window, corpus, question.zone)
    own = np.array(scores, np.float32)
    legs = Legs(lexical=Lexical(own=own, expansion=np.zeros_like(own)))
    allowed = np.ones(len(corpus), np.bool_)
    policy = replace(POLICY, support_weight=0.0)
    fusion = fuse(corpus, legs, allowed=allowed, cues=Cues(near=near), policy=policy)
    return [int(place) for place in best(fusion.score, len(scores))]


@pytest.mark.parametrize(
    ("scores", "inside", "text", "order"),
    [
        ([1.0, 0.9], [False, True], "昨天定了什么", [1, 0]),
        ([1.0, 0.9], [False, True], "what was decided yesterday?", [1, 0]),
        ([1.0, 0.9], [False, True], "what was decided on 11 April 2026?", [1, 0]),
        ([1.0, 0.9], [False, True], "what was decided?", [0, 1]),
        ([1.0, 0.9], [False, True], "what was decided last month?", [0, 1]),
        ([1.0, 0.7], [False, True], "昨天定了什么", [0, 1]),
        ([1.0, 0.9], [True, True], "昨天定了什么", [0, 1]),
        ([1.0, 0.9, 0.85], [False, False, True], "昨天定了什么", [2, 0, 1]),
    ],
)
def test_a_note_of_the_time_asked_for_goes_before_near_equals_of_other_times(
    scores: list[float], inside: list[bool], text: str, order: list[int]
) -> None:
    assert leant(scores, inside, text) == order


@given(st.lists(st.tuples(st.floats(0.125, 1.0, width=32), st.booleans()), min_size=1, max_size=8))
def test_notes_of_one_day_keep_their_order(rows: list[tuple[float, bool]]) -> None:
    scores, inside = [score for score, _ in rows], [bool(within) for _, within in rows]
    order = leant(scores, inside, "昨天定了什么")
    assert sorted(order) == list(range(len(rows)))
    for kind in (True, False):
        own = [scores[place] for place in order if inside[place] is kind]
        assert own == pytest.approx(sorted(own, reverse=True), abs=1e-6)


def test_switched_off_no_question_names_a_time() -> None:
    off = replace(POLICY, second=replace(POLICY.second, time_window=False))
    assert read_question("yesterday", off, now=NOW).window is None
    assert read_question("yesterday", POLICY, now=NOW).window == ASKED
