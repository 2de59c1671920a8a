"""Typed memories in ``state.db``: durable before they are acknowledged."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import aiosqlite
import anyio
import anyio.to_thread

from recalld.memories.model import Memory, Occurrence, Receipt, Reply, Vector, Write
from recalld.store import memory_forget, memory_table
from recalld.store.bridge import Database
from recalld.store.event_table import stamp

# The log cannot be emptied while a reader looks at it; readers are done within a second.
CHECKPOINT_TRIES = 20
CHECKPOINT_PAUSE_S = 0.1


class MemoryStore:
    """Every write is one synced transaction. ``Unavailable`` with the store.

    What is deleted or replaced here is overwritten in the file.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, *, after_id: str, limit: int) -> Sequence[tuple[Memory, Vector | None]]:
        """Memories behind ``after_id`` by id, with their vectors."""
        read = partial(memory_table.page, after_id=after_id, limit=limit)
        return await _remembered(await self._database.read(read))

    async def some(self, ids: Sequence[str]) -> Sequence[tuple[Memory, Vector | None]]:
        """Those of ``ids`` that are there, with their vectors."""
        return await _remembered(await self._database.read(partial(memory_table.some, ids=ids)))

    async def reply_of(self, owner: str, event_id: str, *, since: datetime) -> Reply | None:
        """The answer that the event id got since then."""
        return await self._database.read(
            partial(memory_table.reply_of, owner=owner, event_id=event_id, since=since)
        )

    async def put(self, write: Write) -> None:
        """All of it or nothing; durable when it returns."""
        await self._database.write(_erasing(partial(memory_table.put, write=write)))

    async def occurrences(self, memory_id: str) -> Sequence[Occurrence]:
        """The other times it was said, oldest first."""
        return await self._database.read(partial(memory_table.occurrences, memory_id=memory_id))

    async def forget(self, memories: Sequence[Memory]) -> Receipt:
        """Rows, vectors, occurrences, answers, and the words in the payloads of events.

        Events first: a process killed meanwhile leaves a memory that can be forgotten again.
        """
        texts = await self._database.read(partial(memory_forget.texts_of, memories=memories))
        events, acts, beyond = 0, 0, [memory_forget.FILES]
        for start in range(0, len(texts), memory_forget.TEXTS_AT_ONCE):
            some = texts[start : start + memory_forget.TEXTS_AT_ONCE]
            events += await self._forget_events(some)
            clean = partial(memory_forget.clean_acts, texts=some)
            acts += await self._database.write(_erasing(clean))
            look = partial(memory_forget.elsewhere, texts=some)
            beyond += await self._database.read(look, cut_ms=memory_forget.LOOK_CUT_MS)
        forget = partial(memory_forget.forget, memories=memories)
        removed = await self._database.write(_erasing(forget))
        beyond += await memory_forget.copies(self._database.path)
        if not await self._emptied():
            beyond.append("the write-ahead log, until a reader lets go of it")
        ids = tuple(memory.id for memory in memories)
        counts = {**removed, "events": events, "heartbeats": acts}
        return Receipt(ids=ids, removed=counts, beyond=tuple(dict.fromkeys(beyond)))

    async def purge(self, ids: Sequence[str]) -> None:
        """Delete rows whose time is over."""
        await self._database.write(_erasing(partial(memory_forget.purge, ids=ids)))

    async def drop_replies(self, *, before: datetime) -> int:
        """Let go of answers to event ids of before then."""

        async def job(connection: aiosqlite.Connection) -> int:
            done = await connection.execute(
                "DELETE FROM memory_reply WHERE at < ?", (stamp(before),)
            )
            return max(0, done.rowcount)

        return await self._database.write(_erasing(job))

    async def _forget_events(self, texts: Sequence[str]) -> int:
        forgotten, after_seq = 0, 0
        while True:
            look = partial(memory_forget.find_events, texts=texts, after_seq=after_seq)
            found = await self._database.read(look, cut_ms=memory_forget.LOOK_CUT_MS)
            events = await anyio.to_thread.run_sync(memory_forget.cleaned, found.hits, texts)
            if events:
                job = partial(memory_forget.replace_events, events=events)
                await self._database.write(_erasing(job))
                forgotten += len(events)
            if found.last_seq is None:
                return forgotten
            after_seq = found.last_seq

    async def _emptied(self) -> bool:
        for _ in range(CHECKPOINT_TRIES):
            if await self._database.checkpoint():
                return True
            await anyio.sleep(CHECKPOINT_PAUSE_S)
        return False


async def _remembered(
    rows: Sequence[memory_table.Row],
) -> Sequence[tuple[Memory, Vector | None]]:
    """In a thread: a thousand rows take 30 ms."""
    return await anyio.to_thread.run_sync(
        lambda: [memory_table.remembered(row) for row in rows], abandon_on_cancel=True
    )


def _erasing(job: memory_forget.AnyJob) -> memory_forget.AnyJob:
    """``job`` with what it deletes overwritten by zeros (bytes stay in the file otherwise)."""

    async def erasing(connection: aiosqlite.Connection) -> object:
        await connection.execute("PRAGMA secure_delete = ON")
        return await job(connection)

    return erasing
