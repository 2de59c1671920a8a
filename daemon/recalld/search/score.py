"""Two legs to one score: how much a chunk looks like the answer, before it is judged. Pure.

Both legs are scaled to their own best, so the size of the corpus does not enter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recalld.search.corpus import NO_SPEAKER, Bools, Corpus, Ints
from recalld.search.matrix import Singles
from recalld.search.policy import SearchPolicy

_TINY = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexical:
    """bm25 over the corpus's chunks, higher is better, 0 where nothing matches."""

    own: Singles
    expansion: Singles


@dataclass(frozen=True, slots=True, kw_only=True)
class Dense:
    """Cosines over the corpus's chunks. ``windows`` are those of the single windows.

    ``plain``: the best window; ``near``: with the neighbours' share; ``z``: with the file's head
    too, standardised over what is searched; 0 where there is no vector.
    """

    windows: Singles
    plain: Singles
    near: Singles
    z: Singles


@dataclass(frozen=True, slots=True, kw_only=True)
class Legs:
    """What the two searches brought. No dense leg: it could not take part."""

    lexical: Lexical
    dense: Dense | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """``score`` orders; it says nothing about relevance. ``-inf`` where nothing may be found."""

    legs: Legs
    score: Singles
    support: Singles
    other_speaker: Bools


def spread(corpus: Corpus, scores: Mapping[int, float]) -> Singles:
    """Scores by chunk id as a column; ids that the corpus does not hold are left out."""
    column = np.zeros(len(corpus), np.float32)
    if scores:
        at = corpus.positions(list(scores))
        values = np.fromiter(scores.values(), np.float32, len(scores))
        column[at[at >= 0]] = values[at >= 0]
    return column


def dense_scores(
    corpus: Corpus, question: Singles, *, content: Singles, allowed: Bools, policy: SearchPolicy
) -> Dense:
    """``question`` and ``content`` are the vectors of the question as it is and of its content.

    Their cosines are averaged: the mean of both is the safe choice.
    """
    windows = corpus.vectors.scores(((question + content) / 2).astype(np.float32))
    plain, has_vector = _best_window(corpus, windows)
    heads = corpus.heads.scores(question)[corpus.file]
    near = _with_neighbours(corpus, plain, policy)
    full = _with_neighbours(corpus, plain + policy.head_weight * heads, policy)
    z = np.zeros(len(corpus), np.float32)
    counted = allowed & has_vector
    if counted.any():
        mean, deviation = full[counted].mean(), full[counted].std()
        z[counted] = (full[counted] - mean) / max(float(deviation), _TINY)
    return Dense(windows=windows, plain=plain, near=near, z=z)


def fuse(
    corpus: Corpus, legs: Legs, *, allowed: Bools, named: Sequence[int], policy: SearchPolicy
) -> Fusion:
    """One score a chunk. ``named`` are the speakers the question names; one of them is a rule."""
    lexical, dense = legs.lexical, legs.dense
    words = lexical.own + policy.expansion_weight * lexical.expansion
    score = np.where(allowed, words, 0.0)
    score = score / max(float(score.max(initial=0.0)), _TINY)
    found = allowed & (words > 0)
    if dense is not None:
        z = np.where(allowed, dense.z, 0.0)
        part = np.clip(z / max(float(z.max(initial=0.0)), _TINY), 0.0, 1.0)
        score = policy.lexical_weight * score + (1 - policy.lexical_weight) * part
        found = allowed
    support = _support(corpus, score, policy)
    score = score + policy.support_weight * support
    other = np.zeros(len(corpus), np.bool_)
    if len(named) == 1:
        other = (corpus.speaker != NO_SPEAKER) & (corpus.speaker != named[0])
        score = score - policy.other_speaker_penalty * other
    score = np.where(found, score, -np.inf).astype(np.float32)
    return Fusion(legs=legs, score=score, support=support, other_speaker=other)


def best(score: Singles, count: int) -> Ints:
    """Positions of the ``count`` best, best first, ties by position; never ``-inf``."""
    count = min(count, int(np.isfinite(score).sum()))
    if count <= 0:
        return np.zeros(0, np.int64)
    # Everything as good as the last one takes part, so that a tie is not broken by chance.
    edge = np.partition(score, len(score) - count)[len(score) - count]
    pool = np.flatnonzero(score >= edge)
    return pool[np.argsort(-score[pool], kind="stable")][:count]


def smoothed(corpus: Corpus, dense: Dense, at: Ints) -> Singles:
    """What the neighbours add to the cosine of some chunks."""
    gain: Singles = dense.near[at] - dense.plain[at]
    return gain


def _best_window(corpus: Corpus, windows: Singles) -> tuple[Singles, Bools]:
    best_score = np.zeros(len(corpus), np.float32)
    has_vector = np.zeros(len(corpus), np.bool_)
    at = np.flatnonzero(corpus.findable)
    if len(at):
        start = corpus.passages.start[at]
        scores = np.where(corpus.filled, windows, -np.inf)
        top = np.maximum.reduceat(scores, start)
        has_vector[at] = np.isfinite(top)
        best_score[at] = np.where(np.isfinite(top), top, 0.0)
    return best_score, has_vector


def _with_neighbours(corpus: Corpus, scores: Singles, policy: SearchPolicy) -> Singles:
    before = np.where(corpus.previous >= 0, scores[corpus.previous], scores)
    after = np.where(corpus.following >= 0, scores[corpus.following], scores)
    weight = 1 + policy.previous_weight + policy.next_weight
    total = scores + policy.previous_weight * before + policy.next_weight * after
    return (total / weight).astype(np.float32)


def _support(corpus: Corpus, score: NDArray[np.floating], policy: SearchPolicy) -> Singles:
    """The weighted mean of the best scores of the chunk's file, from the best of all chunks."""
    pool = best(score.astype(np.float32), policy.support_pool)
    file = corpus.file[pool]
    order = np.argsort(file, kind="stable")
    sorted_file = file[order]
    first = np.searchsorted(sorted_file, sorted_file, side="left")
    rank = np.arange(len(order)) - first
    decay = np.array(policy.support_decay, np.float32)
    counted = rank < len(decay)
    weights = decay[rank[counted]] * np.maximum(score[pool][order][counted], 0.0)
    sums = np.bincount(sorted_file[counted], weights=weights, minlength=len(corpus.files))
    support: Singles = (sums / decay.sum()).astype(np.float32)[corpus.file]
    return support
