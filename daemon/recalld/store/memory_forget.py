"""Forgetting a memory: its rows, and its words where events hold them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import aiosqlite
import anyio.to_thread
import orjson

from recalld.memories.model import Memory

AnyJob = Callable[[aiosqlite.Connection], Awaitable[Any]]

# Events looked through in one read, for so many wordings: a payload may have 256 KiB.
EVENTS_AT_ONCE = 200
TEXTS_AT_ONCE = 20
LOOK_CUT_MS = 10_000
# Shorter words are anybody's: they go only where they are all that was said.
MIN_INSIDE_CHARS = 16
FORGOTTEN = "[forgotten]"

_COUNTS = {
    "memories": "SELECT count(*) FROM memory WHERE id = ?",
    "vectors": "SELECT count(*) FROM memory_vector WHERE memory_id = ?",
    "occurrences": "SELECT count(*) FROM memory_occurrence WHERE memory_id = ?",
    "answers": "SELECT count(*) FROM memory_reply WHERE memory_id = ?",
}
_ERASE = (
    "UPDATE memory_reply SET memory_id = NULL, reply = NULL WHERE memory_id = ?",
    "UPDATE memory SET resolved_by = NULL WHERE resolved_by = ?",
    "DELETE FROM memory WHERE id = ?",
)
_ELSEWHERE = {
    "versions of checkpoints": "SELECT count(*) FROM checkpoint WHERE instr(body, ?)",
    "results of sub-agents": "SELECT count(*) FROM child_result WHERE instr(result, ?)",
}
_LAST = "SELECT max(seq) FROM (SELECT seq FROM event WHERE seq > ? ORDER BY seq LIMIT ?)"
_EVENTS = """
SELECT seq, payload, reply FROM event WHERE seq > ? AND seq <= ? AND EXISTS (
  SELECT 1 FROM json_each(?)
  WHERE instr(payload, CAST(value AS BLOB)) OR instr(coalesce(reply, X''), CAST(value AS BLOB))
)
"""
FILES = "notes and transcripts that hold these words, and what is indexed of them"


# The messages of past heartbeats, a few hundred at most.
_ACTS = """
SELECT id, body FROM heartbeat_act WHERE EXISTS (
  SELECT 1 FROM json_each(?) WHERE instr(body, CAST(value AS BLOB))
)
"""
Stored = tuple[int, bytes, bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Events that hold the words, each with payload and reply; ``last_seq`` is the last that was
    looked at, None when there are no more."""

    hits: tuple[Stored, ...]
    last_seq: int | None


async def texts_of(
    connection: aiosqlite.Connection, *, memories: Sequence[Memory]
) -> tuple[str, ...]:
    """The wordings of the memories, longest first, so that no part of a longer one is left."""
    texts = {memory.content for memory in memories}
    for memory in memories:
        rows = await connection.execute_fetchall(
            "SELECT content FROM memory_occurrence WHERE memory_id = ?", (memory.id,)
        )
        texts |= {text for (text,) in rows}
    return tuple(sorted(texts, key=lambda text: (-len(text), text)))


async def find_events(
    connection: aiosqlite.Connection, *, texts: Sequence[str], after_seq: int
) -> Found:
    """Those of the next ``EVENTS_AT_ONCE`` events that hold one of ``texts``, as JSON has it."""
    ((last,),) = await connection.execute_fetchall(_LAST, (after_seq, EVENTS_AT_ONCE))
    if last is None:
        return Found(hits=(), last_seq=None)
    wanted = (after_seq, last, _needles(texts))
    rows = await connection.execute_fetchall(_EVENTS, wanted)
    return Found(hits=tuple((seq, payload, reply) for seq, payload, reply in rows), last_seq=last)


def cleaned(hits: Sequence[Stored], texts: Sequence[str]) -> list[tuple[bytes, bytes | None, int]]:
    """The events that are to change, with ``FORGOTTEN`` where the words stood. For a thread."""
    changed = []
    for seq, payload, reply in hits:
        fresh = _without(payload, texts), None if reply is None else _without(reply, texts)
        if fresh != (payload, reply):
            changed.append((*fresh, seq))
    return changed


async def replace_events(
    connection: aiosqlite.Connection, *, events: Sequence[tuple[bytes, bytes | None, int]]
) -> None:
    sql = "UPDATE event SET payload = ?, reply = ? WHERE seq = ?"
    await connection.executemany(sql, events)


async def clean_acts(connection: aiosqlite.Connection, *, texts: Sequence[str]) -> int:
    """Put ``FORGOTTEN`` where the words stood in heartbeats; in how many."""
    rows = await connection.execute_fetchall(_ACTS, (_needles(texts),))
    fresh = [(body, id_) for id_, old in rows if (body := _without(old, texts)) != old]
    await connection.executemany("UPDATE heartbeat_act SET body = ? WHERE id = ?", fresh)
    return len(fresh)


async def elsewhere(connection: aiosqlite.Connection, *, texts: Sequence[str]) -> tuple[str, ...]:
    """Where else in this database the words are, and stay."""
    beyond = []
    for name, sql in _ELSEWHERE.items():
        found = 0
        for text in texts:
            ((count,),) = await connection.execute_fetchall(sql, (text,))
            found += int(count)
        if found:
            beyond.append(f"{name} in this database: {found}")
    return tuple(beyond)


async def forget(connection: aiosqlite.Connection, *, memories: Sequence[Memory]) -> dict[str, int]:
    """Delete the rows; how many of what went."""
    removed = dict.fromkeys(_COUNTS, 0)
    for memory in memories:
        for name, sql in _COUNTS.items():
            ((count,),) = await connection.execute_fetchall(sql, (memory.id,))
            removed[name] += int(count)
        for sql in _ERASE:
            await connection.execute(sql, (memory.id,))
    return removed


async def purge(connection: aiosqlite.Connection, *, ids: Sequence[str]) -> None:
    for sql in _ERASE:
        await connection.executemany(sql, [(each,) for each in ids])


async def copies(path: Path) -> tuple[str, ...]:
    """The copies of the database that were made of it, before a change of its schema or because
    it was damaged."""
    names = await anyio.to_thread.run_sync(partial(_copies, path))
    return tuple(f"the copy {name}, if it holds them" for name in names)


def _copies(path: Path) -> list[str]:
    kinds = (f"{path.name}.v*.backup", f"{path.name}.damaged-*")
    return sorted(copy.name for kind in kinds for copy in path.parent.glob(kind))


def _needles(texts: Sequence[str]) -> str:
    """The texts as they stand inside a JSON string, as a JSON list."""
    return orjson.dumps([orjson.dumps(text)[1:-1].decode() for text in texts]).decode()


def _without(raw: bytes, texts: Sequence[str]) -> bytes:
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return b"{}"
    return orjson.dumps(_cleaned(value, texts))


def _cleaned(value: object, texts: Sequence[str]) -> object:
    if isinstance(value, str):
        for text in texts:
            if value.strip() == text.strip():
                return FORGOTTEN
            if len(text) >= MIN_INSIDE_CHARS:
                value = value.replace(text, FORGOTTEN)
        return value
    if isinstance(value, dict):
        return {key: _cleaned(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item, texts) for item in value]
    return value
