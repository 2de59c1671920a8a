"""Transcripts in the derived index: how far each is read, and the turns it gave."""

from collections.abc import Sequence

import aiosqlite
import msgspec
import orjson

from recalld.index.model import FileRecord, Stamp
from recalld.index.transcripts.model import (
    Identity,
    KnownTranscript,
    Progress,
    Tail,
    Written,
)
from recalld.search.model import Source
from recalld.store.index_rows import (
    PUT_FILE,
    file_row,
    insert_chunks,
    next_chunk_id,
    remove_chunks,
    stamp_row,
    value_of,
)
from recalld.store.index_write import IndexWriter

_KNOWN = """
SELECT f.id, f.workspace_id, f.path, f.size, f.mtime_ns, f.inode, t.progress, f.skipped
FROM file f LEFT JOIN transcript t ON t.file_id = f.id WHERE f.source = ? ORDER BY f.path
"""
_TAIL = """
SELECT c.id, l.own FROM chunk c JOIN chunk_lexical l ON l.chunk_id = c.id
WHERE c.file_id = ? AND c.ordinal < ? ORDER BY c.ordinal DESC LIMIT 1
"""
_TAKEN = """
SELECT 1 FROM transcript_line l JOIN file f ON f.id = l.file_id
WHERE l.identity = ? AND f.workspace_id = ? AND (l.file_id <> ? OR l.line <= ?) LIMIT 1
"""
_LEXICAL = "SELECT {}chunk_id, own, prev, next, head FROM chunk_lexical WHERE chunk_id = ?"


class TranscriptStore:
    """The rows of transcripts; each method is one transaction."""

    def __init__(self, writer: IndexWriter) -> None:
        self._writer = writer

    async def known(self) -> tuple[KnownTranscript, ...]:
        """Every transcript of every workspace, in order of path."""

        async def job(connection: aiosqlite.Connection) -> tuple[KnownTranscript, ...]:
            rows = await connection.execute_fetchall(_KNOWN, (Source.SESSIONS.value,))
            return tuple(
                KnownTranscript(
                    file_id=key,
                    workspace_id=workspace_id,
                    path=path,
                    stamp=Stamp(size=size, mtime_ns=mtime_ns, inode=inode),
                    progress=None if progress is None else _progress(progress),
                    skipped=skipped,
                )
                for key, workspace_id, path, size, mtime_ns, inode, progress, skipped in rows
            )

        return await self._writer.read(job)

    async def tail(self, file_id: int, *, ordinal: int) -> Tail | None:
        """The last chunk of the file before ``ordinal``."""

        async def job(connection: aiosqlite.Connection) -> Tail | None:
            rows = list(await connection.execute_fetchall(_TAIL, (file_id, ordinal)))
            return Tail(chunk_id=rows[0][0], own=rows[0][1]) if rows else None

        return await self._writer.read(job)

    async def taken(
        self, workspace_id: int, identities: Sequence[bytes], *, file_id: int, up_to_line: int
    ) -> frozenset[bytes]:
        """Those that the workspace has from other files, or from this one up to a line."""
        wanted = sorted(set(identities))

        async def job(connection: aiosqlite.Connection) -> frozenset[bytes]:
            found = set()
            for identity in wanted:
                key = (identity, workspace_id, file_id, up_to_line)
                if list(await connection.execute_fetchall(_TAKEN, key)):
                    found.add(identity)
            return frozenset(found)

        return await self._writer.read(job) if wanted else frozenset()

    async def write(self, workspace_id: int, written: Written) -> int:
        """Put what a look found; the file's id."""
        record = FileRecord(
            path=written.path,
            source=Source.SESSIONS,
            sha256=b"",
            stamp=written.stamp,
            date=written.date,
            session=None if written.progress is None else written.progress.session,
            skipped=written.skipped,
        )

        async def job(connection: aiosqlite.Connection) -> int:
            file_id = int(await value_of(connection, PUT_FILE, workspace_id, *file_row(record)))
            await _cut(connection, workspace_id, file_id, written)
            if written.tail is not None and written.next_of_tail is not None:
                await _follow(connection, workspace_id, written.tail, written.next_of_tail)
            first = await next_chunk_id(connection)
            rows = [
                (first + at, file_id, written.keep.ordinal + at, chunk)
                for at, chunk in enumerate(written.chunks)
            ]
            await insert_chunks(connection, workspace_id, rows)
            await _remember(connection, file_id, written.progress, written.identities)
            return file_id

        return await self._writer.write(job)

    async def rename(self, file_id: int, *, path: str, stamp: Stamp) -> None:
        """The same file under another name, or with another stamp.

        A file that has that name yet makes way: it is gone, or about to be renamed itself.
        """

        async def job(connection: aiosqlite.Connection) -> None:
            await connection.execute(
                "UPDATE file SET path = path || char(10) || id WHERE path = ? AND id <> ?"
                " AND workspace_id = (SELECT workspace_id FROM file WHERE id = ?)",
                (path, file_id, file_id),
            )
            await connection.execute(
                "UPDATE file SET path = ?, size = ?, mtime_ns = ?, inode = ? WHERE id = ?",
                (path, *stamp_row(stamp), file_id),
            )

        await self._writer.write(job)

    async def remove(self, workspace_id: int, file_id: int) -> None:
        async def job(connection: aiosqlite.Connection) -> None:
            await remove_chunks(connection, workspace_id, [file_id])
            await connection.execute("DELETE FROM file WHERE id = ?", (file_id,))

        await self._writer.write(job)


def _progress(data: bytes) -> Progress | None:
    """None for one that another version wrote: the file is read anew."""
    try:
        return msgspec.json.decode(data, type=Progress)
    except msgspec.MsgspecError:
        return None


async def _cut(
    connection: aiosqlite.Connection, workspace_id: int, file_id: int, written: Written
) -> None:
    """Drop what stands from ``keep`` on."""
    await connection.execute(
        "DELETE FROM transcript_line WHERE file_id = ? AND line > ?", (file_id, written.keep.line)
    )
    await remove_chunks(connection, workspace_id, [file_id], from_ordinal=written.keep.ordinal)


async def _follow(
    connection: aiosqlite.Connection, workspace_id: int, tail: Tail, following: str
) -> None:
    """Let the last chunk know what was said after it."""
    lex = f"lex_{workspace_id:d}"
    # A contentless table has to be told what it was fed with.
    await connection.execute(
        f"INSERT INTO {lex} ({lex}, rowid, own, prev, next, head) " + _LEXICAL.format("'delete', "),
        (tail.chunk_id,),
    )
    await connection.execute(
        "UPDATE chunk_lexical SET next = ? WHERE chunk_id = ?", (following, tail.chunk_id)
    )
    await connection.execute(
        f"INSERT INTO {lex} (rowid, own, prev, next, head) " + _LEXICAL.format(""),
        (tail.chunk_id,),
    )


async def _remember(
    connection: aiosqlite.Connection,
    file_id: int,
    progress: Progress | None,
    identities: Sequence[Identity],
) -> None:
    if progress is None:
        await connection.execute("DELETE FROM transcript WHERE file_id = ?", (file_id,))
    else:
        await connection.execute(
            "INSERT INTO transcript (file_id, progress) VALUES (?, ?)"
            " ON CONFLICT (file_id) DO UPDATE SET progress = excluded.progress",
            (file_id, orjson.dumps(msgspec.to_builtins(progress))),
        )
    await connection.executemany(
        "INSERT OR REPLACE INTO transcript_line (file_id, line, identity) VALUES (?, ?, ?)",
        [(file_id, each.line, each.value) for each in identities],
    )
