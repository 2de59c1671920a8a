"""Rows of files and chunks in the derived index, inside a transaction of the caller's."""

from collections.abc import Collection, Iterable
from typing import Any

import aiosqlite

from recalld.index.model import ChunkRecord, FileRecord, Stamp

PUT_FILE = """
INSERT INTO file (workspace_id, path, source, sha256, size, mtime_ns, inode, title, date, session,
  head_text, head_hash, skipped, warning)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (workspace_id, path) DO UPDATE SET source = excluded.source,
  sha256 = excluded.sha256, size = excluded.size, mtime_ns = excluded.mtime_ns,
  inode = excluded.inode, title = excluded.title, date = excluded.date,
  session = excluded.session, head_text = excluded.head_text, head_hash = excluded.head_hash,
  skipped = excluded.skipped, warning = excluded.warning
RETURNING id
"""
_PUT_CHUNK = """
INSERT INTO chunk (id, uid, workspace_id, file_id, ordinal, start_line, end_line, heading, text,
  speaker, date, is_cjk)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_OF_FILE = "SELECT id FROM chunk WHERE file_id = ? AND ordinal >= ?"
_DELETE_CHUNKS = (
    f"DELETE FROM passage WHERE chunk_id IN ({_OF_FILE})",  # noqa: S608  our own words
    f"DELETE FROM chunk_lexical WHERE chunk_id IN ({_OF_FILE})",  # noqa: S608
    "DELETE FROM chunk WHERE file_id = ? AND ordinal >= ?",
)


def stamp_row(stamp: Stamp) -> tuple[int, int, int]:
    return (stamp.size, stamp.mtime_ns, stamp.inode)


async def value_of(connection: aiosqlite.Connection, sql: str, *arguments: object) -> Any:
    """The first column of the first row, None without a row."""
    rows = list(await connection.execute_fetchall(sql, arguments))
    return rows[0][0] if rows else None


async def remove_chunks(
    connection: aiosqlite.Connection, workspace_id: int, files: list[int], *, from_ordinal: int = 0
) -> None:
    """The chunks of ``files`` whose position is ``from_ordinal`` or later."""
    keys = [(key, from_ordinal) for key in files]
    lex = f"lex_{workspace_id:d}"
    # A contentless table has to be told what it was fed with.
    await connection.executemany(
        f"INSERT INTO {lex} ({lex}, rowid, own, prev, next, head)"  # noqa: S608  an int of ours
        " SELECT 'delete', c.id, l.own, l.prev, l.next, l.head"
        " FROM chunk c JOIN chunk_lexical l ON l.chunk_id = c.id WHERE c.file_id = ?"
        " AND c.ordinal >= ?",
        keys,
    )
    await delete_chunk_rows(connection, keys)


async def delete_chunk_rows(
    connection: aiosqlite.Connection, keys: Collection[tuple[int, int]]
) -> None:
    """Of each file from an ordinal on, all but the full text."""
    for statement in _DELETE_CHUNKS:
        await connection.executemany(statement, keys)


async def next_chunk_id(connection: aiosqlite.Connection) -> int:
    """Never given out before, also not to a chunk that is gone."""
    last = await value_of(connection, "SELECT seq FROM sqlite_sequence WHERE name = 'chunk'")
    return 1 + (last or 0)


async def put_files(
    connection: aiosqlite.Connection, workspace_id: int, records: Iterable[FileRecord]
) -> None:
    """The rows of each file and of its chunks, which must have none yet."""
    next_id = await next_chunk_id(connection)
    rows: list[tuple[int, int, int, ChunkRecord]] = []
    for record in records:
        file_id = await value_of(connection, PUT_FILE, workspace_id, *file_row(record))
        for ordinal, chunk in enumerate(record.chunks):
            rows.append((next_id, int(file_id), ordinal, chunk))
            next_id += 1
    await insert_chunks(connection, workspace_id, rows)


def file_row(record: FileRecord) -> tuple[object, ...]:
    return (
        record.path,
        record.source.value,
        record.sha256,
        *stamp_row(record.stamp),
        record.title,
        record.date,
        record.session,
        record.head_text,
        record.head_hash,
        record.skipped,
        record.warning,
    )


async def insert_chunks(
    connection: aiosqlite.Connection,
    workspace_id: int,
    rows: list[tuple[int, int, int, ChunkRecord]],
) -> None:
    await connection.executemany(
        _PUT_CHUNK,
        [
            (key, record.uid, workspace_id, file_id, ordinal, *_chunk_row(record))
            for key, file_id, ordinal, record in rows
        ],
    )
    lexical = [
        (key, r.lexical.own, r.lexical.prev, r.lexical.next, r.lexical.head) for key, *_, r in rows
    ]
    await connection.executemany(
        "INSERT INTO chunk_lexical (chunk_id, own, prev, next, head) VALUES (?, ?, ?, ?, ?)",
        lexical,
    )
    await connection.executemany(
        f"INSERT INTO lex_{workspace_id:d} (rowid, own, prev, next, head)"  # noqa: S608  as above
        " VALUES (?, ?, ?, ?, ?)",
        lexical,
    )
    await connection.executemany(
        "INSERT INTO passage (chunk_id, ordinal, start_char, end_char, text_hash)"
        " VALUES (?, ?, ?, ?, ?)",
        [
            (key, at, passage.start_char, passage.end_char, passage.text_hash)
            for key, *_, record in rows
            for at, passage in enumerate(record.passages)
        ],
    )


def _chunk_row(record: ChunkRecord) -> tuple[object, ...]:
    chunk = record.chunk
    return (
        chunk.start_line,
        chunk.end_line,
        chunk.heading,
        chunk.text,
        chunk.speaker,
        chunk.date,
        int(record.is_cjk),
    )
