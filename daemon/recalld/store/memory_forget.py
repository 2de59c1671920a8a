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

# Events looked through in one read; a payload has a quarter of a mebibyte at most.
EVENTS_AT_ONCE = 500
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
_EVENTS = """
SELECT seq, payload, reply FROM event WHERE seq > ? ORDER BY seq LIMIT ?
"""
FILES = "notes and transcripts that hold these words, and what is indexed of them"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Events that hold the words; ``last_seq`` is None when there are no more to look at."""

    hits: tuple[int, ...]
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
    connection: aiosqlite.Connection, *, texts: tuple[str, ...], after_seq: int
) -> Found:
    """Those of the next ``EVENTS_AT_ONCE`` events that hold one of ``texts``."""
    needles = [orjson.dumps(text)[1:-1] for text in texts]
    rows = list(await connection.execute_fetchall(_EVENTS, (after_seq, EVENTS_AT_ONCE)))
    hits = tuple(
        seq
        for seq, payload, reply in rows
        if any(needle in payload or needle in (reply or b"") for needle in needles)
    )
    return Found(hits=hits, last_seq=rows[-1][0] if len(rows) == EVENTS_AT_ONCE else None)


async def clean_events(
    connection: aiosqlite.Connection, *, hits: tuple[int, ...], texts: tuple[str, ...]
) -> int:
    """Put ``FORGOTTEN`` where the words stood; in how many events."""
    cleaned = 0
    for seq in hits:
        rows = await connection.execute_fetchall(
            "SELECT payload, reply FROM event WHERE seq = ?", (seq,)
        )
        for payload, reply in rows:
            fresh = _without(payload, texts), None if reply is None else _without(reply, texts)
            if fresh != (payload, reply):
                await connection.execute(
                    "UPDATE event SET payload = ?, reply = ? WHERE seq = ?", (*fresh, seq)
                )
                cleaned += 1
    return cleaned


async def forget(
    connection: aiosqlite.Connection, *, memories: Sequence[Memory], texts: tuple[str, ...]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """How many rows of what went, and where else the words are."""
    removed = dict.fromkeys(_COUNTS, 0)
    for memory in memories:
        for name, sql in _COUNTS.items():
            ((count,),) = await connection.execute_fetchall(sql, (memory.id,))
            removed[name] += int(count)
        for sql in _ERASE:
            await connection.execute(sql, (memory.id,))
    beyond = [FILES]
    for name, sql in _ELSEWHERE.items():
        found = 0
        for text in texts:
            ((count,),) = await connection.execute_fetchall(sql, (text,))
            found += int(count)
        if found:
            beyond.append(f"{name} in this database: {found}")
    return removed, tuple(beyond)


async def purge(connection: aiosqlite.Connection, *, ids: Sequence[str]) -> None:
    for sql in _ERASE:
        await connection.executemany(sql, [(each,) for each in ids])


async def backups(path: Path) -> tuple[str, ...]:
    """The copies of the database that were made before a change of its schema."""
    names = await anyio.to_thread.run_sync(partial(_copies, path))
    return tuple(f"the backup {name}, if it was made since" for name in names)


def _copies(path: Path) -> list[str]:
    return sorted(copy.name for copy in path.parent.glob(f"{path.name}.v*.backup"))


def _without(raw: bytes, texts: tuple[str, ...]) -> bytes:
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return b"{}"
    return orjson.dumps(_cleaned(value, texts))


def _cleaned(value: object, texts: tuple[str, ...]) -> object:
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
