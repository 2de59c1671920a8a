"""What happens to memories while nobody asks: reading them, vectors, uses, fading."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice

import anyio
import anyio.to_thread
import numpy as np
import structlog

from recalld.embed.port import EmbedderState
from recalld.errors import Unavailable
from recalld.memories.board import Vector as Floats
from recalld.memories.decay import accessed, is_over, is_scheduled, next_state
from recalld.memories.library import Library, word_key
from recalld.memories.model import Memory, Vector, Write
from recalld.memories.pipeline import Nearness
from recalld.memories.world import World
from recalld.memories.writer import REMEMBERED, Writer

PAGE = 500
PLAIN_TEXT = "This sentence breaks nothing."
EMBED_AT_ONCE = 16
WRITE_AT_ONCE = 256
# Uses are written together; a crash may cost as many seconds of them, no memory.
FLUSH_S = 10.0
LAST_FLUSH_S = 1.0
# An engine that will not come back: until the next start words have to do.
GONE = frozenset({EmbedderState.FAILED, EmbedderState.OFF})
AGE_S = 3_600.0
# The first look at what has faded comes when the daemon is at rest.
FIRST_AGE_S = 60.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0

_log = structlog.get_logger("recalld.memories")


class Upkeep:
    """Keeps the library as the store is, and the store as time goes by."""

    def __init__(self, world: World, library: Library, nearness: Nearness, writer: Writer) -> None:
        self._world = world
        self._library = library
        self._nearness = nearness
        self._writer = writer
        self._loading = anyio.Lock()
        # How far the store was read, so that a cancelled reader's work is not lost.
        self._after_id: str | None = ""
        self._used: dict[str, None] = {}
        # Texts the engine makes nothing of: tried once a run.
        self._hopeless: set[str] = set()

    async def run(self) -> None:
        """Never returns; cancelled, it writes the uses that were counted. A store or an engine
        that cannot is asked again."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._embed_for_ever)
                tasks.start_soon(partial(self._every, FLUSH_S, self.flush, first_s=FLUSH_S))
                tasks.start_soon(partial(self._every, AGE_S, self._look_after, first_s=FIRST_AGE_S))
        finally:
            with anyio.move_on_after(LAST_FLUSH_S, shield=True):
                await self._tried(self.flush)

    async def loaded(self) -> None:
        """Return once the library holds what the store holds."""
        if self._after_id is None and not self._writer.doubted:
            return
        async with self._loading:
            while self._after_id is not None:
                self._after_id = await self._load(self._after_id)
            await self._writer.settle(self._vectors)

    def touch(self, ids: Iterable[str]) -> tuple[Memory, ...]:
        """Count a use of each; written later."""
        now = self._world.now()
        used = [accessed(m, now) for id_ in ids if (m := self._library.get(id_)) is not None]
        self._library.put(used)
        self._used.update((memory.id, None) for memory in used)
        return tuple(used)

    def looked_at(self, ids: Iterable[str]) -> tuple[Memory, ...]:
        """Count a use of each that has no schedule: that counts from the last time it was told,
        and keeps a memory from fading."""
        found = self._known(ids)
        self.touch(memory.id for memory in found if not is_scheduled(memory))
        return self._known(memory.id for memory in found)

    async def flush(self) -> None:
        """Write the uses that were counted."""
        for owner, ids in self._owned(tuple(self._used)).items():
            for some in _slices(ids):
                async with self._writer.alone(owner):
                    await self._flush(some)

    async def age(self) -> int:
        """Move every memory to the state that time makes of it; how many moved or were purged.

        Twice at one time is as once.
        """
        await self.loaded()
        now = self._world.now()
        every = tuple(self._library.every())
        due = await anyio.to_thread.run_sync(partial(_due, every, now), abandon_on_cancel=True)
        moved = 0
        for owner, ids in self._owned(due).items():
            for some in _slices(ids):
                async with self._writer.alone(owner):
                    moved += await self._age(some, now)
        return moved

    async def _flush(self, ids: Sequence[str]) -> None:
        used = self._known(ids)
        for id_ in ids:
            self._used.pop(id_, None)
        try:
            await self._world.store.put(Write(memories=used))
        except BaseException:
            self._used.update((memory.id, None) for memory in used)
            raise

    async def _age(self, ids: Sequence[str], now: datetime) -> int:
        found = self._known(ids)
        over = [memory.id for memory in found if is_over(memory, now)]
        moved = tuple(
            replace(memory, state=state, state_since=now)
            for memory in found
            if (state := next_state(memory, now)) is not None
        )
        if moved:
            await self._writer.commit(Write(memories=moved))
        if over:
            await self._writer.purge(over)
        for memory in moved:
            self._world.counters.add(f"memories.became_{memory.state}")
        return len(moved) + len(over)

    async def _look_after(self) -> None:
        await self.age()
        await self._world.store.drop_replies(before=self._world.now() - REMEMBERED)

    async def _load(self, after_id: str) -> str | None:
        """Read the next page; the id it ended with, None behind the last."""
        page = await self._world.store.page(after_id=after_id, limit=PAGE)
        if not page:
            return None
        memories = [memory for memory, _ in page]
        keys = await anyio.to_thread.run_sync(partial(_keys, memories), abandon_on_cancel=True)
        self._library.put(memories, self._vectors(page), keys=keys)
        return memories[-1].id

    def _vectors(self, page: Sequence[tuple[Memory, Vector | None]]) -> dict[str, Floats | None]:
        """Those of the engine that is in use; of others none."""
        identity = self._world.embedder.identity
        size = identity.dimension * 2
        return {
            memory.id: np.frombuffer(vector.blob, np.float16).astype(np.float32)
            for memory, vector in page
            if vector is not None and vector.identity == str(identity) and len(vector.blob) == size
        }

    async def _embed_for_ever(self) -> None:
        pause_s = FIRST_PAUSE_S
        while True:
            if await self._tried(self._embed_all):
                pause_s = FIRST_PAUSE_S
                await self._writer.wait_for_words()
            elif self._world.embedder.state in GONE:
                return
            else:
                await anyio.sleep(pause_s)
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _embed_all(self) -> None:
        """Embed what has no vector of this engine."""
        await self.loaded()
        await self._world.embedder.ready()
        await self._nearness.measure()
        while some := list(islice(self._lacking(), EMBED_AT_ONCE)):
            await self._embed(some)

    def _lacking(self) -> Iterator[Memory]:
        return (m for m in self._library.without_vector() if m.id not in self._hopeless)

    async def _embed(self, memories: Sequence[Memory]) -> None:
        try:
            rows = await self._world.embedder.embed_passages([m.content for m in memories])
        except Unavailable:
            if len(memories) == 1:
                # Does the engine fail, or does this text break it?
                await self._world.embedder.embed_passages([PLAIN_TEXT])
                self._hopeless.add(memories[0].id)
                self._world.counters.add("memories.not_embedded")
                return
            # One text that breaks the engine must not keep the others from their vectors.
            for memory in memories:
                await self._embed([memory])
            return
        made = {m: row for m, row in zip(memories, rows, strict=True) if row.any()}
        self._hopeless |= {memory.id for memory in memories if memory not in made}
        await self._world.store.put(
            Write(vectors=tuple(self._nearness.blob(memory, row) for memory, row in made.items()))
        )
        # What was changed meanwhile gets a vector of its own.
        kept = {
            known: row
            for memory, row in made.items()
            if (known := self._library.get(memory.id)) is not None
            and known.content == memory.content
        }
        self._library.put(tuple(kept), {memory.id: row for memory, row in kept.items()})
        for memory in kept:
            await self._writer.judge(memory.id)

    def _known(self, ids: Iterable[str]) -> tuple[Memory, ...]:
        return tuple(m for id_ in ids if (m := self._library.get(id_)) is not None)

    def _owned(self, ids: Sequence[str]) -> dict[str, list[str]]:
        owned: dict[str, list[str]] = {}
        for memory in self._known(ids):
            owned.setdefault(memory.owner, []).append(memory.id)
        return owned

    async def _every(
        self, period_s: float, work: Callable[[], Awaitable[None]], *, first_s: float
    ) -> None:
        await anyio.sleep(first_s)
        while True:
            await self._tried(work)
            await anyio.sleep(period_s)

    async def _tried(self, work: Callable[[], Awaitable[None]]) -> bool:
        try:
            await work()
        except Unavailable as fault:
            _log.warning("memories.upkeep_failed", problem=str(fault))
            return False
        return True


def _keys(memories: Iterable[Memory]) -> dict[str, int]:
    return {memory.id: word_key(memory.owner, memory.content) for memory in memories}


def _due(memories: Iterable[Memory], now: datetime) -> tuple[str, ...]:
    return tuple(
        memory.id
        for memory in memories
        if next_state(memory, now) is not None or is_over(memory, now)
    )


def _slices(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), WRITE_AT_ONCE):
        yield ids[start : start + WRITE_AT_ONCE]
