"""The words of a corpus, and which of them are near a word of a question. Pure.

An expansion without a dictionary or a model call: the embedder's own neighbourhood of single
words, limited to words that are in the corpus. A Chinese question finds English pages by it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from recalld.search.matrix import HalfMatrix, Singles
from recalld.search.policy import SearchPolicy
from recalld.search.ragged import Ragged
from recalld.text.language import has_cjk
from recalld.text.stopwords import is_stopword
from recalld.text.tokens import stem, surface_tokens

_WORD_ID = np.dtype(np.int32)
_MIN_CHARS = 3
_MAX_CHARS = 32
# Single floats take twice the memory of what is kept, so they are made in parts.
_ROWS_AT_ONCE = 1_024


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of each chunk, as indexes into ``names``, which are sorted."""

    names: tuple[str, ...]
    chunks: Ragged

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Words":
        found = [sorted(words_of(text)) for text in texts]
        names = tuple(sorted({word for words in found for word in words}))
        at = {word: index for index, word in enumerate(names)}
        return cls(names=names, chunks=Ragged.of([[at[w] for w in one] for one in found], _WORD_ID))

    def take(self, order: NDArray[np.int64]) -> "Words":
        """The chunks at ``order``; names that no chunk has any more are dropped."""
        chunks = self.chunks.take(order)
        used = np.unique(chunks.values)
        names = tuple(self.names[at] for at in used)
        values = np.searchsorted(used, chunks.values).astype(_WORD_ID)
        return Words(names=names, chunks=Ragged(values, chunks.start))

    def followed_by(self, other: "Words") -> "Words":
        names = tuple(sorted({*self.names, *other.names}))
        at = {word: index for index, word in enumerate(names)}
        return Words(names=names, chunks=_renumbered(self, at).followed_by(_renumbered(other, at)))


def _renumbered(words: Words, at: dict[str, int]) -> Ragged:
    numbers = np.array([at[name] for name in words.names], _WORD_ID)
    return Ragged(numbers[words.chunks.values], words.chunks.start)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """The words of every chunk of a corpus, by chunk id."""

    ids: NDArray[np.int64]
    words: Words

    @classmethod
    def of(cls, texts: Mapping[int, str]) -> "Lexicon":
        return cls(ids=np.array(list(texts), np.int64), words=Words.of(texts.values()))

    def only(self, ids: NDArray[np.int64]) -> "Lexicon":
        """Without the chunks that are not among ``ids``."""
        kept = np.flatnonzero(np.isin(self.ids, ids))
        return Lexicon(ids=self.ids[kept], words=self.words.take(kept))

    def lacks(self, ids: NDArray[np.int64]) -> list[int]:
        """Which of ``ids`` are to be read."""
        lacking: list[int] = ids[~np.isin(ids, self.ids)].tolist()
        return lacking

    def followed_by(self, other: "Lexicon") -> "Lexicon":
        return Lexicon(
            ids=np.concatenate((self.ids, other.ids)), words=self.words.followed_by(other.words)
        )


def words_of(text: str) -> set[str]:
    """The plain Latin words of a text that may stand for a meaning."""
    return {
        token
        for token in surface_tokens(text)
        if token.isascii()
        and token.isalpha()
        and _MIN_CHARS <= len(token) <= _MAX_CHARS
        and not is_stopword(token)
    }


def choose_words(words: Words, policy: SearchPolicy) -> tuple[str, ...]:
    """One word a stem, the one in most chunks; the stems in most chunks, in order of stem."""
    counts = np.bincount(words.chunks.values, minlength=len(words.names))
    best: dict[str, tuple[int, str]] = {}
    for name, count in zip(words.names, counts.tolist(), strict=True):
        root = stem(name)
        if root not in best or count > best[root][0]:
            best[root] = (count, name)
    ranked = sorted(best.items(), key=lambda item: (-item[1][0], item[0]))
    return tuple(word for _, (_, word) in sorted(ranked[: policy.max_vocabulary]))


class Vocabulary:
    """Embedded words, centred on their own mean: what they have in common says nothing."""

    def __init__(self, words: Sequence[str], vectors: NDArray[np.floating]) -> None:
        self._stems = tuple(stem(word) for word in words)
        mean = vectors.mean(axis=0, dtype=np.float32) if len(words) else np.zeros(0)
        self._mean: Singles = mean.astype(np.float32)
        self._matrix = HalfMatrix(*vectors.shape)
        rows = self._matrix.view()
        for start in range(0, len(words), _ROWS_AT_ONCE):
            some = slice(start, start + _ROWS_AT_ONCE)
            rows[some] = self._centred(vectors[some].astype(np.float32))

    def __len__(self) -> int:
        return len(self._stems)

    def neighbours(
        self, terms: Sequence[str], vectors: Singles, *, policy: SearchPolicy
    ) -> list[list[tuple[str, float]]]:
        """For each term its nearest stems with their cosine, nearest first, itself left out."""
        if not len(self) or not terms:
            return [[] for _ in terms]
        values, at = self._matrix.best(self._centred(vectors), policy.neighbours_per_term + 2)
        near: list[list[tuple[str, float]]] = []
        for term, row, places in zip(terms, values.tolist(), at.tolist(), strict=True):
            found = [
                (self._stems[place], value)
                for value, place in zip(row, places, strict=True)
                if value >= policy.neighbour_cosine and self._stems[place] != stem(term)
            ]
            near.append(found[: policy.neighbours_per_term])
        return near

    def _centred(self, vectors: Singles) -> Singles:
        moved = vectors - self._mean
        lengths = np.maximum(np.linalg.norm(moved, axis=-1, keepdims=True), 1e-9)
        centred: Singles = (moved / lengths).astype(np.float32)
        return centred


def vocabulary_of(vectors: Mapping[str, bytes]) -> Vocabulary:
    """From half floats by word."""
    rows = np.frombuffer(b"".join(vectors.values()), np.float16)
    return Vocabulary(tuple(vectors), rows.reshape(len(vectors), -1 if vectors else 0))


def word_key(word: str) -> bytes:
    """What a word's vector is stored under."""
    return blake2b(word.encode(), digest_size=16).digest()


def expansion(
    text: str,
    terms: Sequence[str],
    near: Sequence[list[tuple[str, float]]],
    *,
    said: frozenset[str],
    limit: int,
) -> tuple[str, ...]:
    """The stems to search beside the question's own, nearest first; ties by stem.

    CJK substrings overlap: the one with the nearest word is taken, then the next that shares no
    character with it.
    """
    weights: dict[str, float] = {}
    found = [(term, words) for term, words in zip(terms, near, strict=True) if words]
    latin = [words for term, words in found if not has_cjk(term)]
    cjk = sorted((pair for pair in found if has_cjk(pair[0])), key=lambda pair: -pair[1][0][1])
    taken: set[int] = set()
    for term, words in cjk:
        span = _places(text, term)
        if not span & taken:
            taken |= span
            latin.append(words)
    for words in latin:
        for root, cosine in words:
            if root not in said:
                weights[root] = max(weights.get(root, 0.0), cosine)
    ranked = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    return tuple(root for root, _ in ranked[:limit])


def _places(text: str, term: str) -> set[int]:
    places: set[int] = set()
    at = text.find(term)
    while at >= 0:
        places.update(range(at, at + len(term)))
        at = text.find(term, at + len(term))
    return places
