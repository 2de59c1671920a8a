"""The state database as it is, read beside the daemon or without one, and left as it is."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from recalld.errors import Unavailable
from recalld.there import is_file

DATABASE = "state.db"
# Made at the daemon's first start and never written again: its time is when that was.
FIRST_START = "state.lock"
# A daemon that writes never blocks a reader for longer.
BUSY_S = 0.5
# Of the newest events only so many are looked at: most are no turns, and there is no index.
MAX_EVENTS = 5_000
MAX_TURNS = 200
MAX_SESSIONS = 2_000
# Daemons do not stop and start faster than that.
MAX_LOOKS = 5
CLOSED_MEANWHILE = ("unable to open database file", "attempt to write a readonly database")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A session as the daemon noted it."""

    key: str
    workspace: str | None
    client: str | None
    started_at: datetime
    seen_at: datetime
    ended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A turn or a prompt that was kept; ``assistant`` is None for a prompt."""

    key: str
    workspace: str | None
    at: datetime
    user: str
    assistant: str | None


class StateFile:
    """``state.db`` in ``folder``, opened for each question so that no write ever waits for it.

    ``Unavailable`` when it is there and cannot be read. What an older database has no table
    for is empty.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / DATABASE
        self._first_start = folder / FIRST_START

    @property
    def since(self) -> datetime | None:
        """When a daemon first used the folder; None where none ever did."""
        for path in (self._first_start, self.path):
            try:
                return datetime.fromtimestamp(path.stat().st_mtime).astimezone()
            except OSError:
                continue
        return None

    def sessions(self) -> tuple[Row, ...]:
        """The sessions seen last, newest first."""
        sql = (
            "SELECT key, workspace, client, started_at, seen_at, ended_at FROM session"
            " ORDER BY seen_at DESC LIMIT ?"
        )
        return tuple(
            Row(
                key=key,
                workspace=workspace,
                client=client,
                started_at=datetime.fromisoformat(started),
                seen_at=datetime.fromisoformat(seen),
                ended=ended is not None,
            )
            for key, workspace, client, started, seen, ended in self._rows(sql, MAX_SESSIONS)
        )

    def said(self) -> tuple[Said, ...]:
        """The newest turns and prompts among the newest events, newest first."""
        sql = (
            "SELECT session_key, workspace, at, payload FROM event"
            " WHERE seq > (SELECT coalesce(max(seq), 0) FROM event) - ?"
            " AND kind IN ('session.turn', 'session.prompt') ORDER BY seq DESC LIMIT ?"
        )
        found = (_said(*row) for row in self._rows(sql, MAX_EVENTS, MAX_TURNS))
        return tuple(one for one in found if one is not None)

    def origin_of(self, workspace: str, sha: str) -> str | None:
        """Who wrote the checkpoint of that ``sha``; None where nobody noted it."""
        sql = (
            "SELECT origin FROM checkpoint WHERE workspace = ? AND sha = ? ORDER BY id DESC LIMIT 1"
        )
        return next((origin for (origin,) in self._rows(sql, workspace, sha)), None)

    def version(self, workspace: str, name: str) -> tuple[str, datetime] | None:
        """The text of a kept version and when it was kept; None for a name that is not listed."""
        sql = "SELECT id, body, at FROM checkpoint WHERE workspace = ?"
        for number, body, at in self._rows(sql, workspace):
            if f"v{number}" == name:
                return body, datetime.fromisoformat(at)
        return None

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        if not is_file(self.path):
            return []
        looks = 0
        while True:
            try:
                with _opened(self.path) as connection:
                    return connection.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                looks += 1
                if "no such table" in str(error):
                    return []
                # Whoever used it closed it between our look and our opening: look again.
                if looks == MAX_LOOKS or not any(told in str(error) for told in CLOSED_MEANWHILE):
                    raise Unavailable("store", f"{self.path}: {error}") from error


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that makes no file: an unused database is opened as one that never changes."""
    used = all(is_file(path.with_name(path.name + end)) for end in ("-wal", "-shm"))
    how = "mode=ro&readonly_shm=1" if used else "mode=ro&immutable=1"
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?{how}", uri=True, timeout=BUSY_S, isolation_level=None
    )
    try:
        yield connection
    finally:
        connection.close()


def _said(key: str, workspace: str | None, at: str, payload: bytes) -> Said | None:
    try:
        told = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, Mapping):
        return None
    user = told.get("user", told.get("text"))
    assistant = told.get("assistant")
    return Said(
        key=key,
        workspace=workspace,
        at=datetime.fromisoformat(at),
        user=user if isinstance(user, str) else "",
        assistant=assistant if isinstance(assistant, str) else None,
    )
