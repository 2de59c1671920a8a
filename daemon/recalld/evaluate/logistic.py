"""Weighted logistic regression with a ridge, by Newton's method."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_STEPS = 50
_DONE = 1e-7
_TINY = 1e-6
# More digits than the data decide.
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Fit:
    """Log-odds are ``row @ weights + bias``, in the units of the rows."""

    weights: tuple[float, ...]
    bias: float


def fit(
    rows: NDArray[np.float64],
    labels: NDArray[np.int64],
    weights: NDArray[np.float64],
    *,
    ridge: float,
) -> Fit:
    """``ridge`` pulls the weights of standardised columns to zero; the bias is free."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    # A column that never varies says nothing; it gets weight 0.
    used = spread > _TINY
    scaled = (rows[:, used] - mean[used]) / spread[used]
    design = np.c_[scaled, np.ones(len(rows))]
    importance = weights * len(weights) / weights.sum()
    penalty = np.r_[np.full(used.sum(), ridge), 0.0] * importance.sum()
    found = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(design @ found, -30, 30)))
        slope = design.T @ (importance * (chance - labels)) + penalty * found
        bend = importance * np.maximum(chance * (1 - chance), _TINY)
        step = np.linalg.solve((design * bend[:, None]).T @ design + np.diag(penalty), slope)
        found -= step
        if np.abs(step).max() < _DONE:
            break
    coefficients = np.zeros(rows.shape[1])
    coefficients[used] = found[:-1] / spread[used]
    bias = float(found[-1] - coefficients @ mean)
    return Fit(tuple(round(float(one), _DIGITS) for one in coefficients), round(bias, _DIGITS))
