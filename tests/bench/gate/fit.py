"""Fit the gate's embedding stage: ``python -m bench.gate --fit`` or ``--write``.

Logistic regression with an L2 penalty on the vectors of the labelled messages outside the
held-out third and of our own messages, plus questions of the retrieval sets at a fifth of the
weight. The thresholds come from ten-fold cross-validated probabilities, so no message has seen
its own vector.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.gate.data import Questions, Row, gate_rows, questions
from bench.gate.embed import IDENTITY, QueryEncoder
from bench.gate.messages import NEEDS_MEMORY, NEEDS_NONE
from recalld.recall.gate_extended import GateModel, Provenance, Source, needs_extended
from recalld.recall.model import GateVerdict, Verdict

Floats = NDArray[np.float64]

COMMAND = "python -m bench.gate --write"
PENALTY = 1.0
QUESTION_WEIGHT = 0.2
FOLDS = 10
# Below the low threshold stay 80 % of the messages that need nothing, below the high 98.5 %.
LOW_SHARE = 0.80
HIGH_SHARE = 0.985
SOURCES = {
    "own": "written for the evaluation set",
    "longmemeval": "MIT",
    "longmemeval-haystack": "MIT",
    "memorybank": "MIT",
    "belle-eval": "ODC-By",
    "humaneval": "MIT",
    "cmrc_zh": "CC BY-SA 4.0",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    vectors: Floats
    needs: Floats
    weights: Floats
    gate: int  # the first so many are labelled messages
    asked: NDArray[np.bool_]  # of these, whether the stage would look at them


def training_rows(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """User rows that say yes or no, outside the held-out third and of free sources."""
    return tuple(
        row
        for row in rows
        if row.kind == "user"
        and row.label in {"yes", "no"}
        and not row.held_out
        and row.origin != "locomo"
    )


def examples(encode: QueryEncoder, rows: tuple[Row, ...], sets: tuple[Questions, ...]) -> Examples:
    texts = [*(row.text for row in rows), *NEEDS_MEMORY, *NEEDS_NONE]
    needs = [float(row.label == "yes") for row in rows]
    needs += [1.0] * len(NEEDS_MEMORY) + [0.0] * len(NEEDS_NONE)
    labelled = len(texts)
    weights = [1.0] * labelled
    for one in sets:
        texts += one.texts
        needs += [float(one.needs_memory)] * len(one.texts)
        weights += [QUESTION_WEIGHT] * len(one.texts)
    return Examples(
        vectors=encode(texts).astype(np.float64),
        needs=np.array(needs),
        weights=np.array(weights),
        gate=labelled,
        asked=np.array([_looked_at(text) for text in texts[:labelled]]),
    )


def fit(data: Examples, chosen: NDArray[np.bool_]) -> Floats:
    """Weights and, last, the bias; Newton's method, twelve steps."""
    x = np.c_[data.vectors[chosen], np.ones(int(chosen.sum()))]
    y, w = data.needs[chosen], data.weights[chosen]
    beta = np.zeros(x.shape[1])
    penalty = np.r_[np.full(x.shape[1] - 1, PENALTY), 0.0]
    for _ in range(12):
        p = 1 / (1 + np.exp(-x @ beta))
        gradient = x.T @ (w * (p - y)) + penalty * beta
        hessian = (x * (w * np.maximum(p * (1 - p), 1e-4))[:, None]).T @ x
        beta -= np.linalg.solve(hessian + np.diag(penalty + 1e-9), gradient)
    return beta


def chances(beta: Floats, vectors: Floats) -> Floats:
    result: Floats = 1 / (1 + np.exp(-(vectors @ beta[:-1] + beta[-1])))
    return result


def cross_validated(data: Examples) -> Floats:
    """The probability of each gate row by a fit that did not see it."""
    fold = np.random.default_rng(0).permutation(data.gate) % FOLDS
    result = np.zeros(data.gate)
    for k in range(FOLDS):
        seen = np.ones(len(data.needs), bool)
        seen[: data.gate] = fold != k
        result[fold == k] = chances(fit(data, seen), data.vectors[: data.gate][fold == k])
    return result


def thresholds(data: Examples) -> tuple[float, float, float]:
    """Low, high and the area under the curve, over the messages the stage would look at."""
    chance = cross_validated(data)
    needs = data.needs[: data.gate] == 1
    no = chance[~needs & data.asked]
    yes = chance[needs]
    area = float(np.mean(yes[:, None] > chance[~needs][None, :]))
    return float(np.quantile(no, LOW_SHARE)), float(np.quantile(no, HIGH_SHARE)), area


def _looked_at(text: str) -> bool:
    plain = GateVerdict(
        verdict=Verdict.NO, reason="default", rule="default", confidence=0.9, query=text
    )
    return needs_extended(plain, text)


def fitted(folder: Path, encode: QueryEncoder) -> tuple[GateModel, float]:
    """The coefficients with their provenance, and the cross-validated area under the curve."""
    rows = training_rows(gate_rows(folder))
    sets = questions(folder)
    data = examples(encode, rows, sets)
    low, high, area = thresholds(data)
    beta = fit(data, np.ones(len(data.needs), bool))
    return (
        GateModel(
            engine=IDENTITY.engine,
            model=IDENTITY.model,
            low=round(low, 4),
            high=round(high, 4),
            bias=round(float(beta[-1]), 4),
            weights=tuple(round(float(b), 4) for b in beta[:-1]),
            provenance=_provenance(rows, sets),
        ),
        area,
    )


def _provenance(rows: tuple[Row, ...], sets: tuple[Questions, ...]) -> Provenance:
    origins = sorted({row.origin for row in rows})
    return Provenance(
        command=COMMAND,
        sources=(
            Source(
                name="messages written for the tests of this repository",
                licence="MIT",
                rows=len(NEEDS_MEMORY) + len(NEEDS_NONE),
            ),
            *(
                Source(
                    name=f"labelled messages, origin {origin}",
                    licence=SOURCES[origin],
                    rows=sum(row.origin == origin for row in rows),
                )
                for origin in origins
            ),
            *(
                Source(name=f"questions of {one.name}", licence=one.licence, rows=len(one.texts))
                for one in sets
            ),
        ),
        note="Fitted numbers; no text of a source is in them. A third of the labelled messages"
        " and everything of LoCoMo was left out.",
    )
