"""Lists of different lengths in two flat arrays. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Ragged:
    """List ``i`` is ``values[start[i]:start[i + 1]]``; ``start`` has one entry more than lists."""

    values: NDArray[Any]
    start: NDArray[np.int64]

    @classmethod
    def of(cls, lists: Sequence[Sequence[Any]], dtype: np.dtype[Any]) -> "Ragged":
        flat = [value for one in lists for value in one]
        return cls(np.array(flat, dtype), _starts(np.array([len(one) for one in lists], np.int64)))

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.start)

    def take(self, order: NDArray[np.int64]) -> "Ragged":
        """The lists at ``order``, in that order."""
        lengths = self.lengths[order]
        start = _starts(lengths)
        # Position j of the result belongs to list i; it is as far from that list's start there.
        owner = np.repeat(np.arange(len(order)), lengths)
        at = self.start[order][owner] + np.arange(start[-1]) - start[owner]
        return Ragged(self.values[at], start)

    def followed_by(self, other: "Ragged") -> "Ragged":
        start = np.concatenate((self.start, other.start[1:] + self.start[-1]))
        return Ragged(np.concatenate((self.values, other.values)), start)


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))
