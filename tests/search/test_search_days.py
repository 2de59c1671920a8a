"""Notes of the days asked for go before near equals of other days, and before nothing else."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.search.days import day_of, leaning, nearness
from recalld.search.model import ChunkDetail
from recalld.search.policy import SearchPolicy
from recalld.search.question import read_question
from recalld.search.score import Fusion, Legs, Lexical
from recalld.text.days import Days

POLICY = SearchPolicy()
YESTERDAY = date(2026, 4, 11)
ASKED = Days(YESTERDAY, YESTERDAY)
SHANGHAI = timezone(timedelta(hours=8))
NOW = datetime(2026, 4, 12, 3, 53, tzinfo=SHANGHAI)
DETAIL = ChunkDetail(
    id=1,
    uid="u",
    path="memory/a.md",
    start_line=1,
    end_line=1,
    source="memory",
    heading="",
    text="定了压测目标",
    speaker=None,
    date=None,
    session=None,
    mtime_ns=0,
    own="",
    prev="",
    next="",
    head="",
    windows=(),
)


def stamped(at: datetime) -> ChunkDetail:
    return replace(DETAIL, mtime_ns=int(at.timestamp()) * 10**9)


@pytest.mark.parametrize(
    ("written", "day"),
    [
        (datetime(2026, 4, 10, 15, tzinfo=UTC), date(2026, 4, 10)),
        (datetime(2026, 4, 11, 2, tzinfo=UTC), date(2026, 4, 11)),
        (datetime(2026, 4, 11, 18, tzinfo=UTC), date(2026, 4, 12)),
    ],
)
def test_a_file_is_of_the_day_it_was_in_the_askers_zone(written: datetime, day: date) -> None:
    assert day_of(stamped(written), SHANGHAI) == day


def test_the_day_a_note_gives_itself_goes_before_its_files() -> None:
    written = stamped(datetime(2026, 4, 11, 2, tzinfo=UTC))
    assert day_of(replace(written, date="2024-05-07T10:00"), UTC) == date(2024, 5, 7)
    assert day_of(replace(written, date="2024-05"), UTC) == YESTERDAY


def test_nearness_falls_with_every_day_between() -> None:
    days = [YESTERDAY + timedelta(days=away) for away in (-400, -1, 0, 1, 2, 400)]
    near = nearness(ASKED, days)
    assert near[2] == 1.0
    assert near[1] == near[3] == pytest.approx(0.3679, abs=1e-4)
    assert near[3] > near[4] > near[5] == near[0] >= 0.0
    week = Days(YESTERDAY - timedelta(days=6), YESTERDAY)
    assert nearness(week, [YESTERDAY - timedelta(days=3)]) == [1.0]


def fused(scores: list[float]) -> Fusion:
    score = np.array(scores, np.float32)
    nothing = np.zeros_like(score)
    legs = Legs(lexical=Lexical(own=nothing, expansion=nothing), dense=None)
    return Fusion(legs=legs, score=score, support=nothing, other_speaker=nothing > 0)


def leant(scores: list[float], inside: list[bool], text: str) -> list[int]:
    """Positions of the candidates in the order they are judged in."""
    question = read_question(text, POLICY, now=NOW)
    on, off = datetime(2026, 4, 11, 2, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
    at = np.array(sorted(range(len(scores)), key=lambda place: -scores[place]), np.int64)
    details = tuple(replace(stamped(on if inside[place] else off), id=place) for place in at)
    fusion, order, shown = leaning(fused(scores), at, details, question=question, policy=POLICY)
    assert [detail.id for detail in shown] == order.tolist()
    assert sorted(fusion.score[order].tolist(), reverse=True) == fusion.score[order].tolist()
    return [int(place) for place in order]


@pytest.mark.parametrize(
    ("scores", "inside", "text", "order"),
    [
        ([0.9, 0.8], [False, True], "昨天定了什么", [1, 0]),
        ([0.9, 0.8], [False, True], "what was decided yesterday?", [1, 0]),
        ([0.9, 0.8], [False, True], "what was decided?", [0, 1]),
        ([0.9, 0.8], [False, True], "what was decided last month?", [0, 1]),
        ([0.9, 0.6], [False, True], "昨天定了什么", [0, 1]),
        ([0.9, 0.8], [True, True], "昨天定了什么", [0, 1]),
        ([0.9, 0.8, 0.75], [False, False, True], "昨天定了什么", [2, 0, 1]),
        ([], [], "昨天定了什么", []),
    ],
)
def test_a_note_of_the_day_asked_for_goes_before_near_equals_of_other_days(
    scores: list[float], inside: list[bool], text: str, order: list[int]
) -> None:
    assert leant(scores, inside, text) == order


@given(st.lists(st.tuples(st.floats(0.0, 1.0, width=32), st.booleans()), max_size=8))
def test_notes_of_one_day_keep_their_order(rows: list[tuple[float, bool]]) -> None:
    scores, inside = [score for score, _ in rows], [bool(within) for _, within in rows]
    order = leant(scores, inside, "昨天定了什么")
    assert sorted(order) == list(range(len(rows)))
    for kind in (True, False):
        own = [scores[place] for place in order if inside[place] is kind]
        assert own == pytest.approx(sorted(own, reverse=True), abs=1e-6)
