"""What speaks for and against two memories being about one matter, as figures. Pure.

A shared word is weak evidence: it may name another matter. So the rest of the signal has to be
explained too (``aligned``), by words that mean the like, in either language; and what belongs to a
matter is near to what else belongs to it (``supported``), and not much farther away than the
nearest (``behind``), while a signal that is near to everything is near to nothing (``crowd``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest

import numpy as np
from numpy.typing import NDArray

from recalld.heartbeat.subject import Frequencies, Subject
from recalld.heartbeat.weights import WordCentres
from recalld.text.tokens import stem

Vector = NDArray[np.float32]
Matrix = NDArray[np.float64]
Figures = dict[str, float]

# The nearest few may all be related; those behind them tell how crowded it is.
_CROWD = slice(3, 13)
_CROWD_SIZE = 10
# Where there are not so many: that a store is small brings nothing nearer.
_USUAL_CROWD = 0.15
_TINY = 1e-9
# Multiplications that are not shared out among threads: on busy cores these waited for each other
# for 25 ms, every tenth time, over what one does in 0.04 ms.
_SMALL = 1 << 17


def by_words(
    asked: Subject, others: Sequence[Subject], frequencies: Frequencies
) -> tuple[Figures, ...]:
    """What the words of each of ``others`` tell.

    ``shared``: how much the tokens say that are in both; ``covered``: the share that is of what
    the signal says; ``covered_behind``: how much less than the best of the rest covers, 0 or below.
    """
    whole = max(_TINY, _weight(asked.tokens, frequencies))
    shared = [_weight(asked.tokens & one.tokens, frequencies) for one in others]
    covered = [one / whole for one in shared]
    best = _best_of_the_rest(covered)
    return tuple(
        {
            "shared": shared[at],
            "covered": covered[at],
            "covered_behind": min(0.0, covered[at] - best[at]),
        }
        for at in range(len(others))
    )


def by_vectors(asked: Vector, others: Sequence[Vector]) -> tuple[Figures, ...]:
    """What the vectors of whole memories tell, all of unit length and of one engine.

    ``supported``: the best way from the signal to this one over a third, as near as its farther
    step; ``behind``: how much farther than the best of the rest, 0 or below; ``crowd``: the mean
    cosine of the fourth to the thirteenth of the rest, where the usual one stands for each that
    there is none.
    """
    if not others:
        return ()
    rows = np.asarray(others, np.float64)
    cosines = [float(one) for one in rows @ np.asarray(asked, np.float64)]
    steps = np.minimum(_between(rows), cosines)
    np.fill_diagonal(steps, -np.inf)
    supported = steps.max(axis=1).tolist() if len(others) > 1 else [0.0]
    nearest = sorted(cosines, reverse=True)
    found = []
    for at, cosine in enumerate(cosines):
        rest = nearest.copy()
        rest.remove(cosine)
        found.append(
            {
                "cosine": cosine,
                "supported": supported[at],
                "behind": min(0.0, cosine - rest[0]) if rest else 0.0,
                "crowd": _crowd(rest[_CROWD]),
            }
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class WordField:
    """Single words as one engine sees them, in unit vectors from the centre of their script.

    What all words of a script have in common says nothing of any of them.
    """

    vectors: Mapping[str, Matrix]

    @classmethod
    def of(cls, words: Mapping[str, Vector], centres: WordCentres) -> "WordField":
        """``words`` as the engine gives them, of unit length; those of another size are left out:
        they are another model's."""
        names = sorted(word for word in words if len(words[word]) == len(centres.latin))
        if not names:
            return cls({})
        rows = np.array([words[name] for name in names], np.float64)
        rows -= np.array([centres.of(name) for name in names])
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _TINY)
        return cls(dict(zip(names, rows, strict=True)))

    def aligned(self, asked: Subject, other: Subject, frequencies: Frequencies) -> float:
        """How near the signal's words that are not shared are to the nearest of the other's.

        A mean by rarity; 0 where either has no such word, or none with a vector.
        """
        shared = asked.tokens & other.tokens
        mine, its = self._left(asked, shared), self._left(other, shared)
        if not mine or not its:
            return 0.0
        rows = np.array([self.vectors[word] for word in mine])
        nearness = (rows @ np.array([self.vectors[word] for word in its]).T).max(axis=1)
        rarities = np.array([frequencies.rarity(stem(word)) for word in mine])
        return float(nearness @ rarities / max(_TINY, rarities.sum()))

    def _left(self, of: Subject, shared: frozenset[str]) -> list[str]:
        return [word for word in of.words if stem(word) not in shared and word in self.vectors]


def _between(rows: Matrix) -> Matrix:
    """The cosine of each two."""
    some = max(1, _SMALL // rows.size)
    return np.concatenate([rows[at : at + some] @ rows.T for at in range(0, len(rows), some)])


def _crowd(cosines: Sequence[float]) -> float:
    lacking = _CROWD_SIZE - len(cosines)
    return (sum(cosines) + lacking * _USUAL_CROWD) / _CROWD_SIZE


def _best_of_the_rest(values: Sequence[float]) -> list[float]:
    """For each the best of all others; 0 where there are none."""
    first, second = (*nlargest(2, values), 0.0, 0.0)[:2]
    return [second if one == first else first for one in values]


def _weight(tokens: frozenset[str], frequencies: Frequencies) -> float:
    # Sorted: a sum of floats depends on its order, and a set has none.
    return sum(map(frequencies.rarity, sorted(tokens)))
