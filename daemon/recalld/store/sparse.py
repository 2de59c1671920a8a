"""Learned sparse weights by what was embedded; the blobs of ``search`` beside its vectors."""

from collections.abc import Mapping, Sequence
from typing import Any

import aiosqlite

from recalld.slices import slices
from recalld.store.bridge import Database

AT_ONCE = 1_000

_FOUND = "SELECT text_hash, weights FROM sparse WHERE identity = ? AND text_hash IN ({marks})"
_KNOWN = "SELECT text_hash FROM sparse WHERE identity = ? AND text_hash IN ({marks})"
_ORPHANS = """
DELETE FROM sparse WHERE identity <> ?
  OR text_hash NOT IN (SELECT text_hash FROM passage)
  AND text_hash NOT IN (SELECT head_hash FROM file)
"""


class SparseStore:
    """The sparse table; each method is one transaction or a few."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, identity: str, hashes: Sequence[bytes]) -> dict[bytes, bytes]:
        """The blobs of ``identity`` for ``hashes``; those without one are left out."""
        found: dict[bytes, bytes] = {}
        for some in slices(hashes, AT_ONCE):
            found.update(await self._database.read(_finding(identity, some)))
        return found

    async def known(self, identity: str, hashes: Sequence[bytes]) -> set[bytes]:
        """Those of ``hashes`` that have a blob of ``identity``."""
        found: set[bytes] = set()
        for some in slices(hashes, AT_ONCE):
            found.update(await self._database.read(_knowing(identity, some)))
        return found

    async def put(self, identity: str, weights: Mapping[bytes, bytes]) -> None:
        rows = [(key, identity, blob) for key, blob in weights.items()]

        async def job(connection: aiosqlite.Connection) -> None:
            await connection.executemany(
                "INSERT OR REPLACE INTO sparse (text_hash, identity, weights) VALUES (?, ?, ?)",
                rows,
            )

        await self._database.write(job)

    async def sweep(self, identity: str) -> int:
        """Delete the weights of other identities and those whose text is gone; how many."""

        async def job(connection: aiosqlite.Connection) -> int:
            gone = await connection.execute(_ORPHANS, (identity,))
            return max(0, gone.rowcount)

        return await self._database.write(job)


def _knowing(identity: str, hashes: Sequence[bytes]) -> Any:
    statement = _KNOWN.format(marks=", ".join("?" * len(hashes)))

    async def job(connection: aiosqlite.Connection) -> list[bytes]:
        rows = await connection.execute_fetchall(statement, (identity, *hashes))
        return [bytes(key) for (key,) in rows]

    return job


def _finding(identity: str, hashes: Sequence[bytes]) -> Any:
    statement = _FOUND.format(marks=", ".join("?" * len(hashes)))

    async def job(connection: aiosqlite.Connection) -> dict[bytes, bytes]:
        rows = await connection.execute_fetchall(statement, (identity, *hashes))
        return {bytes(key): blob for key, blob in rows}

    return job
