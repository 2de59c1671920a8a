"""The memory tables: what their rows hold, and how one transaction changes them."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from enum import StrEnum
from typing import Any

import aiosqlite
import orjson

from recalld.memories.model import (
    Memory,
    MemoryState,
    MemoryType,
    NewReply,
    Occurrence,
    Origin,
    Reply,
    Vector,
    Visibility,
    Write,
)
from recalld.store.event_table import stamp

COLUMNS = tuple(field.name for field in fields(Memory))
_TIMES = frozenset(
    {"created_at", "updated_at", "expires_at", "accessed_at", "state_since", "burst_at"}
)
_LISTS = frozenset({"tags", "confidence_factors"})
_ENUMS: Mapping[str, type[StrEnum]] = {
    "type": MemoryType,
    "state": MemoryState,
    "origin": Origin,
    "visibility": Visibility,
}

_SET = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS if name != "id")
_PUT = f"""
INSERT INTO memory ({", ".join(COLUMNS)}) VALUES ({", ".join("?" * len(COLUMNS))})
ON CONFLICT (id) DO UPDATE SET {_SET}
"""  # noqa: S608
_PUT_VECTOR = """
INSERT OR REPLACE INTO memory_vector (memory_id, identity, blob)
SELECT id, ?, ? FROM memory WHERE id = ? AND content = ?
"""
_PUT_OCCURRENCE = """
INSERT INTO memory_occurrence (memory_id, content, session, agent, origin, at, count)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (memory_id, content, session, agent) DO UPDATE SET
  count = count + excluded.count, at = max(at, excluded.at)
"""
_PUT_REPLY = """
INSERT OR REPLACE INTO memory_reply (owner, event_id, at, memory_id, reply) VALUES (?, ?, ?, ?, ?)
"""
_SELECT = f"""
SELECT {", ".join(f"m.{name}" for name in COLUMNS)}, v.identity, v.blob
FROM memory m LEFT JOIN memory_vector v ON v.memory_id = m.id
"""  # noqa: S608
_PAGE = f"{_SELECT} WHERE m.id > ? ORDER BY m.id LIMIT ?"
_SOME = f"{_SELECT} WHERE m.id IN (SELECT value FROM json_each(?)) ORDER BY m.id"  # noqa: S608

Row = tuple[Any, ...]


async def page(connection: aiosqlite.Connection, *, after_id: str, limit: int) -> list[Row]:
    """Raw rows: they are made into memories in a thread."""
    return [tuple(row) for row in await connection.execute_fetchall(_PAGE, (after_id, limit))]


async def some(connection: aiosqlite.Connection, *, ids: Sequence[str]) -> list[Row]:
    wanted = orjson.dumps(list(ids)).decode()
    return [tuple(row) for row in await connection.execute_fetchall(_SOME, (wanted,))]


async def put(connection: aiosqlite.Connection, *, write: Write) -> None:
    await connection.executemany(_PUT, [_row(memory) for memory in write.memories])
    if write.stale_vectors:
        gone = [(each,) for each in write.stale_vectors]
        await connection.executemany("DELETE FROM memory_vector WHERE memory_id = ?", gone)
    if write.vectors:
        rows = [(v.identity, v.blob, v.memory_id, v.content) for v in write.vectors]
        await connection.executemany(_PUT_VECTOR, rows)
    if write.occurrence is not None:
        await connection.execute(_PUT_OCCURRENCE, _occurrence_row(write.occurrence))
    if write.reply is not None:
        await connection.execute(_PUT_REPLY, _reply_row(write.reply))


async def reply_of(
    connection: aiosqlite.Connection, *, owner: str, event_id: str, since: datetime
) -> Reply | None:
    rows = await connection.execute_fetchall(
        "SELECT memory_id, reply FROM memory_reply WHERE owner = ? AND event_id = ? AND at >= ?",
        (owner, event_id, stamp(since)),
    )
    return next((Reply(memory_id=memory_id, answer=answer) for memory_id, answer in rows), None)


async def occurrences(
    connection: aiosqlite.Connection, *, memory_id: str
) -> tuple[Occurrence, ...]:
    rows = await connection.execute_fetchall(
        "SELECT memory_id, content, session, agent, origin, at, count FROM memory_occurrence"
        " WHERE memory_id = ? ORDER BY at, content, session, agent",
        (memory_id,),
    )
    return tuple(
        Occurrence(
            memory_id=found_id,
            content=content,
            session=session or None,
            agent=agent,
            origin=Origin(origin),
            at=datetime.fromisoformat(at),
            count=count,
        )
        for found_id, content, session, agent, origin, at, count in rows
    )


def remembered(row: Row) -> tuple[Memory, Vector | None]:
    """A row of ``page`` as a memory and its vector."""
    values = dict(zip(COLUMNS, row, strict=False))
    for name in _TIMES:
        if values[name] is not None:
            values[name] = datetime.fromisoformat(values[name])
    for name in _LISTS:
        values[name] = tuple(orjson.loads(values[name])) if values[name] != "[]" else ()
    for name, kind in _ENUMS.items():
        values[name] = kind(values[name])
    memory = Memory(**values)
    identity, blob = row[len(COLUMNS) :]
    if identity is None:
        return memory, None
    vector = Vector(memory_id=memory.id, content=memory.content, identity=identity, blob=blob)
    return memory, vector


def _row(memory: Memory) -> Row:
    return tuple(_raw(name, getattr(memory, name)) for name in COLUMNS)


def _raw(name: str, value: Any) -> Any:
    if name in _TIMES:
        return None if value is None else stamp(value)
    if name in _LISTS:
        return orjson.dumps(value).decode()
    return value.value if name in _ENUMS else value


def _occurrence_row(said: Occurrence) -> Row:
    session = said.session or ""
    at = stamp(said.at)
    return (
        said.memory_id, said.content, session, said.agent, said.origin.value, at, said.count
    )  # fmt: skip


def _reply_row(reply: NewReply) -> Row:
    return reply.owner, reply.event_id, stamp(reply.at), reply.memory_id, reply.answer
