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
    """Rows of half floats, zeros at first. The rows live in the scanner and nowhere else.

    ``view`` is for whoever builds it; nobody writes once it is searched.
    """

    def __init__(self, rows: int, dimension: int) -> None:
        self._count, self._dimension = rows, dimension
        self._index = faiss.IndexScalarQuantizer(
            max(1, dimension), faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        if rows and dimension:
            self._index.codes.resize(rows * dimension * 2)
            self._index.ntotal = rows

    @classmethod
    def of(cls, rows: NDArray[np.floating]) -> "HalfMatrix":
        matrix = cls(*rows.shape)
        matrix.view()[:] = rows
        return matrix

    def __len__(self) -> int:
        return int(self._count)

    @property
    def dimension(self) -> int:
        return int(self._dimension)

    def view(self) -> Half:
        """The rows themselves, not a copy; gone when the matrix is."""
        if not self._index.ntotal:
            return np.zeros((self._count, self._dimension), np.float16)
        size = self._index.ntotal * self._dimension * 2
        raw: NDArray[np.uint8] = faiss.rev_swig_ptr(self._index.codes.data(), size)
        view: Half = raw.view(np.float16).reshape(self._count, self._dimension)
        return view

    def rows(self, at: NDArray[np.int64]) -> Half:
        """A copy of some rows."""
        copied: Half = self.view()[at]
        return copied

    def scores(self, vector: Singles) -> Singles:
        """The inner product of every row with ``vector``."""
        scores = np.zeros(len(self), np.float32)
        if self._index.ntotal:
            values, at = self._search(vector[None, :], len(self))
            scores[at[0]] = values[0]
        return scores

    def best(self, vectors: Singles, count: int) -> tuple[Singles, NDArray[np.int64]]:
        """The ``count`` best rows for each vector, best first: scores and row numbers."""
        if not self._index.ntotal or not len(vectors):
            empty = np.zeros((len(vectors), 0))
            return empty.astype(np.float32), empty.astype(np.int64)
        return self._search(vectors, min(count, len(self)))

    def _search(self, vectors: Singles, count: int) -> tuple[Singles, NDArray[np.int64]]:
        # Of this thread alone, whichever it is: the other cores are the user's.
        faiss.omp_set_num_threads(1)
        values, at = self._index.search(vectors, count)
        return values, at
