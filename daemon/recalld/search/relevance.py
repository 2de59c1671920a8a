"""Features to a raw score in [0, 1] whose thresholds mean the same for every engine. Pure.

Two small logistic regressions and a map. The first says how likely a candidate is the evidence
(``h``); the second how likely the question can be answered at all (``a``). ``c = h + 2 a`` of the
best candidate, less the lead of a person who was not asked about, is mapped so that a question
without an answer stays below .55 in 80 %, below .65 in 95 % and below .85 in 99.5 % of cases;
every other candidate gets a share of the best one's score. Share of answerable questions that
pass where 5 % of the others do: cosine alone .57, first stage alone .66, both .84.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from recalld.search.features import FEATURES, Matrix, column

# Maxima over the candidates, but for xling: the share of other-language chunks in the first 5.
QUESTION_FEATURES = (
    "lex",
    "cov",
    "cos",
    "exp",
    "missing",
    "zmax",
    "nterm",
    "hit",
    "xling",
    "sparse",
)

ANCHOR_SCORES = (0.55, 0.65, 0.85)
_MAX_LOG_ODDS = 30.0
_FIRST = 5


class Provenance(Struct, frozen=True, kw_only=True):
    """Where coefficients come from. They are fitted numbers and hold no text of a source."""

    fitted_on: str
    sources: tuple[str, ...]
    note: str


class Coefficients(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The data file of one engine. ``anchors`` are the values of c at ``ANCHOR_SCORES``.

    ``lead_weight``: what the lead of others than the named person takes from c. ``identity``:
    the very model they were fitted for; empty: any of the engine.
    """

    engine: str
    identity: str = ""
    provenance: Provenance
    features: tuple[str, ...]
    hit: tuple[float, ...]
    hit_bias: float
    question_features: tuple[str, ...]
    question: tuple[float, ...]
    question_bias: float
    question_weight: float
    lead_weight: float
    anchors: tuple[float, float, float]
    floor: float

    def __post_init__(self) -> None:
        if self.features != FEATURES or self.question_features != QUESTION_FEATURES:
            raise ValueError(f"{self.engine}: coefficients of other features")
        if len(self.hit) != len(FEATURES) or len(self.question) != len(QUESTION_FEATURES):
            raise ValueError(f"{self.engine}: a coefficient for every feature is needed")
        if not self.anchors[0] < self.anchors[1] < self.anchors[2]:
            raise ValueError(f"{self.engine}: anchors must rise")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """``raw`` judges; ``hit`` is the log-odds of being the evidence."""

    raw: NDArray[np.float64]
    hit: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Those of one question in one place. ``lead``: see ``Fusion``.

    ``away``: what is taken off their log-odds for standing elsewhere than at the asker's home.
    """

    features: Matrix
    coefficients: Coefficients
    lead: float = 0.0
    away: float = 0.0


def weighs(coefficients: Coefficients, name: str) -> bool:
    """Whether a feature changes a score by them."""
    asked = dict(zip(coefficients.question_features, coefficients.question, strict=True))
    return coefficients.hit[column(name)] != 0 or asked.get(name, 0.0) != 0


def judge(features: Matrix, coefficients: Coefficients, *, lead: float = 0.0) -> Judgement:
    """Raw scores of the candidates of one question in one place, in their order."""
    alone = Candidates(features=features, coefficients=coefficients, lead=lead)
    return judge_together((alone,))[0]


def judge_together(places: Sequence[Candidates]) -> tuple[Judgement, ...]:
    """Raw scores of one question's candidates in several places, on one scale.

    The most likely candidate of all is mapped by its own place's c; every other, wherever it
    stands, gets a share of that by its likelihood.
    """
    hits = [hit_log_odds(one.features, one.coefficients) for one in places]
    tops = [
        float(hit.max(initial=-np.inf)) - one.away for hit, one in zip(hits, places, strict=True)
    ]
    if not tops or max(tops) == -np.inf:
        return tuple(Judgement(raw=hit, hit=hit) for hit in hits)
    leader = int(np.argmax(tops))
    first = places[leader]
    best = best_log_odds(first.features, hits[leader], first.coefficients, lead=first.lead)
    top = raw_score(best - first.away, first.coefficients.anchors)
    most = _chance(np.array(tops[leader]))
    judged = []
    for one, hit in zip(places, hits, strict=True):
        floor = one.coefficients.floor
        share = floor + (1 - floor) * _chance(hit - one.away) / most
        judged.append(Judgement(raw=top * share, hit=hit))
    return tuple(judged)


def _chance(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    chance: NDArray[np.float64] = 1 / (1 + np.exp(-odds))
    return chance


def best_log_odds(
    features: Matrix, hit: NDArray[np.float64], coefficients: Coefficients, *, lead: float
) -> float:
    """c of the best candidate; needs at least one."""
    answerable = float(
        question_features(features, hit) @ np.array(coefficients.question)
        + coefficients.question_bias
    )
    best = float(hit.max()) + coefficients.question_weight * answerable
    return best - coefficients.lead_weight * lead


def hit_log_odds(features: Matrix, coefficients: Coefficients) -> NDArray[np.float64]:
    odds = features @ np.array(coefficients.hit) + coefficients.hit_bias
    clipped: NDArray[np.float64] = np.clip(odds, -_MAX_LOG_ODDS, _MAX_LOG_ODDS)
    return clipped


def question_features(features: Matrix, hit: NDArray[np.float64]) -> NDArray[np.float64]:
    """One row, columns ``QUESTION_FEATURES``; needs at least one candidate."""
    names = ("lex", "cov", "cos", "exp", "missing", "zmax", "nterm")
    values = [float(features[:, column(name)].max()) for name in names]
    other_language = float(features[:_FIRST, column("xling")].mean())
    shared = float(features[:, column("sparse")].max())
    return np.array([*values, float(hit.max()), other_language, shared])


def raw_score(value: float, anchors: tuple[float, float, float]) -> float:
    """Straight lines through the anchors, going on beyond the outer ones, kept in [0, 1]."""
    low, middle, high = anchors
    below, at, above = ANCHOR_SCORES
    if value < middle:
        score = below + (value - low) * (at - below) / (middle - low)
    else:
        score = at + (value - middle) * (above - at) / (high - middle)
    return min(1.0, max(0.0, score))
