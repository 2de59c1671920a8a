"""Vectors by what was embedded: blobs of half floats, keyed by text hash and identity.

A rename or a touched file costs no embedding. Vectors of another identity stay until their
replacements are there, and are never handed out.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import aiosqlite

from recalld.slices import slices
from recalld.store.bridge import Database

# Hashes in one read: small enough to stay below a few milliseconds, and lists are not planned.
AT_ONCE = 1_000

_FOUND = "SELECT text_hash, vector FROM vector WHERE identity = ? AND text_hash IN ({marks})"
_TEXTS = """
SELECT p.text_hash, substr(c.text, p.start_char + 1, p.end_char - p.start_char)
FROM passage p JOIN chunk c ON c.id = p.chunk_id WHERE p.text_hash IN ({marks}) GROUP BY 1
UNION ALL
SELECT head_hash, head_text FROM file WHERE head_text <> '' AND head_hash IN ({marks}) GROUP BY 1
"""
_ORPHANS = """
DELETE FROM vector WHERE identity = ?
  AND text_hash NOT IN (SELECT text_hash FROM passage)
  AND text_hash NOT IN (SELECT head_hash FROM file)
"""


class VectorStore:
    """The vector table; each method is one transaction or a few."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, identity: str, hashes: Sequence[bytes]) -> dict[bytes, bytes]:
        """The blobs of ``identity`` for ``hashes``; those without one are left out."""
        found: dict[bytes, bytes] = {}
        for some in slices(hashes, AT_ONCE):
            found.update(await self._database.read(_finding(identity, some)))
        return found

    async def texts(self, hashes: Sequence[bytes]) -> dict[bytes, str]:
        """What the hashes stand for in the index now; those of vanished texts are left out."""
        found: dict[bytes, str] = {}
        for some in slices(hashes, AT_ONCE):
            found.update(await self._database.read(_reading(some)))
        return found

    async def put(self, identity: str, vectors: Mapping[bytes, bytes]) -> None:
        rows = [(key, identity, blob) for key, blob in vectors.items()]

        async def job(connection: aiosqlite.Connection) -> None:
            await connection.executemany(
                "INSERT OR REPLACE INTO vector (text_hash, identity, vector) VALUES (?, ?, ?)", rows
            )

        await self._database.write(job)

    async def sweep(self, identity: str, *, keep: Sequence[str]) -> int:
        """Delete vectors of identities not in ``keep`` and those of ``identity`` without a text.

        How many were deleted. Call it only when nothing is left to embed.
        """
        wanted = json.dumps([identity, *keep])

        async def job(connection: aiosqlite.Connection) -> int:
            others = await connection.execute(
                "DELETE FROM vector WHERE identity NOT IN (SELECT value FROM json_each(?))",
                (wanted,),
            )
            orphans = await connection.execute(_ORPHANS, (identity,))
            return max(0, others.rowcount) + max(0, orphans.rowcount)

        return await self._database.write(job)

    async def counts(self) -> dict[str, int]:
        """How many vectors are stored for each identity."""

        async def job(connection: aiosqlite.Connection) -> dict[str, int]:
            rows = await connection.execute_fetchall(
                "SELECT identity, count(*) FROM vector GROUP BY identity ORDER BY identity"
            )
            return {str(identity): int(count) for identity, count in rows}

        return await self._database.read(job)


def _finding(identity: str, hashes: Sequence[bytes]) -> Any:
    statement = _FOUND.format(marks=", ".join("?" * len(hashes)))

    async def job(connection: aiosqlite.Connection) -> dict[bytes, bytes]:
        rows = await connection.execute_fetchall(statement, (identity, *hashes))
        return {bytes(key): blob for key, blob in rows}

    return job


def _reading(hashes: Sequence[bytes]) -> Any:
    statement = _TEXTS.format(marks=", ".join("?" * len(hashes)))

    async def job(connection: aiosqlite.Connection) -> dict[bytes, str]:
        rows = await connection.execute_fetchall(statement, (*hashes, *hashes))
        return {bytes(key): text for key, text in rows}

    return job
