"""The arrays in memory: what a refresh keeps, and that nothing depends on the way there."""

import dataclasses
import itertools
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.search.corpus import (
    Corpus,
    Filling,
    empty_corpus,
    refreshed,
    unread_files,
)
from recalld.search.model import ChunkRow, FileRow, Source
from recalld.search.ragged import Ragged

DIMENSION = 4
# path -> the texts of its chunks; an empty text is a bare heading.
Files = Mapping[str, tuple[str, ...]]


class Index:
    """Gives ids as the real one does: never twice, kept while a file stays as it is."""

    def __init__(self) -> None:
        self._next = 1
        self._files: dict[str, tuple[tuple[str, ...], FileRow, tuple[ChunkRow, ...]]] = {}

    def write(self, files: Files) -> tuple[tuple[FileRow, ...], dict[int, tuple[ChunkRow, ...]]]:
        for path in list(self._files):
            if path not in files:
                del self._files[path]
        for path, texts in files.items():
            if path not in self._files or self._files[path][0] != texts:
                self._files[path] = (texts, *self._rows(path, texts))
        rows = tuple(row for _, row, _ in self._files.values())
        return rows, {row.id: chunks for _, row, chunks in self._files.values()}

    def _rows(self, path: str, texts: tuple[str, ...]) -> tuple[FileRow, tuple[ChunkRow, ...]]:
        file_id = self._take()
        chunks = tuple(
            ChunkRow(
                id=self._take(),
                file_id=file_id,
                ordinal=ordinal,
                speaker=("Ann", "user", None)[len(text) % 3],
                is_cjk=False,
                passages=tuple(_hash(part) for part in text.split(".") if part),
            )
            for ordinal, text in enumerate(texts)
        )
        ids = [chunk.id for chunk in chunks] or [0]
        head = _hash(path) if path.startswith("d") else b""
        row = FileRow(
            id=file_id,
            path=path,
            source=Source.DOCUMENTS if path.startswith("d") else Source.MEMORY,
            session=None,
            head_hash=head,
            first_chunk=ids[0],
            last_chunk=ids[-1],
            chunks=len(chunks),
        )
        return row, chunks

    def _take(self) -> int:
        self._next += 1
        return self._next


def _hash(text: str) -> bytes:
    # Ends in zero bytes on purpose: numpy's fixed-length bytes drop those.
    return text.encode()[:12].ljust(16, b"\0")


def _vectors(corpus: Corpus) -> dict[bytes, bytes]:
    return {
        key: np.full(DIMENSION, 1 + sum(key) % 7, np.float16).tobytes() for key in corpus.missing()
    }


def _filled(corpus: Corpus, found: Mapping[bytes, bytes], dimension: int) -> Corpus:
    filling = Filling(corpus, dimension)
    for key, blob in found.items():
        filling.add({key: blob})
    return filling.done()


def _refresh(corpus: Corpus, index: Index, files: Files) -> Corpus:
    rows, chunks = index.write(files)
    fresh = [chunk for key in unread_files(corpus, rows) for chunk in chunks[key]]
    return refreshed(corpus, rows, fresh)


def _seen(corpus: Corpus) -> dict[str, object]:
    """All that a search can see of a corpus."""
    at = np.arange(len(corpus.filled))
    return {
        "files": corpus.files,
        "speakers": corpus.speakers,
        "id": corpus.columns.id.tolist(),
        "file": corpus.file.tolist(),
        "speaker": corpus.speaker.tolist(),
        "neighbours": (corpus.previous.tolist(), corpus.following.tolist()),
        "findable": corpus.findable.tolist(),
        "windows": corpus.passages.values.tolist(),
        "start": corpus.passages.start.tolist(),
        "filled": corpus.filled.tolist(),
        "rows": corpus.vectors.rows(at).tolist(),
        "heads": (
            corpus.head_filled.tolist(),
            corpus.heads.rows(np.arange(len(corpus.files))).tolist(),
        ),
    }


TEXTS = st.sampled_from(["", "alpha beta.", "gamma.delta words", "one two.three.", "beta"])
FILES = st.dictionaries(
    st.sampled_from(["a.md", "b.md", "d/c.md", "d/e.md"]),
    st.lists(TEXTS, max_size=4).map(tuple),
    max_size=4,
)


@given(st.lists(FILES, min_size=1, max_size=5))
def test_a_refreshed_corpus_equals_one_that_is_read_anew(history: list[Files]) -> None:
    index, corpus = Index(), empty_corpus(1)
    for files in history:
        corpus = _refresh(corpus, index, files)
        corpus = _filled(corpus, _vectors(corpus), DIMENSION)
    anew = _refresh(empty_corpus(1), index, history[-1])
    anew = _filled(anew, _vectors(anew), DIMENSION)
    assert _seen(corpus) == _seen(anew)
    assert corpus.missing() == ()


def test_a_renamed_file_keeps_its_vectors() -> None:
    index = Index()
    corpus = _refresh(empty_corpus(1), index, {"a.md": ("alpha.beta", "gamma")})
    corpus = _filled(corpus, _vectors(corpus), DIMENSION)
    renamed = _refresh(corpus, index, {"z.md": ("alpha.beta", "gamma")})
    assert renamed.missing() == ()


def test_only_unchanged_files_are_not_read_again() -> None:
    index = Index()
    corpus = _refresh(empty_corpus(1), index, {"a.md": ("alpha",), "b.md": ("beta",)})
    rows, _ = index.write({"a.md": ("alpha",), "b.md": ("beta", "more")})
    changed = {row.id for row in rows if row.path == "b.md"}
    assert set(unread_files(corpus, rows)) == changed


def test_a_bare_heading_is_neither_found_nor_a_neighbour() -> None:
    corpus = _refresh(empty_corpus(1), Index(), {"a.md": ("alpha", "", "beta")})
    assert corpus.findable.tolist() == [True, False, True]
    assert corpus.previous.tolist() == [-1, -1, 0]
    assert corpus.following.tolist() == [2, -1, -1]


def test_neighbours_stop_at_the_end_of_a_file() -> None:
    corpus = _refresh(empty_corpus(1), Index(), {"a.md": ("alpha",), "b.md": ("beta",)})
    assert corpus.previous.tolist() == corpus.following.tolist() == [-1, -1]


def test_vectors_of_another_dimension_are_forgotten_not_padded() -> None:
    corpus = _refresh(empty_corpus(1), Index(), {"a.md": ("alpha", "beta")})
    corpus = _filled(corpus, _vectors(corpus), DIMENSION)
    changed = _filled(corpus, {}, DIMENSION * 2)
    assert not changed.filled.any()
    wrong = _filled(changed, _vectors(changed), DIMENSION * 2)
    assert not wrong.filled.any()


def test_sources_and_findability_make_the_mask() -> None:
    corpus = _refresh(empty_corpus(1), Index(), {"a.md": ("alpha", ""), "d/c.md": ("gamma",)})
    assert corpus.allowed(None).tolist() == [True, False, True]
    assert corpus.allowed(frozenset({Source.MEMORY})).tolist() == [True, False, False]
    assert not corpus.allowed(frozenset()).any()


def test_roles_are_no_speakers() -> None:
    corpus = _refresh(empty_corpus(1), Index(), {"a.md": ("abc", "abcd", "abcde")})
    assert corpus.speakers == ("Ann",)
    assert corpus.speaker.tolist() == [0, -1, -1]


def test_unknown_chunk_ids_have_no_position() -> None:
    corpus = _refresh(empty_corpus(1), Index(), {"a.md": ("alpha", "beta")})
    first, second = corpus.columns.id.tolist()
    assert corpus.positions([second, 10_000, first, 0]).tolist() == [1, -1, 0, -1]
    assert empty_corpus(1).positions([1]).tolist() == [-1]


@given(st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=6), st.data())
def test_ragged_lists_are_taken_and_joined_like_lists(
    lists: list[list[int]], data: st.DataObject
) -> None:
    ragged = Ragged.of(lists, np.dtype(np.int32))
    order = data.draw(st.lists(st.integers(0, max(0, len(lists) - 1)), max_size=6))
    order = order if lists else []
    taken = ragged.take(np.array(order, np.int64)).followed_by(ragged)
    expected = [lists[at] for at in order] + lists
    start = taken.start.tolist()
    got = [taken.values[a:b].tolist() for a, b in itertools.pairwise(start)]
    assert got == expected


def test_a_corpus_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        empty_corpus(1).workspace_id = 2  # type: ignore[misc]
