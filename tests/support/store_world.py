"""What the store's tests share: databases in a folder, jobs that misbehave, readers that hang."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

import aiosqlite

from recalld.store.bridge import Database, Job, open_database, open_loop
from recalld.store.event_table import NewEvent
from recalld.store.migrate import Migration

T = TypeVar("T")

PAIRS = Migration(
    number=1,
    sql="""
    CREATE TABLE half (id INTEGER PRIMARY KEY, pair TEXT NOT NULL, side TEXT NOT NULL);
    """,
)
_NUMBERS = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT {}) "


@asynccontextmanager
async def open_pairs(path: Path, *, lock_wait_ms: int = 5_000) -> AsyncIterator[Database]:
    """A database of pairs, each written as two rows of one transaction."""
    async with (
        open_loop(),
        open_database(
            path,
            migrations=("state", (PAIRS,)),
            synchronous="NORMAL",
            lock_wait_ms=lock_wait_ms,
        ) as database,
    ):
        yield database


@asynccontextmanager
async def open_state(path: Path) -> AsyncIterator[Database]:
    async with (
        open_loop(),
        open_database(path, migrations="state", synchronous="FULL") as database,
    ):
        yield database


async def count_to(connection: aiosqlite.Connection, limit: int) -> int:
    """Keep SQLite busy with ``limit`` rows; -1 never ends."""
    sql = _NUMBERS.format(limit) + "SELECT count(*) FROM n"
    ((count,),) = await connection.execute_fetchall(sql)
    return int(count)


async def runaway(connection: aiosqlite.Connection) -> int:
    return await count_to(connection, -1)


async def one(connection: aiosqlite.Connection) -> int:
    ((value,),) = await connection.execute_fetchall("SELECT 1")
    return int(value)


def pair(name: str, *, work: int = 0) -> Job[None]:
    """Write both halves of a pair, with ``work`` rows of counting between them."""

    async def job(connection: aiosqlite.Connection) -> None:
        insert = "INSERT INTO half (pair, side) VALUES (?, ?)"
        await connection.execute(insert, (name, "left"))
        if work:
            await count_to(connection, work)
        await connection.execute(insert, (name, "right"))

    return job


async def pairs(connection: aiosqlite.Connection) -> dict[str, int]:
    """How many halves of each pair there are."""
    rows = await connection.execute_fetchall("SELECT pair, count(*) FROM half GROUP BY pair")
    return {name: int(halves) for name, halves in rows}


def new_event(
    event_id: str | None,
    *,
    kind: str = "session.turn",
    text: str = "hi",
    session: str = "agent:main:1",
) -> NewEvent:
    return NewEvent(
        event_id=event_id,
        kind=kind,
        session_key=session,
        agent="main",
        workspace="/w",
        at="2026-03-01T10:00:00Z",
        payload=b'{"text": "' + text.encode() + b'"}',
    )


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 10, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def move(self, by: timedelta) -> None:
        self.at += by


class HangingReads(Database):
    """The real database, except that its readers hang in their threads while told to.

    They hang inside SQLite where no interrupt reaches, as on a dead disk.
    """

    def __init__(self, real: Database) -> None:
        self._real = real
        self._go = threading.Event()
        self._go.set()
        self.path = real.path

    @property
    def settling(self) -> int:
        return self._real.settling

    async def read(self, job: Job[T], *, cut_ms: int = 1_000) -> T:
        return await self._real.read(partial(self._hang_then, job), cut_ms=cut_ms)

    async def write(self, job: Job[T]) -> T:
        return await self._real.write(job)

    async def checkpoint(self) -> bool:
        return await self._real.checkpoint()

    async def _hang_then(self, job: Job[T], connection: aiosqlite.Connection) -> T:
        if not self._go.is_set():
            await connection.create_function("hang", 0, self._go.wait)
            await connection.execute("SELECT hang()")
        return await job(connection)

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Reads begun inside the block hang until it ends."""
        self._go.clear()
        try:
            yield
        finally:
            self._go.set()


class CountingWrites(Database):
    """The real database, counting its write transactions."""

    def __init__(self, real: Database) -> None:
        self._real = real
        self.path = real.path
        self.writes = 0

    async def read(self, job: Job[T], *, cut_ms: int = 1_000) -> T:
        return await self._real.read(job, cut_ms=cut_ms)

    async def write(self, job: Job[T]) -> T:
        self.writes += 1
        return await self._real.write(job)
