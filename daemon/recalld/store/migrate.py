"""Schema versions: numbered SQL files, one transaction each, the number kept in user_version."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Literal

from recalld.errors import BadConfig, Unavailable
from recalld.store.faults import faults_of

Family = Literal["state", "index"]

# SQLite's application_id tells the two databases apart from each other and from anyone else's.
_APPLICATION_IDS: dict[Family, int] = {"state": 0x52434C53, "index": 0x52434C49}
_BUSY_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step of the schema: from version ``number - 1`` to ``number``."""

    number: int
    sql: str


def shipped(family: Family) -> tuple[Migration, ...]:
    """The migrations in the package, in order, numbered 1, 2, 3 … without a gap."""
    folder = resources.files("recalld.store") / "migrations" / family
    found = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return tuple(
        Migration(number=number, sql=file.read_text("utf-8"))
        for number, file in enumerate(found, start=1)
        if _in_sequence(file.name, number)
    )


def _in_sequence(name: str, number: int) -> bool:
    if not name.startswith(f"{number:04d}_"):
        raise ValueError(f"migration {name} is not number {number}")
    return True


def migrate(path: Path, family: Family, steps: tuple[Migration, ...]) -> int:
    """Bring the database at ``path`` to the last of ``steps``; returns the version it had.

    Blocking: for a worker thread. A missing or empty file becomes a new database in WAL mode.
    A process killed at any moment leaves the schema of before a step or of after it. An older
    database that holds data is copied to ``NAME.vN.backup`` first (N its version; earlier
    backups are removed). ``BadConfig`` for a newer schema or somebody else's database, which
    stays untouched byte for byte; ``Corrupt`` for a damaged one; ``Unavailable`` where the file
    cannot be written or the file system cannot do WAL.
    """
    with faults_of(path.name):
        version = _accepted_version(path, family, newest=len(steps))
        with closing(_connect(path)) as connection:
            _enter_wal(connection, path)
            if 0 < version < len(steps):
                _back_up(connection, path, version)
            for step in steps[version:]:
                _apply(connection, step, _APPLICATION_IDS[family])
    return version


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=_BUSY_TIMEOUT_S)


def _accepted_version(path: Path, family: Family, *, newest: int) -> int:
    if not path.exists() or path.stat().st_size == 0:
        return 0
    # Read-only, because a connection that may write checkpoints a leftover WAL into the file.
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        connection.execute(f"PRAGMA busy_timeout = {int(_BUSY_TIMEOUT_S * 1000)}")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if (version or tables) and application != _APPLICATION_IDS[family]:
        raise BadConfig(str(path), f"is not a {family} database of recalld")
    if version > newest:
        raise BadConfig(
            str(path), f"has schema {version}, this version knows up to {newest}: upgrade recalld"
        )
    return int(version)


def _enter_wal(connection: sqlite3.Connection, path: Path) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise Unavailable(
            "store", f"{path.name}: this file system cannot do write-ahead logging ({mode})"
        )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA trusted_schema = OFF")


def _back_up(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """A synced copy under its final name, or none: it is written beside it and renamed."""
    final = path.with_name(f"{path.name}.v{version}.backup")
    partial = path.with_name(f"{path.name}.backup.partial")
    partial.unlink(missing_ok=True)
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with closing(sqlite3.connect(partial)) as copy:
        connection.backup(copy)
    _sync(partial)
    for old in path.parent.glob(f"{path.name}.v*.backup"):
        old.unlink()
    partial.rename(final)
    _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _apply(connection: sqlite3.Connection, step: Migration, application_id: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have taken this step while this one waited for the lock.
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version < step.number:
            for statement in statements(step.sql):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {application_id:d}")
            connection.execute(f"PRAGMA user_version = {step.number:d}")
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def statements(script: str) -> Iterator[str]:
    """The statements of ``script``, one by one, with quoted semicolons and triggers kept whole.

    What follows the last semicolon is one more, if only a remark, unless it is blank.

    ``executescript`` would commit the open transaction first, so that a kill between two
    statements left half a schema.

    >>> list(statements("SELECT ';'; SELECT 2;"))
    ["SELECT ';';", ' SELECT 2;']
    """
    *closed, tail = script.split(";")
    pending = ""
    for piece in closed:
        pending += piece + ";"
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if (pending + tail).strip():
        yield pending + tail
