"""An owner's memories in memory, with their vectors: scanned exactly, never changed in place. Pure.

Vectors lie in blocks. A block is replaced, not written to, so that whoever looks at a board in
another thread sees one moment of it; replacing one copies a mebibyte. Rows never move.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeVar

import faiss
import numpy as np
from numpy.typing import NDArray

from recalld.memories.model import Memory, MemoryState, MemoryType, Visibility

Vector = NDArray[np.float32]
Half = NDArray[np.float16]
Mask = NDArray[np.bool_]
Codes = NDArray[np.uint8]

E = TypeVar("E", bound=StrEnum)
# Their stubs do not know what the package makes of them at import.
_Parameters: Any = faiss.SearchParameters
_Selector: Any = faiss.IDSelectorBitmap

ROWS = 1_024
_TYPES = {each: code for code, each in enumerate(MemoryType)}
_STATES = {each: code for code, each in enumerate(MemoryState)}
_VISIBILITIES = {each: code for code, each in enumerate(Visibility)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Up to ``ROWS`` memories: ids ('' for one that is gone), what they are filtered by, and
    their vectors as half floats, zeros where there is none (``ready`` is False)."""

    ids: tuple[str, ...]
    types: Codes
    states: Codes
    visibilities: Codes
    ready: Mask
    vectors: "faiss.IndexScalarQuantizer"

    @classmethod
    def of(cls, memories: Sequence[Memory], rows: Half) -> "Block":
        """``rows`` has one row a memory."""
        return cls(
            ids=tuple(memory.id for memory in memories),
            types=_codes(_TYPES[memory.type] for memory in memories),
            states=_codes(_STATES[memory.state] for memory in memories),
            visibilities=_codes(_VISIBILITIES[memory.visibility] for memory in memories),
            ready=np.asarray(rows.any(axis=1)),
            vectors=_index(rows),
        )

    def rows(self) -> Half:
        """A copy of the vectors."""
        return _rows(self.vectors, len(self.ids)).copy()

    def row(self, at: int) -> Vector | None:
        """One vector; None where there is none yet."""
        if not self.ready[at]:
            return None
        one: Vector = _rows(self.vectors, len(self.ids))[at].astype(np.float32)
        return one

    def best(self, vector: Vector, passing: Mask, limit: int) -> list[tuple[str, float]]:
        """Ids and inner products of the best rows that pass, best first."""
        chosen = passing & self.ready
        if not chosen.any():
            return []
        # The best few of 1,024 take a third of the time of all their scores, sorted.
        bits = np.packbits(chosen, bitorder="little")
        only = _Parameters(sel=_Selector(bits))
        count = min(limit, int(chosen.sum()))
        values, at = self.vectors.search(vector[None, :], count, params=only)
        pairs = zip(at[0].tolist(), values[0].tolist(), strict=True)
        return [(self.ids[row], value) for row, value in pairs]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Codes that pass; an empty set lets everything pass."""

    types: frozenset[MemoryType] = frozenset()
    states: frozenset[MemoryState] = frozenset()
    visibilities: frozenset[Visibility] = frozenset()

    def mask(self, block: Block) -> Mask:
        """Which rows of the block pass."""
        return (
            _table(_TYPES, self.types)[block.types]
            & _table(_STATES, self.states)[block.states]
            & _table(_VISIBILITIES, self.visibilities)[block.visibilities]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """One moment of an owner's memories. ``places``: block and row by id; boards share it, and
    it is only ever added to, so that it is right for those of before."""

    dimension: int
    blocks: tuple[Block, ...] = ()
    places: dict[str, tuple[int, int]] = field(default_factory=dict)

    def put(self, memories: Iterable[Memory], vectors: Mapping[str, Vector | None]) -> "Board":
        """With these memories, new or changed. Vectors that are not named stay as they are."""
        blocks = dict(enumerate(self.blocks))
        fresh: list[Memory] = []
        changed: dict[int, list[Memory]] = {}
        for memory in memories:
            if memory.id in self.places:
                changed.setdefault(self.places[memory.id][0], []).append(memory)
            else:
                fresh.append(memory)
        for number, some in changed.items():
            blocks[number] = self._changed(blocks[number], some, vectors)
        while fresh:
            number = max(blocks, default=0)
            if number not in blocks or len(blocks[number].ids) >= ROWS:
                number = len(blocks)
            fresh = self._appended(blocks, number, fresh, vectors)
        return replace(self, blocks=tuple(blocks[number] for number in sorted(blocks)))

    def without(self, ids: Iterable[str]) -> "Board":
        """Without these; their vectors are overwritten."""
        blocks, places = list(self.blocks), dict(self.places)
        for gone in ids:
            place = places.pop(gone, None)
            if place is not None:
                number, at = place
                rows, names = blocks[number].rows(), list(blocks[number].ids)
                rows[at], names[at] = 0.0, ""
                blocks[number] = replace(
                    blocks[number],
                    ids=tuple(names),
                    ready=np.asarray(rows.any(axis=1)),
                    vectors=_index(rows),
                )
        return replace(self, blocks=tuple(blocks), places=places)

    def vector(self, memory_id: str) -> Vector | None:
        """The memory's vector; None where there is none here."""
        place = self.places.get(memory_id)
        if place is None or place[0] >= len(self.blocks):
            return None
        number, at = place
        return self.blocks[number].row(at) if at < len(self.blocks[number].ids) else None

    def nearest(
        self, vector: Vector, *, passing: Filter, limit: int, min_similarity: float
    ) -> list[tuple[str, float]]:
        """Ids with their cosine, nearest first, ties by id; only of those with a vector."""
        found = [
            pair
            for block in self.blocks
            for pair in block.best(vector, passing.mask(block), limit)
            if pair[1] >= min_similarity
        ]
        found.sort(key=lambda pair: (-pair[1], pair[0]))
        return found[:limit]

    def _changed(
        self, block: Block, memories: Sequence[Memory], vectors: Mapping[str, Vector | None]
    ) -> Block:
        at = [self.places[memory.id][1] for memory in memories]
        types, states = block.types.copy(), block.states.copy()
        visibilities = block.visibilities.copy()
        types[at] = [_TYPES[memory.type] for memory in memories]
        states[at] = [_STATES[memory.state] for memory in memories]
        visibilities[at] = [_VISIBILITIES[memory.visibility] for memory in memories]
        block = replace(block, types=types, states=states, visibilities=visibilities)
        named = [(row, m.id) for row, m in zip(at, memories, strict=True) if m.id in vectors]
        if not named:
            return block
        rows = block.rows()
        for row, id_ in named:
            vector = vectors[id_]
            rows[row] = 0.0 if vector is None else vector
        return replace(block, ready=np.asarray(rows.any(axis=1)), vectors=_index(rows))

    def _appended(
        self,
        blocks: dict[int, Block],
        number: int,
        memories: list[Memory],
        vectors: Mapping[str, Vector | None],
    ) -> list[Memory]:
        """Fill one block; what did not fit."""
        old = blocks.get(number)
        start = 0 if old is None else len(old.ids)
        some = memories[: ROWS - start]
        rows = np.zeros((len(some), self.dimension), np.float16)
        for at, memory in enumerate(some):
            vector = vectors.get(memory.id)
            rows[at] = 0.0 if vector is None else vector
            self.places[memory.id] = (number, start + at)
        block = Block.of(some, rows)
        blocks[number] = block if old is None else _joined(old, block)
        return memories[len(some) :]


def _joined(one: Block, other: Block) -> Block:
    return Block(
        ids=(*one.ids, *other.ids),
        types=np.concatenate((one.types, other.types)),
        states=np.concatenate((one.states, other.states)),
        visibilities=np.concatenate((one.visibilities, other.visibilities)),
        ready=np.concatenate((one.ready, other.ready)),
        vectors=_index(np.concatenate((one.rows(), other.rows()))),
    )


def _codes(values: Iterable[int]) -> Codes:
    return np.fromiter(values, np.uint8)


def _table(codes: Mapping[E, int], wanted: frozenset[E]) -> Mask:
    """By code, whether it is wanted."""
    return np.array([not wanted or each in wanted for each in codes])


def _index(rows: Half) -> "faiss.IndexScalarQuantizer":
    index = faiss.IndexScalarQuantizer(
        rows.shape[1], faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
    )
    if len(rows):
        index.codes.resize(rows.shape[0] * rows.shape[1] * 2)
        index.ntotal = len(rows)
        _rows(index, len(rows))[:] = rows
    return index


def _rows(index: "faiss.IndexScalarQuantizer", count: int) -> Half:
    raw: NDArray[np.uint8] = faiss.rev_swig_ptr(index.codes.data(), count * index.d * 2)
    view: Half = raw.view(np.float16).reshape(count, index.d)
    return view
