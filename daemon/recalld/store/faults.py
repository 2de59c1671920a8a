"""SQLite's error codes in the daemon's own words, translated in this one place."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from recalld.errors import Corrupt, RecalldError, Unavailable

_PRIMARY = 0xFF
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_OUTSIDE = {
    sqlite3.SQLITE_BUSY: "locked by another process",
    sqlite3.SQLITE_LOCKED: "locked by another connection",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk failed",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_READONLY: "cannot be written",
    sqlite3.SQLITE_PERM: "access is denied",
    sqlite3.SQLITE_AUTH: "access is denied",
    sqlite3.SQLITE_NOMEM: "memory ran out",
    sqlite3.SQLITE_NOLFS: "the file system has no large files",
    sqlite3.SQLITE_PROTOCOL: "the locking protocol failed",
    sqlite3.SQLITE_INTERRUPT: "the query was interrupted",
}


def code_of(error: sqlite3.Error) -> int:
    """SQLite's extended result code, or 0 where Python raised the error by itself."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code


def is_busy(error: sqlite3.Error) -> bool:
    """Another connection holds what this one needs; the same transaction may work later."""
    return code_of(error) & _PRIMARY == sqlite3.SQLITE_BUSY


def translated(error: sqlite3.Error, name: str) -> RecalldError | None:
    """The fault of ours that ``error`` means for the database ``name``.

    None for what only a wrong statement or a violated constraint causes: that is a bug and must
    not look like weather.
    """
    primary = code_of(error) & _PRIMARY
    if primary in _DAMAGED:
        return Corrupt(f"{name}: {error}")
    if primary in _OUTSIDE:
        return Unavailable("store", f"{name}: {_OUTSIDE[primary]} ({error})")
    return None


@contextmanager
def faults_of(name: str) -> Iterator[None]:
    """SQLite's errors inside the block leave it as ``Unavailable`` or ``Corrupt``."""
    try:
        yield
    except sqlite3.Error as error:
        ours = translated(error, name)
        if ours is None:
            raise
        raise ours from error
