"""What one workspace holds, as arrays in memory. Pure; immutable once built.

Chunks stand in order of path and position, so that two indexes built from the same files rank
alike. A refresh keeps the rows of unchanged files and adds the others; a full load is a refresh
of nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recalld.search.columns import HASH, HASH_BYTES, Columns, columns_of
from recalld.search.matrix import HalfMatrix
from recalld.search.model import ChunkRow, FileRow, Source
from recalld.search.ragged import Ragged

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NO_SPEAKER = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """``file``, ``previous`` and ``following`` are positions (-1: none), not ids.

    ``findable`` chunks have a window; a bare heading has none and is no neighbour either.
    ``vectors`` has a row a window, zeros where ``filled`` is false; ``heads`` a row a file.
    """

    workspace_id: int
    files: tuple[FileRow, ...]
    speakers: tuple[str, ...]
    columns: Columns
    file: Ints
    speaker: NDArray[np.int32]
    previous: Ints
    following: Ints
    findable: Bools
    vectors: HalfMatrix
    filled: Bools
    heads: HalfMatrix
    head_filled: Bools
    by_id: Ints

    def __len__(self) -> int:
        return len(self.columns.id)

    @property
    def passages(self) -> Ragged:
        return self.columns.passages

    @property
    def is_cjk(self) -> Bools:
        return self.columns.is_cjk

    @property
    def assistant(self) -> Bools:
        """Which chunks an assistant said."""
        return self.columns.assistant

    @property
    def asking(self) -> NDArray[np.float32]:
        """The share of each chunk's characters in sentences that ask."""
        return self.columns.asking

    @property
    def day(self) -> NDArray[np.int32]:
        """The day each chunk gives itself, as a proleptic ordinal; 0: none."""
        return self.columns.day

    def allowed(self, sources: frozenset[Source] | None) -> Bools:
        """The findable chunks of ``sources``; None allows all."""
        if sources is None or not len(self):
            return self.findable
        wanted = np.array([file.source in sources for file in self.files], np.bool_)
        allowed: Bools = self.findable & wanted[self.file]
        return allowed

    def positions(self, chunk_ids: Sequence[int]) -> Ints:
        """Where each chunk id stands; -1 for one that this corpus does not hold."""
        wanted = np.array(chunk_ids, np.int64)
        if not len(self):
            return np.full(len(wanted), -1, np.int64)
        at = np.searchsorted(self.columns.id, wanted, sorter=self.by_id)
        place = self.by_id[np.minimum(at, len(self) - 1)]
        return np.where(self.columns.id[place] == wanted, place, -1)

    def missing(self) -> tuple[bytes, ...]:
        """Hashes of windows and file heads that have no vector here, each once, sorted."""
        windows = self.passages.values[~self.filled]
        heads = (
            file.head_hash
            for file, done in zip(self.files, self.head_filled.tolist(), strict=True)
            if file.head_hash and not done
        )
        return tuple(sorted({*map(_bytes, windows), *heads}))


class Filling:
    """A corpus that is given its vectors bit by bit; ``done`` hands it out.

    With another ``dimension`` than before, the vectors it had are forgotten.
    """

    def __init__(self, corpus: Corpus, dimension: int) -> None:
        self._corpus = corpus
        self._parts = (
            _Part(corpus.vectors, corpus.filled, corpus.passages.values, dimension),
            _Part(corpus.heads, corpus.head_filled, _head_hashes(corpus), dimension),
        )

    def add(self, found: Mapping[bytes, bytes]) -> None:
        """Half floats by hash; those of another dimension and of other texts are left out."""
        for part in self._parts:
            part.add(found)

    def done(self) -> Corpus:
        windows, heads = self._parts
        return replace(
            self._corpus,
            vectors=windows.matrix,
            filled=windows.filled,
            heads=heads.matrix,
            head_filled=heads.filled,
        )


class _Part:
    """One matrix while it is filled."""

    def __init__(
        self, old: HalfMatrix, filled: Bools, hashes: NDArray[Any], dimension: int
    ) -> None:
        same = old.dimension == dimension
        self.matrix = HalfMatrix(len(hashes), dimension)
        self.filled = filled.copy() if same else np.zeros_like(filled)
        if same:
            self.matrix.view()[:] = old.view()
        self._places: dict[bytes, list[int]] = {}
        for row in np.flatnonzero(~self.filled).tolist():
            self._places.setdefault(_bytes(hashes[row]), []).append(row)

    def add(self, found: Mapping[bytes, bytes]) -> None:
        rows = self.matrix.view()
        for key, blob in found.items():
            if len(blob) == 2 * self.matrix.dimension:
                for row in self._places.pop(key, ()):
                    rows[row] = np.frombuffer(blob, np.float16)
                    self.filled[row] = True


def empty_corpus(workspace_id: int) -> Corpus:
    return _assembled(workspace_id, (), columns_of(()))


def refreshed(corpus: Corpus, files: Sequence[FileRow], chunks: Sequence[ChunkRow]) -> Corpus:
    """The corpus of ``files``: ``chunks`` are those of the files that ``corpus`` lacks.

    Vectors go with the text of a window, so a renamed or touched file keeps them.
    """
    known = set(corpus.files)
    kept_ids = np.array([file.id for file in files if file in known], np.int64)
    kept = np.flatnonzero(np.isin(corpus.columns.file_id, kept_ids))
    columns = corpus.columns.take(kept).followed_by(columns_of(chunks))
    ordered = tuple(sorted(files, key=lambda file: file.path))
    fresh = _assembled(corpus.workspace_id, ordered, columns)
    return _with_rows_of(fresh, corpus)


def unread_files(corpus: Corpus, files: Sequence[FileRow]) -> tuple[int, ...]:
    """Ids of the files whose chunks ``corpus`` does not have as they are now."""
    known = set(corpus.files)
    return tuple(file.id for file in files if file not in known and file.chunks)


def _assembled(workspace_id: int, files: tuple[FileRow, ...], columns: Columns) -> Corpus:
    at = {file.id: position for position, file in enumerate(files)}
    file = np.array([at[one] for one in columns.file_id.tolist()], np.int64)
    order = np.lexsort((columns.ordinal, file))
    columns, file = columns.take(order), file[order]
    speakers = tuple(sorted(set(columns.speaker.tolist()) - {""}))
    number = {name: position for position, name in enumerate(speakers)} | {"": NO_SPEAKER}
    findable = columns.passages.lengths > 0
    previous, following = _neighbours(file, findable)
    windows = len(columns.passages.values)
    return Corpus(
        workspace_id=workspace_id,
        files=files,
        speakers=speakers,
        columns=columns,
        file=file,
        speaker=np.array([number[name] for name in columns.speaker.tolist()], np.int32),
        previous=previous,
        following=following,
        findable=findable,
        vectors=HalfMatrix(windows, 0),
        filled=np.zeros(windows, np.bool_),
        heads=HalfMatrix(len(files), 0),
        head_filled=np.zeros(len(files), np.bool_),
        by_id=np.argsort(columns.id, kind="stable"),
    )


def _neighbours(file: Ints, findable: Bools) -> tuple[Ints, Ints]:
    previous = np.full(len(file), -1, np.int64)
    following = np.full(len(file), -1, np.int64)
    at = np.flatnonzero(findable)
    same = file[at[1:]] == file[at[:-1]]
    previous[at[1:][same]] = at[:-1][same]
    following[at[:-1][same]] = at[1:][same]
    return previous, following


def _with_rows_of(fresh: Corpus, old: Corpus) -> Corpus:
    """``fresh`` with every vector that ``old`` has for the same text."""
    dimension = max(old.vectors.dimension, old.heads.dimension)
    if not dimension:
        return fresh
    windows = _Rows.of(old.vectors, old.filled, old.passages.values)
    heads = _Rows.of(old.heads, old.head_filled, _head_hashes(old))
    vectors, filled = windows.placed(fresh.passages.values, dimension)
    head_vectors, head_filled = heads.placed(_head_hashes(fresh), dimension)
    return replace(
        fresh, vectors=vectors, filled=filled, heads=head_vectors, head_filled=head_filled
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """The filled rows of a matrix, to be looked up by hash."""

    matrix: HalfMatrix
    hashes: NDArray[Any]
    rows: Ints

    @classmethod
    def of(cls, matrix: HalfMatrix, filled: Bools, hashes: NDArray[Any]) -> "_Rows":
        rows = np.flatnonzero(filled)
        order = np.argsort(hashes[rows], kind="stable")
        return cls(matrix, hashes[rows][order], rows[order])

    def placed(self, wanted: NDArray[Any], dimension: int) -> tuple[HalfMatrix, Bools]:
        placed = HalfMatrix(len(wanted), dimension)
        found = np.zeros(len(wanted), np.bool_)
        if len(self.rows) and len(wanted):
            at = np.minimum(np.searchsorted(self.hashes, wanted), len(self.rows) - 1)
            found = (self.hashes[at] == wanted) & (wanted != b"")
            placed.view()[found] = self.matrix.rows(self.rows[at[found]])
        return placed, found


def _head_hashes(corpus: Corpus) -> NDArray[Any]:
    return np.array([file.head_hash for file in corpus.files], HASH)


def _bytes(value: bytes) -> bytes:
    """The whole hash: numpy drops trailing zero bytes of what it hands out."""
    return bytes(value).ljust(HASH_BYTES, b"\0")
