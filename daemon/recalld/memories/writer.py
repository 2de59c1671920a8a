"""Adding, changing and forgetting memories: compared with what is there, kept, acknowledged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import anyio
import msgspec

from recalld.errors import BadRequest, NotFound, Refused
from recalld.memories import making
from recalld.memories.board import Vector as Floats
from recalld.memories.content import accepted_name, content_key
from recalld.memories.dedupe import OPEN, may_repeat, repeats
from recalld.memories.library import Library
from recalld.memories.model import (
    Added,
    Change,
    Memory,
    MemoryState,
    NewMemory,
    NewReply,
    Origin,
    Receipt,
    Vector,
    Wanted,
    Write,
)
from recalld.memories.pipeline import Nearness
from recalld.memories.resolve import PLANS, REPORTS, may_resolve, meant, reports_done
from recalld.memories.scale import REPORTED, SEMANTIC
from recalld.memories.world import World

# An answer to an event id is remembered so long.
REMEMBERED = timedelta(hours=24)
CANDIDATES = 8


class Writer:
    """One writer at a time for each owner, so that two equal messages meet.

    The store is written first and the library follows. Where a write ends in an error or a
    cancel it may or may not be in the store: those memories are doubted, and read again.
    """

    def __init__(self, world: World, library: Library, nearness: Nearness) -> None:
        self._world = world
        self._library = library
        self._nearness = nearness
        self._locks: dict[str, anyio.Lock] = {}
        self._doubted: dict[str, set[str]] = {}
        self._news = anyio.Event()
        # Kept while there was no vector of them to compare with plans.
        self._unjudged: set[str] = set()

    @property
    def doubted(self) -> bool:
        """Whether the library may be behind the store."""
        return bool(self._doubted)

    def alone(self, owner: str) -> anyio.Lock:
        """The owner's lock: whoever writes a memory of that owner holds it."""
        return self._locks.setdefault(owner, anyio.Lock())

    async def add(self, new: NewMemory) -> Added:
        """See ``MemoryService.add``."""
        said = making.made(new, memory_id=self._world.new_id(), now=self._world.now())
        self._require_tags(said.tags)
        if new.origin is Origin.HEARTBEAT or self._world.own_words(said.owner, said.content):
            self._world.counters.add("memories.own_words")
            raise Refused("a heartbeat's own words and replies to them are not remembered")
        if new.event_id is not None:
            accepted_name(new.event_id, key="params.event_id")
        vector = await self._nearness.embed(said.content)
        async with self.alone(said.owner):
            answered = await self._answered(said.owner, new.event_id)
            if answered is not None:
                return answered
            old = await self._repeated(said, vector)
            if old is not None:
                return await self._again(old, said, new)
            return await self._keep(said, vector, new)

    async def update(self, memory_id: str, change: Change) -> Memory:
        """See ``MemoryService.update``."""
        asked = making.checked(change)
        self._require_tags(asked.tags or ())
        vector = None if asked.content is None else await self._nearness.embed(asked.content)
        async with self.alone(self._there(memory_id).owner):
            old = self._there(memory_id)
            fresh = making.changed(old, asked, self._world.now())
            if fresh is old:
                return old
            if fresh.content == old.content:
                await self.commit(Write(memories=(fresh,)))
            else:
                blobs = () if vector is None else (self._nearness.blob(fresh, vector),)
                write = Write(memories=(fresh,), vectors=blobs, stale_vectors=(fresh.id,))
                await self.commit(write, {fresh.id: vector})
            return fresh

    async def forget(self, memories: Sequence[Memory]) -> Receipt:
        """See ``MemoryService.forget``. All are one owner's."""
        owner = memories[0].owner
        async with self.alone(owner):
            # As they are now: their words may have been changed while this waited.
            memories = [self._there(memory.id) for memory in memories]
            ids = [memory.id for memory in memories]
            try:
                receipt = await self._world.store.forget(memories)
            except BaseException:
                self._doubted.setdefault(owner, set()).update(ids)
                raise
            self._library.drop(ids)
            plans = [m for m in self._library.of(owner).values() if m.resolved_by in ids]
            self._library.put([replace(plan, resolved_by=None) for plan in plans])
            self._world.counters.add("memories.forgotten", len(ids))
            return receipt

    async def purge(self, ids: Sequence[str]) -> None:
        """Delete what was kept long enough. The owner's lock is held."""
        await self._world.store.purge(ids)
        self._library.drop(ids)
        self._world.counters.add("memories.purged", len(ids))

    async def commit(
        self, write: Write, vectors: Mapping[str, Floats | None] | None = None
    ) -> None:
        """Store it, then know it. The owner's lock is held."""
        try:
            await self._world.store.put(write)
        except BaseException:
            for memory in write.memories:
                self._doubted.setdefault(memory.owner, set()).add(memory.id)
            raise
        self._library.put(write.memories, vectors)
        if any(vector is None for vector in (vectors or {}).values()):
            self._news.set()

    async def settle(
        self,
        floats: Callable[[Sequence[tuple[Memory, Vector | None]]], Mapping[str, Floats | None]],
    ) -> None:
        """Read again what is doubted."""
        for owner in list(self._doubted):
            async with self.alone(owner):
                ids = self._doubted.get(owner, set())
                found = await self._world.store.some(sorted(ids))
                vectors = floats(found)
                self._library.put(
                    [memory for memory, _ in found],
                    {memory.id: vectors.get(memory.id) for memory, _ in found},
                )
                self._library.drop(ids - {memory.id for memory, _ in found})
                self._doubted.pop(owner, None)

    async def wait_for_words(self) -> None:
        """Return when a memory was kept without a vector since the last call."""
        await self._news.wait()
        self._news = anyio.Event()

    async def judge(self, memory_id: str) -> None:
        """Close the plans that a memory reports done, if nobody looked when it was kept."""
        memory = self._library.get(memory_id)
        if memory_id not in self._unjudged or memory is None:
            return
        async with self.alone(memory.owner):
            resolved = await self._resolved(memory, self._library.vector(memory_id))
            if resolved:
                await self.commit(Write(memories=resolved))
                self._world.counters.add("memories.resolved", len(resolved))
            self._unjudged.discard(memory_id)

    def _require_tags(self, tags: Sequence[str]) -> None:
        """``BadRequest`` for a misspelt schedule: nobody would ever be reminded by it."""
        for tag in tags:
            problem = self._world.tag_problem(tag)
            if problem is not None:
                self._world.counters.add("memories.refused_tag")
                raise BadRequest("params.tags", problem)

    def _there(self, memory_id: str) -> Memory:
        found = self._library.get(memory_id)
        if found is None:
            raise NotFound(f"memory {memory_id[:100]!r}")
        return found

    async def _answered(self, owner: str, event_id: str | None) -> Added | None:
        if event_id is None:
            return None
        since = self._world.now() - REMEMBERED
        reply = await self._world.store.reply_of(owner, event_id, since=since)
        if reply is None:
            return None
        if reply.answer is None:
            raise Refused("what this event said was forgotten")
        self._world.counters.add("memories.repeated_event")
        return replace(msgspec.json.decode(reply.answer, type=Added), repeated=True)

    async def _repeated(self, said: Memory, vector: Floats | None) -> Memory | None:
        """The memory that says so already."""
        scale = self._nearness.scale
        key = content_key(said.content)
        for old in self._library.worded(said.owner, said.content):
            if may_repeat(said, old) and (
                content_key(old.content) == key
                or repeats(said.content, old.content, self._cosine(vector, old.id), scale)
            ):
                return old
        wanted = Wanted(types=frozenset({said.type}), states=OPEN)
        view = self._library.view(said.owner, own=True)
        for old, cosine in await self._nearness.near(
            view, vector, wanted, limit=CANDIDATES, floor=scale.cosine(SEMANTIC)
        ):
            if may_repeat(said, old) and repeats(said.content, old.content, cosine, scale):
                return old
        return None

    async def _resolved(self, report: Memory, vector: Floats | None) -> tuple[Memory, ...]:
        """The plans that it reports done."""
        if report.type not in REPORTS:
            return ()
        scale = self._nearness.scale
        wanted = Wanted(types=PLANS, states=frozenset({MemoryState.ACTIVE}))
        view = self._library.view(report.owner, own=True)
        near = await self._nearness.near(
            view, vector, wanted, limit=CANDIDATES, floor=scale.cosine(REPORTED)
        )
        done = [
            plan
            for plan, cosine in near
            if may_resolve(report, plan)
            and reports_done(report.content, plan.content, cosine, scale)
        ]
        now = self._world.now()
        return tuple(making.resolved(plan, report, now) for plan in meant(report.content, done))

    def _cosine(self, vector: Floats | None, memory_id: str) -> float | None:
        other = self._library.vector(memory_id)
        return None if vector is None or other is None else float(vector @ other)

    async def _again(self, old: Memory, said: Memory, new: NewMemory) -> Added:
        fresh = making.said_again(old, said, new)
        answer = Added(memory=fresh, duplicate_of=fresh.id)
        note = making.occurrence(old, said)
        await self.commit(Write(memories=(fresh,), occurrence=note, reply=_reply(new, answer)))
        self._world.counters.add("memories.duplicate")
        return answer

    async def _keep(self, said: Memory, vector: Floats | None, new: NewMemory) -> Added:
        resolved = await self._resolved(said, vector)
        answer = Added(memory=said, resolved=tuple(plan.id for plan in resolved))
        blobs = () if vector is None else (self._nearness.blob(said, vector),)
        write = Write(memories=(said, *resolved), vectors=blobs, reply=_reply(new, answer))
        await self.commit(write, {said.id: vector})
        self._world.counters.add("memories.added")
        if vector is None:
            self._unjudged.add(said.id)
            self._world.counters.add("memories.embedded_later")
        if resolved:
            self._world.counters.add("memories.resolved", len(resolved))
        return answer


def _reply(new: NewMemory, answer: Added) -> NewReply | None:
    if new.event_id is None:
        return None
    return NewReply(
        owner=new.owner,
        event_id=new.event_id,
        at=answer.memory.updated_at,
        memory_id=answer.memory.id,
        answer=msgspec.json.encode(answer),
    )
