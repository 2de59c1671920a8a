"""What was found nearest to some of an owner's memories, followed while few others change.

A scan reads every vector there is. What it found stays true but for what has changed since: the
changed are taken out, looked at by themselves and put where they belong. Ids and cosines are
kept, no words. Any thread may ask, of any moment.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from recalld.memories.board import Board, Filter, Mask, Vector
from recalld.memories.library import Pair, View
from recalld.memories.model import Memory, MemoryState, Similar, Wanted

# Nearest and a few more, so that one of them may go.
SPARE = 16
# For more changes than that a scan is as quick.
MOST_MOVED = 256
# Of so many memories of an owner, those last asked for; a heartbeat asks for forty at most.
MOST_KEPT = 128
FLOOR = 0.0

_STATES = frozenset(MemoryState) - {MemoryState.DELETED}
_PASSING = Filter(states=_STATES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The nearest in the board of ``change``, nearest first, ties by id.

    ``rest``: no memory beside them is nearer than that; None: there are no others.
    """

    change: int
    pairs: tuple[Pair, ...]
    rest: float | None

    def first(self, count: int) -> Sequence[Pair] | None:
        """What a scan for ``count`` finds; None where that is not known.

        Where several are equally near and not all of them are among the first, a scan chooses.
        """
        if len(self.pairs) <= count and self.rest is None:
            return self.pairs
        if len(self.pairs) < count:
            return None
        behind = self.pairs[count][1] if len(self.pairs) > count else self.rest
        last = self.pairs[count - 1][1]
        return self.pairs[:count] if behind is None or last > behind else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What changed in a board since it was another, for whoever scans it: ids that are there, and
    by block their rows, of those that are found at all. No ``rows``: nothing changed."""

    board: Board
    since: int
    ids: frozenset[str]
    rows: dict[int, Mask]

    @classmethod
    def of(cls, board: Board, since: int) -> "Moved":
        ids: list[str] = []
        rows: dict[int, Mask] = {}
        for number, block in enumerate(board.blocks):
            moved = block.moved > since
            at = np.flatnonzero(moved[: len(block.ids)]).tolist()
            if at:
                ids += [block.ids[row] for row in at]
                rows[number] = moved & block.passing(_PASSING)
        return cls(board=board, since=since, ids=frozenset(ids), rows=rows)

    def near(self, vector: Vector) -> list[Pair]:
        """The moved ones that are there, with their cosine."""
        return [
            (self.board.blocks[number].ids[row], value)
            for number, mask in self.rows.items()
            for row, value in self.board.blocks[number].rows.best(vector, mask, MOST_MOVED)
            if value >= FLOOR
        ]


class Nearby:
    """Of one owner's boards, each made of the one before. Keeps no view. ``scans``: how many
    answers were not to be had without one."""

    def __init__(self) -> None:
        self.scans = 0
        self._found: dict[str, Found] = {}
        self._moved: Moved | None = None

    def nearest(self, view: View, limit: int, memory: Memory) -> tuple[Similar, ...]:
        """As ``view.nearest`` answers of a snapshot: of all that is not deleted, itself left out,
        at most ``limit``, by cosine, best first."""
        wanted = Wanted(states=_STATES, exclude_ids=frozenset({memory.id}))
        vector = view.vector(memory.id)
        pairs: Sequence[Pair] = ()
        if vector is not None:
            pairs = self._scanned(view.shelves[0].board, memory.id, vector, limit + 1)
        return view.similar(pairs, vector, memory.content, wanted, limit=limit, floor=FLOOR)

    def _scanned(self, board: Board, memory_id: str, vector: Vector, reach: int) -> Sequence[Pair]:
        """The nearest ``reach`` of the board, itself among them."""
        known = self._found.get(memory_id)
        depth = reach + SPARE
        found = None if known is None else self._followed(known, board, memory_id, vector, depth)
        first = None if found is None else found.first(reach)
        if found is None or first is None:
            self.scans += 1
            found = _scan(board, vector, depth)
            first = found.first(reach)
        if known is None or found.change >= known.change:
            self._keep(memory_id, found)
        # Of equally near ones a scan for just as many chooses as it always did.
        return _nearest(board, vector, reach) if first is None else first

    def _followed(
        self, known: Found, board: Board, memory_id: str, vector: Vector, depth: int
    ) -> Found | None:
        """What was found, as of this board; None where that takes a scan."""
        if known.change == board.change:
            return known
        if known.change > board.change:
            return None
        moved = self._moved_since(board, known.change)
        if not moved.rows:
            return replace(known, change=board.change)
        if memory_id in moved.ids or len(moved.ids) > MOST_MOVED:
            return None
        rest = known.rest
        pairs = [one for one in known.pairs if one[0] not in moved.ids and one[0] in board]
        pairs += [one for one in moved.near(vector) if rest is None or one[1] > rest]
        pairs.sort(key=_order)
        if len(pairs) > depth:
            rest = pairs[depth][1]
        return Found(change=board.change, pairs=tuple(pairs[:depth]), rest=rest)

    def _moved_since(self, board: Board, change: int) -> Moved:
        """Most are asked for of the same two boards."""
        moved = self._moved
        if moved is None or moved.board is not board or moved.since != change:
            moved = self._moved = Moved.of(board, change)
        return moved

    def _keep(self, memory_id: str, found: Found) -> None:
        # Replaced and never changed: of two threads one may lose what it kept, not its way.
        known = {each: one for each, one in self._found.items() if each != memory_id}
        # The last asked for stand last.
        last = islice(known.items(), max(0, len(known) + 1 - MOST_KEPT), None)
        self._found = {**dict(last), memory_id: found}


def _scan(board: Board, vector: Vector, depth: int) -> Found:
    pairs = _nearest(board, vector, depth)
    rest = pairs[-1][1] if len(pairs) == depth else None
    return Found(change=board.change, pairs=tuple(pairs), rest=rest)


def _nearest(board: Board, vector: Vector, limit: int) -> list[Pair]:
    return board.nearest(vector, passing=_PASSING, limit=limit, min_similarity=FLOOR)


def _order(pair: Pair) -> tuple[float, str]:
    return -pair[1], pair[0]
