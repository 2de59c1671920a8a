"""Every write to the derived index: workspaces, files, chunks, full text, passages."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import aiosqlite
import anyio
import anyio.lowlevel
import orjson

from recalld.errors import RecalldError, Unavailable
from recalld.index.model import Changes, Counts, KnownFile, Skip, Stamp, StoredWorkspace
from recalld.search.model import Source
from recalld.store.bridge import Database, Job
from recalld.store.index_rows import (
    delete_chunk_rows,
    put_files,
    remove_chunks,
    stamp_row,
    value_of,
)

# One full-text table a workspace. Our own tokens hold letters, digits and _ only, so this
# tokenizer takes them as they are. The vocabulary table reads document frequencies out of it.
_CREATE = """
CREATE VIRTUAL TABLE IF NOT EXISTS lex_{id} USING fts5(
  own, prev, next, head, content='', tokenize="unicode61 remove_diacritics 2 tokenchars '_'"
);
CREATE VIRTUAL TABLE IF NOT EXISTS lexv_{id} USING fts5vocab(lex_{id}, row)
"""
# A batch takes some 100 ms. An interrupt while FTS5 holds its blob open stays pending and stops
# every later statement of the connection, ROLLBACK too; so a write ends by itself, unless the
# disk hangs.
CANCEL_GRACE_S = 2.0

T = TypeVar("T")


class IndexWriter:
    """The index's writing side on one database; each method is one transaction.

    Given the same changes in the same order the rows are the same, so is the ranking.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def write(self, job: Job[T]) -> T:
        """Run ``job``, one transaction, to its end; a cancel is heeded after it, or within
        ``CANCEL_GRACE_S``."""
        results: list[T] = []
        failure: RecalldError | None = None
        async with anyio.create_task_group() as nest:
            scope = anyio.CancelScope(shield=True)
            nest.start_soon(_hurry_when_cancelled, scope)
            with scope:
                try:
                    results.append(await self._database.write(job))
                except RecalldError as error:
                    failure = error
            nest.cancel_scope.cancel()
        await anyio.lowlevel.checkpoint_if_cancelled()
        if failure is not None or not results:
            raise failure or Unavailable("store", "a write to the index did not end")
        return results[0]

    async def read(self, job: Job[T]) -> T:
        return await self._database.read(job)

    async def workspaces(self) -> tuple[StoredWorkspace, ...]:
        """In order of id."""

        async def job(connection: aiosqlite.Connection) -> tuple[StoredWorkspace, ...]:
            rows = await connection.execute_fetchall(
                "SELECT id, root, recipe, reconciled_at FROM workspace ORDER BY id"
            )
            return tuple(
                StoredWorkspace(id=key, root=root, recipe=recipe, reconciled_at=at)
                for key, root, recipe, at in rows
            )

        return await self._database.read(job)

    async def add_workspace(self, root: str) -> int:
        """The id of the workspace at ``root``, made with its full-text table where missing."""

        async def job(connection: aiosqlite.Connection) -> int:
            await connection.execute("INSERT OR IGNORE INTO workspace (root) VALUES (?)", (root,))
            key = await value_of(connection, "SELECT id FROM workspace WHERE root = ?", root)
            for statement in _CREATE.format(id=int(key)).split(";"):
                await connection.execute(statement)
            return int(key)

        return await self.write(job)

    async def drop_workspace(self, workspace_id: int) -> None:
        """Remove all of a workspace but its vectors, which are keyed by content."""

        async def job(connection: aiosqlite.Connection) -> None:
            key = (workspace_id,)
            await connection.execute(f"DROP TABLE IF EXISTS lexv_{workspace_id:d}")
            await connection.execute(f"DROP TABLE IF EXISTS lex_{workspace_id:d}")
            files = await connection.execute_fetchall(
                "SELECT id FROM file WHERE workspace_id = ?", key
            )
            await delete_chunk_rows(connection, [(int(file), 0) for (file,) in files])
            await connection.execute("DELETE FROM file WHERE workspace_id = ?", key)
            await connection.execute("DELETE FROM workspace WHERE id = ?", key)

        await self.write(job)

    async def files(
        self, workspace_id: int, prefixes: tuple[str, ...] | None
    ) -> Mapping[str, KnownFile]:
        """By path; with prefixes, only those paths and what lies below them. No transcripts."""
        select = (
            "SELECT id, path, source, sha256, size, mtime_ns, inode, skipped FROM file"
            " WHERE workspace_id = ? AND source <> 'sessions'"
        )

        async def job(connection: aiosqlite.Connection) -> dict[str, KnownFile]:
            if prefixes is None:
                return _known(await connection.execute_fetchall(select, (workspace_id,)))
            found: dict[str, KnownFile] = {}
            for prefix in prefixes:
                # '0' is the character after '/': the range holds exactly what is below.
                rows = await connection.execute_fetchall(
                    f"{select} AND (path = ? OR (path >= ? AND path < ?))",
                    (workspace_id, prefix, f"{prefix}/", f"{prefix}0"),
                )
                found |= _known(rows)
            return found

        return await self._database.read(job)

    async def apply(self, workspace_id: int, changes: Changes) -> None:
        """Put, touch and remove files in one transaction; a file that is put replaces its rows."""

        async def job(connection: aiosqlite.Connection) -> None:
            rows = await connection.execute_fetchall(
                "SELECT id FROM file WHERE workspace_id = ?"
                " AND path IN (SELECT value FROM json_each(?))",
                (workspace_id, orjson.dumps([record.path for record in changes.put]).decode()),
            )
            replaced = [int(key) for (key,) in rows]
            await remove_chunks(connection, workspace_id, [*replaced, *changes.removed])
            await connection.executemany(
                "DELETE FROM file WHERE id = ?", [(key,) for key in changes.removed]
            )
            await connection.executemany(
                "UPDATE file SET size = ?, mtime_ns = ?, inode = ? WHERE id = ?",
                [(*stamp_row(touched.stamp), touched.id) for touched in changes.touched],
            )
            await put_files(connection, workspace_id, changes.put)

        await self.write(job)

    async def reconciled(self, workspace_id: int, *, at: str, recipe: str) -> None:
        async def job(connection: aiosqlite.Connection) -> None:
            await connection.execute(
                "UPDATE workspace SET reconciled_at = ?, recipe = ? WHERE id = ?",
                (at, recipe, workspace_id),
            )

        await self.write(job)

    async def counts(self, workspace_id: int) -> Counts:
        async def job(connection: aiosqlite.Connection) -> Counts:
            of_files = "SELECT count(*) FROM file WHERE workspace_id = ? AND skipped IS "
            return Counts(
                files=await value_of(connection, of_files + "NULL", workspace_id),
                skipped=await value_of(connection, of_files + "NOT NULL", workspace_id),
                chunks=await value_of(
                    connection, "SELECT count(*) FROM chunk WHERE workspace_id = ?", workspace_id
                ),
            )

        return await self._database.read(job)

    async def skipped(self, workspace_id: int) -> tuple[Skip, ...]:
        """Files that hold no text that can be indexed, in order of path."""

        async def job(connection: aiosqlite.Connection) -> tuple[Skip, ...]:
            rows = await connection.execute_fetchall(
                "SELECT path, skipped FROM file WHERE workspace_id = ? AND skipped IS NOT NULL"
                " ORDER BY path",
                (workspace_id,),
            )
            return tuple(Skip(path=path, why=why) for path, why in rows)

        return await self._database.read(job)


async def _hurry_when_cancelled(scope: anyio.CancelScope) -> None:
    try:
        await anyio.sleep_forever()
    finally:
        scope.deadline = anyio.current_time() + CANCEL_GRACE_S


def _known(rows: Iterable[Any]) -> dict[str, KnownFile]:
    return {
        path: KnownFile(
            id=key,
            path=path,
            source=Source(source),
            sha256=digest,
            stamp=Stamp(size=size, mtime_ns=mtime_ns, inode=inode),
            skipped=skipped,
        )
        for key, path, source, digest, size, mtime_ns, inode, skipped in rows
    }
