"""SQLite for trio: one writer, a few readers, one crossing into asyncio per transaction.

aiosqlite awaits asyncio futures, so its jobs run in an asyncio loop that trio-asyncio hosts
inside trio (97 us a trivial query, against 205 us through a loop in a thread of its own).
"""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

import aiosqlite
import anyio
import anyio.to_thread
import trio_asyncio

from recalld.errors import Corrupt, RecalldError, Unavailable
from recalld.store.faults import faults_of
from recalld.store.lane import READ, Job, Lane, write_kind
from recalld.store.migrate import Family, Migration, migrate, shipped

__all__ = ["Database", "Job", "open_database", "open_loop"]

T = TypeVar("T")

# A reader held open lets the WAL grow without bound: 62.7 MB in 5,000 inserts, measured.
READ_CUT_MS = 1_000
CHECK_CUT_MS = 60_000


@asynccontextmanager
async def open_loop() -> AsyncIterator[None]:
    """Host the asyncio loop that databases need. Opened once, outside every database.

    A fault of ours leaves the block as itself, not in the groups of the loop's nurseries.
    """
    fault: RecalldError | None = None
    async with trio_asyncio.open_loop():
        try:
            yield
        except RecalldError as error:
            fault = error
    if fault is not None:
        raise fault


class Database:
    """One SQLite file: ``read`` and ``write`` run a job in a transaction of its own.

    A job is an async function of an open connection, run on the asyncio side: it awaits that
    connection and nothing else, commits nothing itself, and may be run again from its start when
    its snapshot was outdated. Cancelling interrupts the running statement, undoes the whole job
    and returns within 25 ms even when the connection's thread hangs; a write cancelled at its
    very end may be committed, never half of it. Errors of the job's own pass through unchanged.
    """

    def __init__(
        self, path: Path, *, loop: trio_asyncio.TrioEventLoop, writer: Lane, readers: Lane
    ) -> None:
        self.path = path
        self._loop = loop
        self._writer = writer
        self._readers = readers

    @property
    def sqlite_version(self) -> str:
        """The version of the SQLite library in use, such as ``3.40.1``."""
        return sqlite3.sqlite_version

    @property
    def settling(self) -> int:
        """Connections out of service until their rollback ends. Lastingly above 0: a hung disk."""
        return self._writer.settling + self._readers.settling

    async def read(self, job: Job[T], *, cut_ms: int = READ_CUT_MS) -> T:
        """What ``job`` returns, from one snapshot, on a connection that cannot write.

        ``Unavailable`` after ``cut_ms`` in the job (waiting for a free reader not counted),
        ``Corrupt`` for a damaged file.
        """

        async def cut_short(connection: aiosqlite.Connection) -> T:
            try:
                async with asyncio.timeout(cut_ms / 1_000):
                    return await job(connection)
            except TimeoutError as error:
                problem = f"{self.path.name}: read cut after {cut_ms} ms"
                raise Unavailable("store", problem) from error

        return await self._cross(partial(self._readers.run, cut_short))

    async def write(self, job: Job[T]) -> T:
        """What ``job`` returns, once it is committed (and synced, with ``synchronous=FULL``).

        Writes of all processes go one after another. ``Unavailable`` for a lock held too long, a
        full disk or a failing one: nothing of the job is stored then, and a later write may
        succeed.
        """
        return await self._cross(partial(self._writer.run, job))

    async def wal_bytes(self) -> int:
        """Size of the write-ahead log; 0 when there is none."""
        try:
            status = await anyio.Path(f"{self.path}-wal").stat()
        except FileNotFoundError:
            return 0
        return status.st_size

    async def checkpoint(self) -> bool:
        """Move the write-ahead log into the file and empty it; False while a reader prevents it."""
        return await self._cross(partial(self._writer.run_bare, _truncate))

    async def quick_check(self) -> tuple[str, ...]:
        """What SQLite finds wrong with the file, at most 100 lines; empty for a sound one."""
        try:
            return await self.read(_quick_check, cut_ms=CHECK_CUT_MS)
        except Corrupt as error:
            return (str(error),)

    async def _cross(self, work: Callable[[], Awaitable[T]]) -> T:
        return await _crossed(self._loop, self.path, work)


async def _crossed(
    loop: trio_asyncio.TrioEventLoop, path: Path, work: Callable[[], Awaitable[T]]
) -> T:
    with faults_of(path.name):
        result: T = await trio_asyncio.aio_as_trio(work, loop=loop)()
        return result


async def _truncate(connection: aiosqlite.Connection) -> bool:
    rows = await connection.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
    return all(busy == 0 for busy, _, _ in rows)


async def _quick_check(connection: aiosqlite.Connection) -> tuple[str, ...]:
    rows = await connection.execute_fetchall("PRAGMA quick_check(100)")
    return tuple(line for (line,) in rows if line != "ok")


@asynccontextmanager
async def open_database(
    path: Path,
    *,
    migrations: Family | tuple[Family, tuple[Migration, ...]],
    synchronous: Literal["FULL", "NORMAL"],
    readers: int = 2,
    lock_wait_ms: int = 5_000,
) -> AsyncIterator[Database]:
    """The database at ``path``, created or migrated first; files 0600, a new folder 0700.

    ``migrations`` names the shipped ones, or brings its own. A write waits up to ``lock_wait_ms``
    for other processes' writes.
    ``open_loop`` must be open around it. Leaving the block interrupts what still runs and closes
    every connection within 1 s a lane. Errors of opening: see ``migrate``.
    """
    family, steps = migrations if isinstance(migrations, tuple) else (migrations, None)
    loop = trio_asyncio.current_loop.get()
    if loop is None:
        raise RuntimeError("open_database needs open_loop around it")
    await anyio.to_thread.run_sync(_prepare, path, family, steps or shipped(family))
    writer, reading = (
        Lane(path, write_kind(synchronous, lock_wait_ms=lock_wait_ms)),
        Lane(path, READ),
    )
    try:
        await _crossed(loop, path, partial(writer.open, 1))
        await _crossed(loop, path, partial(reading.open, readers))
        yield Database(path, loop=loop, writer=writer, readers=reading)
    finally:
        with anyio.CancelScope(shield=True):
            await _crossed(loop, path, reading.close)
            await _crossed(loop, path, writer.close)


def _prepare(path: Path, family: Family, steps: tuple[Migration, ...]) -> None:
    """Make the file and its modes, then its schema. SQLite gives -wal and -shm the file's mode."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
        for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
            if name.exists():
                name.chmod(0o600)
    except OSError as error:
        raise Unavailable("store", f"{path}: {error.strerror}") from error
    migrate(path, family, steps)
