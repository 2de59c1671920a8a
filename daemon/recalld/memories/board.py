"""An owner's memories in memory, with their vectors: scanned exactly, read by any thread. Pure.

Whoever looks at a board sees one moment of it. What changes is replaced, and vectors are written
only into rows that no earlier moment looks at; a vector that others may be looking at is replaced
with its whole block. Rows never move. One task writes, always the latest board.
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
Counts = NDArray[np.uint32]

E = TypeVar("E", bound=StrEnum)
# Their stubs do not know what the package makes of them at import.
_Parameters: Any = faiss.SearchParameters
_Selector: Any = faiss.IDSelectorBitmap

# A block grows fourfold up to this. Few large ones: between two scans a thread waits for the
# interpreter, up to 5 ms where others want it too (98 blocks of 1,024: 13 ms alone, 500 in use).
FIRST_ROWS = 64
MOST_ROWS = 16_384
_TYPES = {each: code for code, each in enumerate(MemoryType)}
_STATES = {each: code for code, each in enumerate(MemoryState)}
_VISIBILITIES = {each: code for code, each in enumerate(Visibility)}


class Rows:
    """Room for vectors as half floats, zeros at first, and their scanner."""

    def __init__(self, count: int, dimension: int) -> None:
        self._index = faiss.IndexScalarQuantizer(
            dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        self._index.codes.resize(count * dimension * 2)
        self._index.ntotal = count
        self.count = count
        self.dimension = dimension
        raw: NDArray[np.uint8] = faiss.rev_swig_ptr(self._index.codes.data(), count * dimension * 2)
        self._view: Half = raw.view(np.float16).reshape(count, dimension)

    def view(self) -> Half:
        """The rows themselves, not a copy; gone when this is."""
        return self._view

    def copied(self, count: int) -> "Rows":
        """The same rows, with room for ``count``."""
        fresh = Rows(count, self.dimension)
        fresh.view()[: self.count] = self.view()
        return fresh

    def best(self, vector: Vector, chosen: Mask, limit: int) -> list[tuple[int, float]]:
        """Rows and inner products of the best of the chosen, best first."""
        count = min(limit, int(chosen.sum()))
        if not count:
            return []
        # The best few take a third of the time of all scores.
        bits = np.packbits(chosen, bitorder="little")
        only = _Parameters(sel=_Selector(bits))
        values, at = self._index.search(vector[None, :], count, params=only)
        return list(zip(at[0].tolist(), values[0].tolist(), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What passes; an empty set lets everything pass. ``ids``: only these; None: any."""

    types: frozenset[MemoryType] = frozenset()
    states: frozenset[MemoryState] = frozenset()
    visibilities: frozenset[Visibility] = frozenset()
    ids: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Memories by row: ids ('' for one that is gone), what they are filtered by, and their
    vectors. ``ready`` is False where there is no vector, ``rows`` may have room for more.
    ``moved``: at which of the board's changes a row last changed for whoever scans it."""

    ids: tuple[str, ...] = ()
    types: Codes
    states: Codes
    visibilities: Codes
    ready: Mask
    moved: Counts
    rows: Rows

    @classmethod
    def empty(cls, dimension: int) -> "Block":
        return cls(
            types=np.zeros(FIRST_ROWS, np.uint8),
            states=np.zeros(FIRST_ROWS, np.uint8),
            visibilities=np.zeros(FIRST_ROWS, np.uint8),
            ready=np.zeros(FIRST_ROWS, np.bool_),
            moved=np.zeros(FIRST_ROWS, np.uint32),
            rows=Rows(FIRST_ROWS, dimension),
        )

    def roomy(self, count: int) -> "Block":
        """With room for ``count`` more, as far as a block goes."""
        size = self.rows.count
        while size < min(len(self.ids) + count, MOST_ROWS):
            size *= 4
        if size == self.rows.count:
            return self
        more = (0, size - self.rows.count)
        return replace(
            self,
            types=np.pad(self.types, more),
            states=np.pad(self.states, more),
            visibilities=np.pad(self.visibilities, more),
            ready=np.pad(self.ready, more),
            moved=np.pad(self.moved, more),
            rows=self.rows.copied(size),
        )

    def passing(self, wanted: Filter) -> Mask:
        """Which rows have a vector and pass."""
        return (
            self.ready
            & _table(_TYPES, wanted.types)[self.types]
            & _table(_STATES, wanted.states)[self.states]
            & _table(_VISIBILITIES, wanted.visibilities)[self.visibilities]
        )

    def lacking(self) -> list[str]:
        """Those without a vector."""
        bare = np.flatnonzero(~self.ready[: len(self.ids)])
        return [id_ for at in bare.tolist() if (id_ := self.ids[at])]

    def put(
        self,
        at: Sequence[int],
        memories: Sequence[Memory],
        vectors: Mapping[str, Vector | None],
        *,
        change: int,
    ) -> "Block":
        """With these memories in these rows. Vectors that are not named stay as they are."""
        types, states = self.types.copy(), self.states.copy()
        visibilities, ready = self.visibilities.copy(), self.ready.copy()
        types[at] = [_TYPES[memory.type] for memory in memories]
        states[at] = [_STATES[memory.state] for memory in memories]
        visibilities[at] = [_VISIBILITIES[memory.visibility] for memory in memories]
        named = {row: vectors[m.id] for row, m in zip(at, memories, strict=True) if m.id in vectors}
        rows = self._written(named)
        for row, vector in named.items():
            ready[row] = vector is not None
        # A use of a memory is none: it is found as before.
        moved = np.where(
            (types != self.types) | (states != self.states) | (visibilities != self.visibilities),
            np.uint32(change),
            self.moved,
        )
        moved[list(named)] = change
        return replace(
            self,
            types=types,
            states=states,
            visibilities=visibilities,
            ready=ready,
            moved=moved,
            rows=rows,
        )

    def without(self, at: Sequence[int], *, change: int) -> "Block":
        """Without the memories of these rows; their vectors are overwritten."""
        names, ready, moved = list(self.ids), self.ready.copy(), self.moved.copy()
        rows = self._written(dict.fromkeys(at))
        for row in at:
            names[row] = ""
        ready[at] = False
        moved[at] = change
        return replace(self, ids=tuple(names), ready=ready, moved=moved, rows=rows)

    def _written(self, vectors: Mapping[int, Vector | None]) -> Rows:
        seen = any(self.ready[row] for row in vectors)
        rows = self.rows.copied(self.rows.count) if seen else self.rows
        view = rows.view()
        for row, vector in vectors.items():
            view[row] = 0.0 if vector is None else vector
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """One moment of an owner's memories. ``places``: block and row by id; boards share it, and
    it is only ever added to, so that it is right for those of before. ``change``: how many
    changes made it."""

    dimension: int
    blocks: tuple[Block, ...] = ()
    change: int = 0
    places: dict[str, tuple[int, int]] = field(default_factory=dict)

    def put(self, memories: Iterable[Memory], vectors: Mapping[str, Vector | None]) -> "Board":
        """With these memories, new or changed. Vectors that are not named stay as they are."""
        every = {memory.id: memory for memory in memories}
        blocks = self._with_room([id_ for id_ in every if id_ not in self.places])
        by_block: dict[int, list[Memory]] = {}
        for memory in every.values():
            by_block.setdefault(self.places[memory.id][0], []).append(memory)
        for number, some in by_block.items():
            at = [self.places[memory.id][1] for memory in some]
            blocks[number] = blocks[number].put(at, some, vectors, change=self.change + 1)
        return replace(self, blocks=tuple(blocks), change=self.change + 1)

    def without(self, ids: Iterable[str]) -> "Board":
        """Without these; their vectors are overwritten."""
        blocks, places = list(self.blocks), dict(self.places)
        by_block: dict[int, list[int]] = {}
        for gone in ids:
            place = places.pop(gone, None)
            if place is not None:
                by_block.setdefault(place[0], []).append(place[1])
        for number, at in by_block.items():
            blocks[number] = blocks[number].without(at, change=self.change + 1)
        return replace(self, blocks=tuple(blocks), places=places, change=self.change + 1)

    def __contains__(self, memory_id: str) -> bool:
        number, at = self.places.get(memory_id, (len(self.blocks), 0))
        return number < len(self.blocks) and at < len(self.blocks[number].ids)

    def vector(self, memory_id: str) -> Vector | None:
        """The memory's vector; None where there is none here."""
        if memory_id not in self:
            return None
        number, at = self.places[memory_id]
        block = self.blocks[number]
        if not block.ready[at]:
            return None
        vector: Vector = block.rows.view()[at].astype(np.float32)
        return vector

    def lacking(self) -> list[str]:
        """Ids of memories without a vector."""
        return [id_ for block in self.blocks for id_ in block.lacking()]

    def nearest(
        self, vector: Vector, *, passing: Filter, limit: int, min_similarity: float
    ) -> list[tuple[str, float]]:
        """Ids with their cosine, nearest first, ties by id; only of those with a vector."""
        only = self._masks(passing.ids)
        # Of this thread alone, so it is said each time: with one core in use elsewhere, two threads
        # that wait for each other took 160 ms for what one does in 20.
        faiss.omp_set_num_threads(1)
        found = [
            (block.ids[row], value)
            for number, block in enumerate(self.blocks)
            for row, value in block.rows.best(
                vector, block.passing(passing) & only.get(number, True), limit
            )
            if value >= min_similarity
        ]
        found.sort(key=lambda pair: (-pair[1], pair[0]))
        return found[:limit]

    def _masks(self, ids: frozenset[str] | None) -> dict[int, Mask]:
        """The rows of these ids by block; no masks for None."""
        if ids is None:
            return {}
        masks = {at: np.zeros(block.rows.count, np.bool_) for at, block in enumerate(self.blocks)}
        for id_ in ids:
            number, at = self.places.get(id_, (-1, 0))
            if number in masks and at < len(masks[number]):
                masks[number][at] = True
        return masks

    def _with_room(self, ids: Sequence[str]) -> list[Block]:
        """The blocks with a row for each new id, given its place."""
        blocks = list(self.blocks)
        rest = list(ids)
        while rest:
            if not blocks or len(blocks[-1].ids) == MOST_ROWS:
                blocks.append(Block.empty(self.dimension))
            block = blocks[-1].roomy(len(rest))
            start = len(block.ids)
            some, rest = rest[: block.rows.count - start], rest[block.rows.count - start :]
            for at, id_ in enumerate(some, start=start):
                self.places[id_] = (len(blocks) - 1, at)
            blocks[-1] = replace(block, ids=(*block.ids, *some))
        return blocks


def _table(codes: Mapping[E, int], wanted: frozenset[E]) -> Mask:
    """By code, whether it is wanted."""
    return np.array([not wanted or each in wanted for each in codes])
