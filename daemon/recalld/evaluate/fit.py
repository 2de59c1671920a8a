"""The raw score of one engine, fitted: two logistic regressions and three anchors.

Steps of the fit: how likely a candidate is the evidence; how likely the question can be answered
at all; where questions without an answer end. Sets weigh by the root of their size, so that a
large one does not decide alone.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import msgspec
import numpy as np

from recalld.evaluate.logistic import Fit, fit
from recalld.evaluate.metrics import Answer
from recalld.evaluate.samples import Sample
from recalld.search.features import FEATURES
from recalld.search.policy import SearchPolicy
from recalld.search.relevance import (
    QUESTION_FEATURES,
    Coefficients,
    Provenance,
    best_log_odds,
    hit_log_odds,
    question_features,
)

QUESTION_WEIGHT = 2.0
# 24 lets .05 more wrong persons pass, and useful answers in dialogue are the same .56.
LEAD_WEIGHT = 32.0
# Of the best hit's raw score, what the least likely of the others keeps. .6 shows more of the
# answer and, of three shown, .06 less that is right.
FLOOR = 0.55
# Shares of unanswerable questions that stay below raw .55, .65 and .85.
ANCHOR_SHARES = (0.80, 0.95, 0.995)
CROSSED_WEIGHT = 0.5
RIDGE = 1e-3
FOLDS = 5
# A topic that is there, of the wrong person: neither an answer nor a plain miss. Never fitted on.
ADVERSARIAL = "adversarial"
# Fewer say nothing about a threshold that one in twenty passes.
LEAST_ANSWERED, LEAST_UNANSWERED = 20, 40
_LEAST_RISE = 0.5


def fit_samples(samples: Iterable[Sample], engine: str, provenance: Provenance) -> Coefficients:
    """Raises ``ValueError`` where there are too few questions with and without an answer."""
    kept = [one for one in samples if _fitted_on(one)]
    misses = sum(one.query.abstain for one in kept)
    if len(kept) - misses < LEAST_ANSWERED or misses < LEAST_UNANSWERED:
        raise ValueError(
            f"{len(kept) - misses} questions with an answer and {misses} without one; "
            f"{LEAST_ANSWERED} and {LEAST_UNANSWERED} are needed"
        )
    hit = _fit_hit(kept)
    drawn = Coefficients(
        engine=engine,
        provenance=provenance,
        features=FEATURES,
        hit=hit.weights,
        hit_bias=hit.bias,
        question_features=QUESTION_FEATURES,
        question=(0.0,) * len(QUESTION_FEATURES),
        question_bias=0.0,
        question_weight=QUESTION_WEIGHT,
        lead_weight=LEAD_WEIGHT,
        anchors=(-1.0, 0.0, 1.0),
        floor=FLOOR,
    )
    question = _fit_question(kept, drawn)
    drawn = msgspec.structs.replace(drawn, question=question.weights, question_bias=question.bias)
    return msgspec.structs.replace(drawn, anchors=_anchors(kept, drawn))


def cross_validated(
    samples: Sequence[Sample],
    part: Callable[[Sample], object],
    *,
    engine: str,
    provenance: Provenance,
    policy: SearchPolicy,
) -> list[Answer]:
    """Every sample answered by coefficients that were fitted without its ``part``."""
    parts = dict.fromkeys(part(one) for one in samples)
    answers: dict[int, Answer] = {}
    for held_out in parts:
        others = [one for one in samples if part(one) != held_out]
        drawn = fit_samples(others, engine, provenance)
        for at, one in enumerate(samples):
            if part(one) == held_out:
                answers[at] = one.answer(drawn, policy)
    return [answers[at] for at in range(len(samples))]


def fold_of(sample: Sample, *, by_query: frozenset[str]) -> int:
    """Which of the folds: a conversation, a user or a chat stays in one; sets that are one corpus
    (``by_query``) are cut by question."""
    query = sample.query
    unit = query.qid if sample.set_name in by_query else query.group
    digest = hashlib.blake2b(f"{sample.set_name}/{unit}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % FOLDS


def single_corpora(samples: Iterable[Sample]) -> frozenset[str]:
    """Sets whose questions are all of one group."""
    groups: dict[str, set[str]] = {}
    for one in samples:
        if not one.crossed:
            groups.setdefault(one.set_name, set()).add(one.query.group)
    return frozenset(name for name, found in groups.items() if len(found) == 1)


def _fitted_on(one: Sample) -> bool:
    return one.query.category != ADVERSARIAL and len(one.features) > 0


def _fit_hit(samples: Sequence[Sample]) -> Fit:
    sizes = Counter((one.set_name, one.crossed) for one in samples)
    rows, labels, weights = [], [], []
    for one in samples:
        known = one.labels >= 0
        if not one.query.abstain and not (one.labels == 1).any():
            continue  # the evidence is no candidate: that says nothing about candidates
        weight = (CROSSED_WEIGHT if one.crossed else 1.0) / np.sqrt(
            sizes[one.set_name, one.crossed]
        )
        rows.append(one.features[known])
        labels.append(one.labels[known])
        weights.append(np.full(known.sum(), weight))
    return fit(np.concatenate(rows), np.concatenate(labels), np.concatenate(weights), ridge=RIDGE)


def _fit_question(samples: Sequence[Sample], drawn: Coefficients) -> Fit:
    def kind(one: Sample) -> tuple[str, bool, bool]:
        return one.set_name, one.query.abstain, one.crossed

    sizes = Counter(map(kind, samples))
    rows = np.stack(
        [question_features(one.features, hit_log_odds(one.features, drawn)) for one in samples]
    )
    labels = np.array([int(not one.query.abstain) for one in samples])
    weights = np.array([1 / np.sqrt(sizes[kind(one)]) for one in samples])
    weights[labels == 1] *= weights[labels == 0].sum() / weights[labels == 1].sum()
    return fit(rows, labels, weights, ridge=RIDGE)


def _anchors(samples: Sequence[Sample], drawn: Coefficients) -> tuple[float, float, float]:
    misses = [one for one in samples if one.query.abstain]
    sizes = Counter((one.set_name, one.query.category) for one in misses)
    values = np.array([best_of(one, drawn) for one in misses])
    weights = np.array([1 / np.sqrt(sizes[one.set_name, one.query.category]) for one in misses])
    order = np.argsort(values, kind="stable")
    passed = np.cumsum(weights[order]) / weights.sum()
    low, middle, high = (
        round(float(values[order][min(len(values) - 1, int(np.searchsorted(passed, part)))]), 4)
        for part in ANCHOR_SHARES
    )
    # With few questions two anchors may fall together; they must rise.
    middle = max(middle, low + _LEAST_RISE)
    return low, middle, max(high, middle + _LEAST_RISE)


def best_of(one: Sample, drawn: Coefficients) -> float:
    """c of its best candidate."""
    hit = hit_log_odds(one.features, drawn)
    return best_log_odds(one.features, hit, drawn, lead=one.lead)
