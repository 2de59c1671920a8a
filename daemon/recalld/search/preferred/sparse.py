"""Learned sparse weights in memory: inverted lists over the windows of a workspace. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recalld.embed.port import SparseVector
from recalld.search.columns import HASH
from recalld.search.corpus import Corpus
from recalld.search.matrix import Singles

_ID, _WEIGHT = np.dtype("<i4"), np.dtype("<f2")
_ENTRY_BYTES = _ID.itemsize + _WEIGHT.itemsize

# Nothing was measured with real weights, so these are the seed's thresholds and not calibrated:
# half of what a question gives itself is as much as the floor of a hit, and all of it stays
# below the .65 that answers a question. Sharing words is no proof by itself.
SHARES, SCORES = (0.0, 0.5, 1.0), (0.0, 0.55, 0.64)
MOST = SCORES[-1]


def packed(vector: SparseVector) -> bytes:
    """Ids, then weights as half floats: 6 bytes a token."""
    return vector.ids.astype(_ID).tobytes() + vector.weights.astype(_WEIGHT).tobytes()


def unpacked(blob: bytes) -> SparseVector:
    """``ValueError`` for bytes that ``packed`` never makes."""
    count, rest = divmod(len(blob), _ENTRY_BYTES)
    if rest:
        raise ValueError(f"{len(blob)} bytes of sparse weights")
    split = count * _ID.itemsize
    weights = np.frombuffer(blob[split:], _WEIGHT).astype(np.float32)
    return SparseVector(ids=np.frombuffer(blob[:split], _ID), weights=weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseIndex:
    """List ``i`` is of ``tokens[i]``: the texts that have it and its weight in each.

    ``hashes`` are those of the texts, sorted; ``text`` holds positions in it.
    """

    hashes: NDArray[Any]
    tokens: NDArray[np.int32]
    start: NDArray[np.int64]
    text: NDArray[np.int32]
    weight: NDArray[np.float16]

    @classmethod
    def of(cls, blobs: Mapping[bytes, bytes]) -> "SparseIndex":
        """Of packed weights by text hash."""
        ordered = sorted(blobs)
        rows = [unpacked(blobs[key]) for key in ordered]
        ids = np.concatenate([row.ids for row in rows]) if rows else np.zeros(0, np.int32)
        weights = np.concatenate([row.weights for row in rows]) if rows else np.zeros(0)
        owner = np.repeat(np.arange(len(rows), dtype=np.int32), [len(row.ids) for row in rows])
        order = np.argsort(ids, kind="stable")
        tokens, first = np.unique(ids[order], return_index=True)
        return cls(
            hashes=np.array(ordered, HASH),
            tokens=tokens.astype(np.int32),
            start=np.append(first, len(ids)).astype(np.int64),
            text=owner[order],
            weight=weights[order].astype(np.float16),
        )

    def scores(self, question: SparseVector) -> Singles:
        """For each text the sum over shared tokens of weight times weight."""
        scores = np.zeros(len(self.hashes), np.float32)
        at = np.searchsorted(self.tokens, question.ids)
        for place, token, weight in zip(at, question.ids, question.weights, strict=True):
            if place < len(self.tokens) and self.tokens[place] == token:
                some = slice(self.start[place], self.start[place + 1])
                scores[self.text[some]] += weight * self.weight[some].astype(np.float32)
        return scores

    def places(self, corpus: Corpus) -> NDArray[np.int64]:
        """Where each window of ``corpus`` stands in ``hashes``; -1: it has no weights here."""
        wanted = corpus.passages.values
        if not len(self.hashes) or not len(wanted):
            return np.full(len(wanted), -1, np.int64)
        at = np.minimum(np.searchsorted(self.hashes, wanted), len(self.hashes) - 1)
        return np.where(self.hashes[at] == wanted, at, -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseCorpus:
    """The lists of one workspace, and where its windows stand in them."""

    corpus: Corpus
    index: SparseIndex
    places: NDArray[np.int64]

    @classmethod
    def of(cls, corpus: Corpus, blobs: Mapping[bytes, bytes]) -> "SparseCorpus":
        index = SparseIndex.of(blobs)
        return cls(corpus=corpus, index=index, places=index.places(corpus))

    @property
    def known(self) -> int:
        """How many of its windows have weights."""
        return int((self.places >= 0).sum())

    def shares(self, corpus: Corpus, question: SparseVector) -> Singles:
        """Of each chunk of ``corpus`` the best window's score, by what the question gives itself.

        ``corpus`` may be newer than the lists; a window that they do not know has 0.
        """
        here = self
        if corpus is not self.corpus:
            here = replace(self, corpus=corpus, places=self.index.places(corpus))
        return shares_of(here.chunks(here.windows(question)), question)

    def windows(self, question: SparseVector) -> Singles:
        """The score of every window; 0 where nothing is shared."""
        scores = np.append(self.index.scores(question), np.float32(0))
        found: Singles = scores[self.places]
        return found

    def chunks(self, windows: Singles) -> Singles:
        """The best window's score of every chunk; 0 for one without a window."""
        best = np.zeros(len(self.corpus), np.float32)
        at = np.flatnonzero(self.corpus.findable)
        if len(at):
            best[at] = np.maximum.reduceat(windows, self.corpus.passages.start[at])
        return best


def shares_of(scores: Singles, question: SparseVector) -> Singles:
    """By what the question would give itself; 0 for a question without weights."""
    own = float((question.weights**2).sum())
    return scores / np.float32(own) if own > 0 else np.zeros_like(scores)


def raw_scores(scores: Singles, question: SparseVector) -> Singles:
    """Of the sparse route, by the share of what the question would give itself."""
    return np.interp(shares_of(scores, question), SHARES, SCORES).astype(np.float32)
