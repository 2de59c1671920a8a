"""Fit what tells related memories from near ones. Pure.

Logistic regression with a ridge on the figures of what was judged. The threshold is where F is
best by coefficients that have not seen the example, smoothed over its neighbours: which step of a
coarse grid is the very best is a matter of luck.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recalld.evaluate.logistic import fit
from recalld.heartbeat.enrich import EACH
from recalld.heartbeat.weights import Model

RIDGE = 0.003
_GRID = np.arange(-3.0, 2.0, 0.1)
_WIDE = 5

Odds = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A signal: the figures of what was judged, by any id; which are ``related``, judged or not.

    Examples of one ``fold`` are never fitted on for each other. ``weight``: how much it counts.
    """

    figures: Mapping[str, Mapping[str, float]]
    related: frozenset[str]
    fold: int
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    right: float = 0.0
    wrong: float = 0.0
    missed: float = 0.0

    def plus(self, other: "Counts", weight: float = 1.0) -> "Counts":
        return Counts(
            right=self.right + weight * other.right,
            wrong=self.wrong + weight * other.wrong,
            missed=self.missed + weight * other.missed,
        )

    @property
    def precision(self) -> float:
        """NaN where nothing was shown."""
        shown = self.right + self.wrong
        return self.right / shown if shown else float("nan")

    @property
    def recall(self) -> float:
        """NaN where nothing is related."""
        related = self.right + self.missed
        return self.right / related if related else float("nan")

    @property
    def f1(self) -> float:
        """NaN where nothing was shown and nothing is related."""
        return self.f()

    def f(self, *, missed_weight: float = 1.0) -> float:
        """F1 for 1; below, a missed one counts less than a wrong one."""
        right = (1 + missed_weight) * self.right
        whole = right + missed_weight * self.missed + self.wrong
        return right / whole if whole else float("nan")


def fitted(
    examples: Sequence[Example], features: tuple[str, ...], *, missed_weight: float = 1.0
) -> Model:
    """Needs examples of two folds, with related memories and others among them.

    ``missed_weight``: how much a missed one counts beside a wrong one.
    """
    model = coefficients(examples, features)
    odds = unseen(examples, features)
    quality = np.array([_quality(odds, threshold, missed_weight) for threshold in _GRID])
    padded = np.pad(np.nan_to_num(quality), _WIDE // 2, mode="edge")
    smooth = np.convolve(padded, np.ones(_WIDE) / _WIDE, "valid")
    threshold = round(float(_GRID[int(smooth.argmax())]), 1)
    return Model(
        features=model.features, weights=model.weights, bias=model.bias, threshold=threshold + 0.0
    )


def unseen(
    examples: Sequence[Example], features: tuple[str, ...]
) -> tuple[tuple[Example, Odds], ...]:
    """Each example with the odds by a fit without its fold."""
    found = []
    for fold in sorted({one.fold for one in examples}):
        model = coefficients([one for one in examples if one.fold != fold], features)
        found += [(one, odds_of(model, one)) for one in examples if one.fold == fold]
    return tuple(found)


def coefficients(examples: Iterable[Example], features: tuple[str, ...]) -> Model:
    """A fit to all of them, with a threshold of 0."""
    rows, labels, weights = list[list[float]](), list[int](), list[float]()
    for one in examples:
        for key, figures in one.figures.items():
            rows.append([figures[name] for name in features])
            labels.append(int(key in one.related))
            weights.append(one.weight)
    found = fit(np.array(rows), np.array(labels), np.array(weights), ridge=RIDGE)
    return Model(features=features, weights=found.weights, bias=found.bias, threshold=0.0)


def odds_of(model: Model, example: Example) -> dict[str, float]:
    return {key: model.odds(figures) for key, figures in example.figures.items()}


def shown(odds: Odds, threshold: float) -> tuple[str, ...]:
    """The first three at the threshold or over it, best first, ties by id."""
    ranked = sorted(odds, key=lambda key: (-odds[key], key))
    return tuple(key for key in ranked[:EACH] if odds[key] >= threshold)


def counted(found: Iterable[str], related: frozenset[str]) -> Counts:
    listed = frozenset(found)
    return Counts(
        right=len(listed & related), wrong=len(listed - related), missed=len(related - listed)
    )


def _quality(odds: Sequence[tuple[Example, Odds]], threshold: float, missed_weight: float) -> float:
    total = Counts()
    for one, chances in odds:
        total = total.plus(counted(shown(chances, threshold), one.related), one.weight)
    return total.f(missed_weight=missed_weight)
