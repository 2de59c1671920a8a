"""One aiosqlite connection with what the lanes need: begin late, end clean, stop, let go."""

import sqlite3
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any, cast

import aiosqlite

from recalld.errors import Unavailable

BUSY_TIMEOUT_S = 0.2  # SQLite's own wait cannot be interrupted, so it is short and repeated


def identity_of(path: Path) -> tuple[int, int]:
    """Device and inode of the file that ``path`` names now."""
    status = path.stat()
    return status.st_dev, status.st_ino


class _Raw(sqlite3.Connection):
    """A connection that begins a transaction on demand and knows its open cursors.

    A SELECT that was not read to its end keeps its snapshot beyond COMMIT, and it keeps an
    interrupt pending, which then hits the ROLLBACK.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
        self._path = path
        self._identity = identity_of(path)
        self._cursors: weakref.WeakSet[sqlite3.Cursor] = weakref.WeakSet()
        self.begins_next = False

    def begin(self, verb: str) -> None:
        self.finish("ROLLBACK")  # of a transaction whose own end failed
        super().execute(verb)

    def begin_immediate(self) -> None:
        self.begin("BEGIN IMMEDIATE")
        if not self._is_in_place():
            self.finish("ROLLBACK")
            raise Unavailable(
                "store", f"{self._path.name}: the file was moved or deleted; restart recalld"
            )

    def _is_in_place(self) -> bool:
        """Whether the path still names the open file: writes to a deleted one are lost."""
        try:
            return identity_of(self._path) == self._identity
        except OSError:
            return False

    def _begin_if_due(self) -> None:
        if self.begins_next:
            self.begins_next = False
            self.begin("BEGIN")

    def _noted(self, cursor: sqlite3.Cursor) -> sqlite3.Cursor:
        self._cursors.add(cursor)
        return cursor

    def cursor(self) -> sqlite3.Cursor:  # type: ignore[override]
        self._begin_if_due()
        return self._noted(super().cursor())

    def execute(self, *statement: Any) -> sqlite3.Cursor:
        self._begin_if_due()
        return self._noted(super().execute(*statement))

    def executemany(self, *statement: Any) -> sqlite3.Cursor:
        self._begin_if_due()
        return self._noted(super().executemany(*statement))

    def finish(self, verb: str) -> None:
        for cursor in tuple(self._cursors):
            cursor.close()
        self._cursors.clear()
        if self.in_transaction:
            super().execute(verb)


def _run_until_loop_closes(run: Callable[[], None]) -> None:
    # A query that outlives the loop has nobody to report to.
    with suppress(RuntimeError):
        run()


class Connection(aiosqlite.Connection):
    """An aiosqlite connection whose thread never keeps the process alive."""

    def __init__(self, path: Path) -> None:
        super().__init__(partial(_Raw, path), iter_chunk_size=256)
        self._thread = Thread(
            target=_run_until_loop_closes, args=(self._thread.run,), name="store", daemon=True
        )

    @property
    def _raw(self) -> _Raw:
        return cast("_Raw", self._conn)

    async def begin_immediate(self) -> None:
        """Take the write lock. ``Unavailable`` when the file is not at its path any more."""
        await self._execute(self._raw.begin_immediate)  # type: ignore[no-untyped-call]

    def begin_with_first_statement(self) -> None:
        """Let the next statement BEGIN a (deferred) transaction on its way."""
        self._raw.begins_next = True

    def finish_soon(self) -> None:
        """Queue a COMMIT without waiting for it; whatever comes next runs after it."""
        self._tx.put_nowait((None, partial(self._raw.finish, "COMMIT")))

    async def finish(self, verb: str) -> None:
        """Close every cursor of the transaction, then COMMIT or ROLLBACK it if it is open."""
        await self._execute(self._raw.finish, verb)  # type: ignore[no-untyped-call]

    def stop_query(self) -> None:
        """Interrupt what the connection's thread is running, at once and from outside it."""
        if self._connection is not None:
            with suppress(sqlite3.ProgrammingError):  # closed by its thread a moment ago
                self._connection.interrupt()

    def forget(self) -> None:
        """Let go of SQLite's connection: it closes when its thread comes back, if ever."""
        self._connection = None
