"""Whether a database can still write."""

import aiosqlite

from recalld.store.bridge import Database


async def ping(database: Database) -> None:
    """Take the write lock and give it back; nothing reaches the disk.

    Raise ``Unavailable`` when another process holds the lock for too long.
    """

    async def job(connection: aiosqlite.Connection) -> None:
        await connection.execute("SELECT 1")

    await database.write(job)
