"""Typed memories as the rest of the daemon asks for them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread

from recalld.embed.port import EmbedderState, Purpose
from recalld.errors import BadRequest, NotFound, Refused, Unavailable
from recalld.heartbeat.model import Nearest
from recalld.memories import content as words
from recalld.memories import listing
from recalld.memories.board import Vector
from recalld.memories.library import KEPT_VIEWS, Library
from recalld.memories.model import (
    Added,
    Change,
    Memory,
    MemoryState,
    NewMemory,
    Occurrence,
    Page,
    Receipt,
    Search,
    Similar,
    Wanted,
)
from recalld.memories.nearby import Nearby
from recalld.memories.owners import may_see
from recalld.memories.pipeline import Nearness
from recalld.memories.scale import Scale
from recalld.memories.schedule import Upkeep
from recalld.memories.score import by_score
from recalld.memories.world import World
from recalld.memories.writer import Writer

# Ranked by score among so many times the limit, the nearest: a fresh memory of something else
# must not stand before an old one that answers.
RANKED = 4
NEAREST = 50
MAX_QUERY_CHARS = 4_096
# A store that cannot read or sync within this refuses; the peer may ask again.
KEEP_MS = 4_000
# Forgetting looks through every event there is.
FORGET_MS = 30_000

T = TypeVar("T")


class MemoryService:
    """Owners' memories. Every method waits until they are read from the store (``run`` or the
    first call does that) and raises ``Unavailable`` where the store fails."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._library = Library(world.embedder.identity.dimension)
        self._nearness = Nearness(world.embedder)
        self._writer = Writer(world, self._library, self._nearness)
        self._upkeep = Upkeep(world, self._library, self._nearness, self._writer)
        self._nearby: dict[str, Nearby] = {}
        self._threads = anyio.CapacityLimiter(2)

    async def run(self) -> None:
        """Read what is stored, then look after it: vectors, decay, accesses. Never returns."""
        await self._upkeep.run()

    async def add(self, new: NewMemory) -> Added:
        """Keep ``new``; durable when it returns.

        The same event id of this owner within 24 h does nothing and gets the first answer. What
        is remembered already is not kept twice: its words and session are noted at that memory,
        which becomes surer and fresher. A report that plans are done resolves them.
        ``BadRequest`` for what cannot be kept; ``Refused`` for a heartbeat's own words, replies
        to them, and an event whose memory was forgotten.
        """
        return await self._in_time(partial(self._writer.add, new))

    async def get(self, memory_id: str, *, viewer: str | None = None) -> Memory:
        """The memory; counts as a use of it, but for one with a schedule: a look must not postpone
        it. ``NotFound``, also for one ``viewer`` may not see."""
        memory = await self._seen(memory_id, viewer)
        return self._upkeep.looked_at([memory.id])[0]

    async def update(self, memory_id: str, change: Change, *, viewer: str | None = None) -> Memory:
        """Change what is named. Durable when it returns.

        Other words are embedded anew and compared with nothing: who corrects a memory means this
        one. A state given here may be any; only time is bound to an order. ``NotFound``;
        ``Refused`` for what ``viewer`` sees but does not own.
        """
        await self._owned(memory_id, viewer)
        return await self._in_time(partial(self._writer.update, memory_id, change))

    async def resolve(self, memory_id: str, *, viewer: str | None = None) -> Memory:
        """Mark it resolved, by hand."""
        change = Change(state=MemoryState.RESOLVED)
        return await self.update(memory_id, change, viewer=viewer)

    async def list(
        self,
        owner: str,
        wanted: Wanted | None = None,
        *,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """What ``owner`` may see, newest first by ``created_at``, then by id. No use of them."""
        await self._loaded()
        view = self._library.view(owner)
        return await self._in_thread(
            partial(listing.page, view, wanted or Wanted(), limit=limit, cursor=cursor)
        )

    async def search(
        self,
        owner: str,
        query: str,
        wanted: Wanted | None = None,
        *,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> Search:
        """The best by score among the nearest to ``query``, with similarity of ``min_score`` up.

        ``similarity`` is the engine's cosine; while there are no vectors, the share of the
        query's words. What is returned counts as used, as by ``get``. ``BadRequest`` for an
        empty query.
        """
        await self._loaded()
        words.require_unicode(query, key="params.query")
        if not query.strip():
            raise BadRequest("params.query", "is empty")
        text = query[:MAX_QUERY_CHARS]
        vector = await self._nearness.embed(text, Purpose.QUERY)
        if vector is None:
            self._world.counters.add("memories.searched_by_words")
        near = partial(self._library.view(owner).nearest, vector, text, wanted or Wanted())
        found = await self._in_thread(partial(near, limit=RANKED * limit, floor=min_score))
        best = by_score(found, self._world.now())[:limit]
        self._upkeep.looked_at(each.memory.id for each in best)
        waiting = self._world.embedder.state is not EmbedderState.OFF
        return Search(found=best, by_words=vector is None and waiting)

    async def nearest(
        self,
        asked: Memory | str | Vector,
        owner: str,
        *,
        limit: int = 10,
        min_similarity: float = 0.0,
        wanted: Wanted | None = None,
    ) -> tuple[Similar, ...]:
        """The memories most like a memory (itself left out), a text or a vector; no use of them.

        ``similarity`` is the cosine of the engine's vectors as they are, ``score`` the same.
        """
        await self._loaded()
        chosen = wanted or Wanted()
        text, vector = "", None
        if isinstance(asked, Memory):
            text, vector = asked.content, self._library.vector(asked.id)
            chosen = replace(chosen, exclude_ids=chosen.exclude_ids | {asked.id})
        elif isinstance(asked, str):
            text, vector = asked, await self._nearness.embed(asked, Purpose.QUERY)
        else:
            vector = asked
        near = partial(self._library.view(owner).nearest, vector, text, chosen)
        return await self._in_thread(partial(near, limit=limit, floor=min_similarity))

    async def vectors(self, ids: Sequence[str]) -> Mapping[str, Vector]:
        """The engine's vectors of these memories; those without one are left out."""
        await self._loaded()
        found = {each: self._library.vector(each) for each in ids}
        return {each: vector for each, vector in found.items() if vector is not None}

    async def occurrences(
        self, memory_id: str, *, viewer: str | None = None
    ) -> Sequence[Occurrence]:
        """The other times it was said, oldest first."""
        await self._seen(memory_id, viewer)
        return await self._world.store.occurrences(memory_id)

    async def matching(self, owner: str, query: str) -> tuple[Memory, ...]:
        """The owner's own memories, of any state, that hold the query or all of its words.

        What ``forget`` by a query is about, oldest first. ``BadRequest`` for an empty query.
        """
        await self._loaded()
        words.require_unicode(query, key="params.query")
        if not query.strip():
            raise BadRequest("params.query", "is empty")
        every = tuple(self._library.every())
        return await self._in_thread(partial(listing.matching, every, owner, query))

    async def forget(self, ids: Sequence[str], *, viewer: str | None = None) -> Receipt:
        """Remove these memories and their words; what was removed, and what is beyond reach.

        Nothing is removed where one of them is not there (any more), ``NotFound``, or is
        another's, ``Refused``. A later repetition of the event that brought one is refused.
        """
        by_owner: dict[str, dict[str, Memory]] = {}
        for memory_id in ids:
            memory = await self._owned(memory_id, viewer)
            by_owner.setdefault(memory.owner, {})[memory.id] = memory
        receipts = [
            await self._in_time(
                partial(self._writer.forget, tuple(some.values())), limit_ms=FORGET_MS
            )
            for some in by_owner.values()
        ]
        return _joined(receipts)

    async def snapshot(
        self, owner: str, *, limit: int = NEAREST
    ) -> tuple[Mapping[str, Memory], Nearest]:
        """The owner's own memories that are not deleted, by id, and what finds the nearest.

        Both stay as they are now; the latter works in any thread and asks nothing and nobody:
        at most ``limit``, by cosine, best first, itself and deleted ones left out.
        """
        await self._loaded()
        view = self._library.snapshot(owner)
        nearby = self._nearby.pop(owner, None) or Nearby()
        # The last asked for stand last.
        while len(self._nearby) >= KEPT_VIEWS:
            del self._nearby[next(iter(self._nearby))]
        self._nearby[owner] = nearby
        return view.memories, partial(nearby.nearest, view, limit)

    async def touch(self, ids: Sequence[str]) -> None:
        """Count a use of these, as when they were shown to the user."""
        await self._loaded()
        self._upkeep.touch(ids)

    async def age(self) -> int:
        """Move every memory to the state that time makes of it, as is done every hour.

        How many moved or, 90 days deleted, were removed. Twice at one time is as once.
        """
        return await self._upkeep.age()

    async def flush(self) -> None:
        """Write the uses that were counted, as is done every ten seconds and at the end."""
        await self._upkeep.flush()

    @property
    def scale(self) -> Scale:
        """What the engine's cosines mean; ``PLAIN`` until it was measured."""
        return self._nearness.scale

    async def count(self, owner: str | None = None) -> int:
        """How many memories there are: all, deleted ones too, or an owner's that are not."""
        await self._loaded()
        return len(self._library if owner is None else self._library.of(owner))

    async def _loaded(self) -> None:
        await self._in_time(_nothing)

    async def _in_time(self, work: Callable[[], Awaitable[T]], *, limit_ms: int = KEEP_MS) -> T:
        """``work``'s result, once everything is read. ``Unavailable`` when that takes too long:
        what was to be kept may be or not, and an event with an id may be sent again."""
        with anyio.move_on_after(limit_ms / 1_000):
            await self._upkeep.loaded()
            return await work()
        self._world.counters.add("memories.not_in_time")
        raise Unavailable("store", f"memories: no answer within {limit_ms} ms")

    async def _seen(self, memory_id: str, viewer: str | None) -> Memory:
        await self._loaded()
        found = self._library.get(memory_id)
        if found is None or (viewer is not None and not may_see(viewer, found)):
            raise NotFound(f"memory {memory_id[:100]!r}")
        return found

    async def _owned(self, memory_id: str, viewer: str | None) -> Memory:
        found = await self._seen(memory_id, viewer)
        if viewer is not None and found.owner != viewer:
            raise Refused("only its owner may change or forget a memory")
        return found

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)


async def _nothing() -> None:
    """What is left to do when everything is read."""


def _joined(receipts: Sequence[Receipt]) -> Receipt:
    removed: dict[str, int] = {}
    for receipt in receipts:
        for what, count in receipt.removed.items():
            removed[what] = removed.get(what, 0) + count
    beyond = dict.fromkeys(place for receipt in receipts for place in receipt.beyond)
    ids = tuple(id_ for receipt in receipts for id_ in receipt.ids)
    return Receipt(ids=ids, removed=removed, beyond=tuple(beyond))
