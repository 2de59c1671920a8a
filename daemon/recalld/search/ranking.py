"""From judged candidates to an order: raw scores, and newer statements before older ones. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from recalld.search.examined import Examined
from recalld.search.features import held
from recalld.search.newer import Move, Statements, changed_words, newer_first
from recalld.search.passage import window_cosines
from recalld.search.policy import SearchPolicy
from recalld.search.relevance import Judgement

# How far a statement that goes first is put before the one that it replaces.
_STEP = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """``order`` are candidates, best first by ``raw``, ties by ``score``.

    ``replaced_on``: by candidate, the day of a newer one that tells of a change.
    """

    order: tuple[int, ...]
    raw: NDArray[np.float64]
    score: NDArray[np.float64]
    replaced_on: dict[int, str]


def ranked(examined: Examined, judgement: Judgement, policy: SearchPolicy) -> Ranked:
    """The candidates of one workspace as they are handed out."""
    score = examined.fusion.score[examined.evidence.at].astype(np.float64)
    first = by_hit(judgement)[: policy.second.newer.first]
    statements = None
    if len(first) > 1 and tells_time(examined):
        statements = statements_of(examined, first)
    moved = moves(judgement, first, statements, policy)
    raw, score = raised(judgement.raw, score, moved)
    return Ranked(
        order=tuple(sorted(range(len(raw)), key=lambda i: (-raw[i], -score[i], i))),
        raw=raw,
        score=score,
        replaced_on=_replaced(examined, moved) if moved else {},
    )


def by_hit(judgement: Judgement) -> list[int]:
    """Candidates by their likelihood, best first, ties as they stood."""
    return [int(place) for place in np.argsort(-judgement.hit, kind="stable")]


def tells_time(examined: Examined) -> bool:
    """Whether the newer of two statements may go first at all."""
    return examined.question.newest and examined.fusion.legs.dense is not None


def moves(
    judgement: Judgement,
    first: Sequence[int],
    statements: Statements | None,
    policy: SearchPolicy,
) -> tuple[Move, ...]:
    """Which of ``first``, best first, go before which; ``statements`` are theirs, in order."""
    if statements is None:
        return ()
    found = newer_first(statements, judgement.hit[list(first)], policy.second.newer)
    return tuple(Move(first[one.newer], first[one.older], one.told) for one in found)


def raised(
    raw: NDArray[np.float64], score: NDArray[np.float64], moved: Sequence[Move]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A statement that goes first is as relevant as what it replaces, and just before it."""
    raw, score = raw.copy(), score.copy()
    for one in moved:
        raw[one.newer] = max(raw[one.newer], raw[one.older])
        score[one.newer] = max(score[one.newer], score[one.older] + _STEP)
    return raw, score


def statements_of(examined: Examined, places: Sequence[int]) -> Statements:
    """What the candidates at ``places`` say. Needs the dense leg.

    Only the day a chunk gives itself counts: a touched file says nothing new.
    """
    corpus, question = examined.corpus, examined.question
    at = examined.evidence.at[list(places)]
    sets = [examined.evidence.tokens[place] for place in places]
    details = [examined.details[place] for place in places]
    vectors = _best_windows(examined, at)
    return Statements(
        day=corpus.day[at].astype(np.int64),
        file=corpus.file[at],
        holds=held(question, [one.own | one.head for one in sets]) > 0,
        own=held(question, [one.own for one in sets]) > 0,
        changed=np.array(
            [changed_words(one.text, question.tokens) for one in details], np.bool_
        ).reshape(len(details), len(question.tokens)),
        likeness=vectors @ vectors.T,
        idf=examined.evidence.rare.idf,
    )


def _best_windows(examined: Examined, at: NDArray[np.int64]) -> NDArray[np.float32]:
    corpus, dense = examined.corpus, examined.fusion.legs.dense
    if dense is None:
        return np.zeros((len(at), 1), np.float32)
    start = corpus.passages.start
    best = [
        int(start[one]) + int(window_cosines(corpus, dense.windows, one).argmax())
        for one in at.tolist()
    ]
    vectors: NDArray[np.float32] = corpus.vectors.rows(np.array(best)).astype(np.float32)
    return vectors


def _replaced(examined: Examined, moved: Sequence[Move]) -> dict[int, str]:
    days = examined.corpus.day[examined.evidence.at]
    return {
        one.older: date.fromordinal(int(days[one.newer])).isoformat() for one in moved if one.told
    }
