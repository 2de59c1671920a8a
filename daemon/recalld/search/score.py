"""Two legs to one score: how much a chunk looks like the answer, before it is judged. Pure.

Both legs are scaled to their own best, so the size of the corpus does not enter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from recalld.embed.port import SparseVector
from recalld.search.corpus import Bools, Corpus, Ints
from recalld.search.matrix import Singles
from recalld.search.policy import SearchPolicy
from recalld.search.speaker import lead_of_others, other_speakers

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


class Learned(Protocol):
    """The learned weights of one workspace's texts."""

    def shares(self, corpus: Corpus, question: SparseVector) -> Singles:
        """Of each chunk, by what the question gives itself: 0 for nothing in common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Legs:
    """What the searches brought. No dense leg: it could not take part.

    ``learned``: the ``Learned.shares``; None where there are no learned weights.
    """

    lexical: Lexical
    dense: Dense | None = None
    learned: Singles | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """What a question says of where to look, for one corpus.

    ``named``: the speakers it names; one of them is a rule. ``own_words``: the asker's words are
    wanted, not the assistant's. ``near``: how near each chunk is to the time it names.
    """

    named: tuple[int, ...] = ()
    own_words: bool = False
    near: Singles | None = None


NO_CUES = Cues()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """``score`` orders; it says nothing about relevance. ``-inf`` where nothing may be found.

    ``assistant``: said by the assistant where the asker's own words are wanted. ``near``: to the
    time the question names, 0 where it names none. ``lead``: see ``lead_of_others``.
    """

    legs: Legs
    score: Singles
    support: Singles
    other_speaker: Bools
    assistant: Bools
    near: Singles
    lead: float


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


def fuse(corpus: Corpus, legs: Legs, *, allowed: Bools, cues: Cues, policy: SearchPolicy) -> Fusion:
    """One score a chunk: both legs, what the question's time and a turn's kind say, the support
    of the file; then, among those, whose words they are."""
    second, dense = policy.second, legs.dense
    words = legs.lexical.own + policy.expansion_weight * legs.lexical.expansion
    found = allowed & (words > 0) if dense is None else allowed
    score = _of_legs(words, dense, allowed=allowed, policy=policy)
    near = np.zeros(len(corpus), np.float32) if cues.near is None else cues.near
    score = score + second.window_weight * near
    if second.question_turns:
        score = score - second.asking_penalty * corpus.asking
    support = _support(corpus, score, policy)
    score = score + policy.support_weight * support
    lead = 0.0
    if second.wrong_person and len(cues.named) == 1:
        anybody = np.where(found, score, -np.inf).astype(np.float32)
        pool = best(anybody, second.wrong_person_candidates)
        lead = lead_of_others(
            corpus, np.where(allowed, legs.lexical.own, 0), pool, named=cues.named
        )
    other = other_speakers(corpus, cues.named)
    assistant = corpus.assistant & cues.own_words
    score = score - policy.other_speaker_penalty * other - second.assistant_penalty * assistant
    return Fusion(
        legs=legs,
        score=np.where(found, score, -np.inf).astype(np.float32),
        support=support,
        other_speaker=other,
        assistant=assistant,
        near=near,
        lead=lead,
    )


def _of_legs(
    words: Singles, dense: Dense | None, *, allowed: Bools, policy: SearchPolicy
) -> NDArray[np.floating]:
    score = np.where(allowed, words, 0.0)
    score = score / max(float(score.max(initial=0.0)), _TINY)
    if dense is None:
        return score
    z = np.where(allowed, dense.z, 0.0)
    part = np.clip(z / max(float(z.max(initial=0.0)), _TINY), 0.0, 1.0)
    mixed: NDArray[np.floating] = policy.lexical_weight * score + (1 - policy.lexical_weight) * part
    return mixed


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
