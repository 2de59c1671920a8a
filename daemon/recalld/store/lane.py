"""The asyncio side of the store: who has which connection, and the life of one transaction.

Everything here runs inside the asyncio loop that trio-asyncio hosts; ``bridge`` is the trio side.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from recalld.errors import Unavailable
from recalld.store.connection import BUSY_TIMEOUT_S, Connection
from recalld.store.faults import code_of, is_busy

T = TypeVar("T")
Job = Callable[[aiosqlite.Connection], Awaitable[T]]

SNAPSHOT_ATTEMPTS = 5
# A cancelled caller waits this long for the rollback and then leaves it to the lane.
ROLLBACK_GRACE_S = 0.025
CLOSE_LIMIT_S = 1.0
REOPEN_EVERY_S = 1.0
INTERRUPT_EVERY_S = 0.1
JOURNAL_LIMIT_BYTES = 64 * 1024 * 1024
CACHE_KIB = 8 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneKind:
    """How the connections of one lane are set up and how its transactions begin.

    A read crosses to its thread only for its statements (BEGIN rides on the first, nobody waits
    for the COMMIT): 540 us became 350 us for one trivial query on a busy machine.
    """

    writes: bool
    lock_attempts: int = 1
    pragmas: tuple[str, ...]


_COMMON = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA temp_store = MEMORY",  # sorted memories are not spilled into a shared /tmp
    f"PRAGMA cache_size = -{CACHE_KIB}",
    f"PRAGMA journal_size_limit = {JOURNAL_LIMIT_BYTES}",
)
READ = LaneKind(writes=False, pragmas=(*_COMMON, "PRAGMA query_only = ON"))


def write_kind(synchronous: str, *, lock_wait_ms: int) -> LaneKind:
    """The writer: its transactions take the write lock first, so they never fail half way."""
    return LaneKind(
        writes=True,
        lock_attempts=max(1, round(lock_wait_ms / 1_000 / BUSY_TIMEOUT_S)),
        pragmas=(*_COMMON, f"PRAGMA synchronous = {synchronous}"),
    )


class Lane:
    """Connections of one kind, each lent to one job at a time.

    A lent connection is out of the queue for the whole life of its transaction, including the
    rollback after a cancel, so an interrupt can only hit the job it is meant for.
    """

    def __init__(self, path: Path, kind: LaneKind) -> None:
        self._path = path
        self._kind = kind
        self._free: asyncio.LifoQueue[Connection] = asyncio.LifoQueue()
        self._all: set[Connection] = set()
        self._settling: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def settling(self) -> int:
        """How many connections are still being rolled back after a cancel or an error."""
        return len(self._settling)

    async def open(self, count: int) -> None:
        """Open ``count`` connections. On any failure those opened so far are given up."""
        try:
            for _ in range(count):
                connection = Connection(self._path)
                self._all.add(connection)
                await self._set_up(connection)
                self._free.put_nowait(connection)
        except BaseException:
            for connection in self._all:
                connection.stop()
                connection.forget()
            self._all.clear()
            raise

    async def run(self, job: Job[T]) -> T:
        """Run ``job`` in a transaction; it may be run again when its snapshot is outdated."""
        attempt = 1
        while True:
            try:
                return await self._lend(job)
            except sqlite3.Error as error:
                if not self._worth_repeating(error) or attempt == SNAPSHOT_ATTEMPTS:
                    raise
                attempt += 1

    async def run_bare(self, job: Job[T]) -> T:
        """Run ``job`` alone on a connection, outside a transaction."""
        connection = await self._take()
        try:
            result = await job(connection)
            await connection.finish("COMMIT")
        except BaseException:
            await self._put_right(connection)
            raise
        self._free.put_nowait(connection)
        return result

    def _worth_repeating(self, error: sqlite3.Error) -> bool:
        if self._kind.writes:
            return code_of(error) == sqlite3.SQLITE_BUSY_SNAPSHOT
        return is_busy(error)

    async def _take(self) -> Connection:
        if self._closed:
            raise Unavailable("store", f"{self._path.name}: closed")
        return await self._free.get()

    async def _lend(self, job: Job[T]) -> T:
        connection = await self._take()
        try:
            await self._begin(connection)
            result = await job(connection)
            await self._end(connection)
        except BaseException:
            await self._put_right(connection)
            raise
        self._free.put_nowait(connection)
        return result

    async def _begin(self, connection: Connection) -> None:
        if not self._kind.writes:
            connection.begin_with_first_statement()
            return
        attempt = 1
        while True:
            try:
                await connection.begin_immediate()
            except sqlite3.OperationalError as error:
                if not is_busy(error) or attempt == self._kind.lock_attempts:
                    raise
                attempt += 1
            else:
                return

    async def _end(self, connection: Connection) -> None:
        if self._kind.writes:
            await connection.finish("COMMIT")
        else:
            connection.finish_soon()

    async def _put_right(self, connection: Connection) -> None:
        # A cancelled BEGIN may still be queued on the connection's thread; the rollback queues
        # behind it, which is why it is unconditional.
        settling = asyncio.ensure_future(self._settle(connection))
        self._settling.add(settling)
        settling.add_done_callback(self._settling.discard)
        await asyncio.wait({settling}, timeout=ROLLBACK_GRACE_S)

    async def _settle(self, connection: Connection) -> None:
        ending = asyncio.ensure_future(connection.finish("ROLLBACK"))
        await _interrupt_until(ending, (connection,))
        # The last interrupt may have hit the rollback itself.
        try:
            await (connection.finish("ROLLBACK") if ending.exception() else ending)
        except sqlite3.Error:
            connection = await self._replaced(connection)
        self._free.put_nowait(connection)

    async def _replaced(self, broken: Connection) -> Connection:
        """A new connection for one whose transaction does not end.

        An interrupt inside a full-text write leaves the extension's blob open, which keeps the
        interrupt pending: from then on every statement fails, ROLLBACK included. Only closing
        helps; it undoes the transaction and gives up its lock.
        """
        ended = broken.stop()
        if ended is not None:
            await asyncio.wait({ended})
        self._all.discard(broken)
        broken.forget()
        while True:
            fresh = Connection(self._path)
            self._all.add(fresh)
            try:
                await self._set_up(fresh)
            except (OSError, sqlite3.Error):
                # The lane stays a connection short, and ``settling`` says so, while the disk fails.
                fresh.stop()
                self._all.discard(fresh)
                await asyncio.sleep(REOPEN_EVERY_S)
            else:
                return fresh

    async def _set_up(self, connection: Connection) -> None:
        await connection
        for pragma in self._kind.pragmas:
            await connection.execute(pragma)
        await connection.finish("COMMIT")

    async def close(self) -> None:
        """Close every connection within ``CLOSE_LIMIT_S``; a stuck one is given up.

        Not aiosqlite's own ``close``: cancelled, it waits for the stuck thread without limit.
        """
        self._closed = True
        # Not the idle ones: an interrupt would stay pending and stop the checkpoint of closing.
        lent = self._all - {self._free.get_nowait() for _ in range(self._free.qsize())}
        endings = asyncio.gather(
            *(future for connection in self._all if (future := connection.stop()) is not None),
            return_exceptions=True,  # SQLite's complaint about closing: the data is committed
        )
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_LIMIT_S):
                await _interrupt_until(endings, tuple(lent))
        for connection in self._all:
            connection.forget()


async def _interrupt_until(
    ending: asyncio.Future[Any], connections: tuple[Connection, ...]
) -> None:
    """Interrupt the connections, again and again, until ``ending`` is done.

    Once is not enough: an interrupt has no effect on a statement that its thread is only about
    to start, and that one would run for as long as it likes.
    """
    pause_s = 0.001
    while not ending.done():
        for connection in connections:
            connection.stop_query()
        await asyncio.wait({ending}, timeout=pause_s)
        pause_s = min(2 * pause_s, INTERRUPT_EVERY_S)
