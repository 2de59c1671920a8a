"""Exact scans of half floats, on one core whichever thread asks."""

from concurrent.futures import ThreadPoolExecutor

import faiss
import numpy as np

from recalld.search.matrix import HalfMatrix


def rows(count: int) -> np.ndarray:
    chance = np.random.default_rng(7)
    made = chance.normal(size=(count, 16)).astype(np.float32)
    unit: np.ndarray = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def test_the_best_are_those_with_the_highest_scores():
    made = rows(500)
    matrix = HalfMatrix.of(made)
    exact = made @ made[3]
    scores = matrix.scores(made[3])
    assert np.abs(scores - exact).max() < 2e-3
    values, at = matrix.best(made[3][None, :], 5)
    assert at[0].tolist() == np.argsort(-scores, kind="stable")[:5].tolist()
    assert values[0][0] == scores[3]


def test_a_scan_takes_one_core_in_a_thread_that_never_scanned():
    matrix = HalfMatrix.of(rows(50))

    def threads_of_a_scan() -> tuple[int, int]:
        faiss.omp_set_num_threads(2)
        before = faiss.omp_get_max_threads()
        matrix.scores(rows(1)[0])
        after = faiss.omp_get_max_threads()
        return before, after

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(threads_of_a_scan).result() == (2, 1)


def test_nothing_is_nothing():
    empty = HalfMatrix(0, 16)
    assert empty.scores(rows(1)[0]).tolist() == []
    assert [part.shape for part in empty.best(rows(2), 3)] == [(2, 0), (2, 0)]
