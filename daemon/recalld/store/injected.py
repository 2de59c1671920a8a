"""Fingerprints of what was put into prompts, kept over a restart and a rebuild of the index."""

import struct
from collections.abc import Iterable, Sequence

import aiosqlite

from recalld.store.bridge import Database


class Injected:
    """The newest ``most`` fingerprints, each a series of 32-bit numbers."""

    def __init__(self, database: Database, *, most: int) -> None:
        self._database = database
        self._most = most

    async def all(self) -> tuple[tuple[int, ...], ...]:
        """Oldest first."""

        async def job(connection: aiosqlite.Connection) -> tuple[tuple[int, ...], ...]:
            rows = await connection.execute_fetchall("SELECT runs FROM injected ORDER BY id")
            return tuple(_numbers(runs) for (runs,) in rows)

        return await self._database.read(job)

    async def add(self, fingerprints: Iterable[Sequence[int]]) -> None:
        packed = [(struct.pack(f">{len(runs)}I", *runs),) for runs in fingerprints]

        async def job(connection: aiosqlite.Connection) -> None:
            await connection.executemany("INSERT INTO injected (runs) VALUES (?)", packed)
            await connection.execute(
                "DELETE FROM injected WHERE id <= (SELECT max(id) FROM injected) - ?",
                (self._most,),
            )

        await self._database.write(job)


def _numbers(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f">{len(data) // 4}I", data[: len(data) // 4 * 4])
