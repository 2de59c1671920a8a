"""Continuity's rows in ``state.db``: versions of checkpoints, sub-agents' results, owed snapshots.

Everything belongs to one workspace, named by its root; nothing of one is ever seen in another.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial

import aiosqlite
import anyio.to_thread

from recalld.continuity.model import ChildResult, KeptVersion, NewVersion, Origin
from recalld.errors import NotFound
from recalld.store.bridge import Database
from recalld.store.event_table import stamp
from recalld.text.redact import redact

KEEP_VERSIONS = 100
_NAME = re.compile(r"v([1-9][0-9]{0,18})", re.ASCII)
_MAX_ID = (1 << 63) - 1


class CheckpointStore:
    """Every method is one transaction; a write is durable when it returns.

    Secrets are redacted here, so no caller can forget it. ``Unavailable`` with the store.
    """

    def __init__(self, database: Database, *, keep: int = KEEP_VERSIONS) -> None:
        """``keep`` versions are held for each workspace, the newest."""
        self._database = database
        self._keep = keep

    async def add_version(self, workspace: str, version: NewVersion) -> str | None:
        """Keep a version; its name, or None where the newest one is the same, by the same origin.

        To be called before the file is written: a process killed between the two then leaves a
        version too many (see ``drop_version``), not a file of unknown origin.
        """
        clean = replace(version, text=await _redacted(version.text))
        return await self._database.write(
            partial(_add_version, workspace=workspace, version=clean, keep=self._keep)
        )

    async def drop_version(self, workspace: str, name: str) -> None:
        """Forget a version whose file was not written after all; no matter if it is gone."""
        number = _number(name)
        if number is not None:
            sql = "DELETE FROM checkpoint WHERE workspace = ? AND id = ?"
            await self._database.write(partial(_run, sql=sql, row=(workspace, number)))

    async def origin_of(self, workspace: str, sha: str) -> Origin:
        """Who wrote the file that has this ``sha``. ``HAND`` for an unknown one: someone did."""
        return await self._database.read(partial(_origin_of, workspace=workspace, sha=sha))

    async def versions(self, workspace: str, *, limit: int = 20) -> tuple[KeptVersion, ...]:
        """The newest ``limit`` versions, newest first."""
        sql = f"{_VERSIONS} WHERE workspace = ? ORDER BY id DESC LIMIT ?"
        return await self._database.read(partial(_versions, sql=sql, row=(workspace, limit)))

    async def version(self, workspace: str, name: str) -> KeptVersion:
        """The version of that name. ``NotFound`` for one that this workspace does not have."""
        number = _number(name)
        if number is not None:
            sql = f"{_VERSIONS} WHERE workspace = ? AND id = ?"
            row = (workspace, number)
            for found in await self._database.read(partial(_versions, sql=sql, row=row)):
                return found
        raise NotFound(f"checkpoint version {name[:100]!r}")

    async def add_child(self, workspace: str, parent: str, child: ChildResult) -> bool:
        """Keep what ``child`` left for ``parent``. Whether something new is to be surfaced.

        While it waits, the latest result of a child counts. Once it is surfaced, the same words
        again are a repetition and change nothing; other, later words are a new result.
        """
        clean = replace(child, result=await _redacted(child.result))
        return await self._database.write(
            partial(_add_child, workspace=workspace, parent=parent, child=clean)
        )

    async def pending(self, workspace: str, parent: str) -> tuple[ChildResult, ...]:
        """What is not surfaced yet, oldest first, then by child."""
        return await self._database.read(partial(_pending, workspace=workspace, parent=parent))

    async def surface(
        self, workspace: str, parent: str, children: Iterable[str], *, at: datetime
    ) -> tuple[str, ...]:
        """Those of ``children`` that this call took, and nobody else: each is surfaced once."""
        return await self._database.write(
            partial(
                _surface, workspace=workspace, parent=parent, children=tuple(children), at=stamp(at)
            )
        )

    async def parents(self) -> frozenset[tuple[str, str]]:
        """Workspace and parent session of everything that is not surfaced yet."""
        sql = "SELECT DISTINCT workspace, parent FROM child_result WHERE surfaced_at IS NULL"
        return await self._database.read(partial(_pairs, sql=sql))

    async def set_pending(self, workspace: str, session_key: str, *, at: datetime) -> None:
        """Note that the session is owed a snapshot."""
        sql = "INSERT OR REPLACE INTO owed_snapshot (workspace, session_key, at) VALUES (?, ?, ?)"
        row = (workspace, session_key, stamp(at))
        await self._database.write(partial(_run, sql=sql, row=row))

    async def clear_pending(self, workspace: str, session_key: str) -> None:
        """Note that the session has got its snapshot, or needs none."""
        sql = "DELETE FROM owed_snapshot WHERE workspace = ? AND session_key = ?"
        await self._database.write(partial(_run, sql=sql, row=(workspace, session_key)))

    async def load_pending(self) -> frozenset[tuple[str, str]]:
        """Workspace and session key of every snapshot that is owed."""
        sql = "SELECT workspace, session_key FROM owed_snapshot"
        return await self._database.read(partial(_pairs, sql=sql))


_VERSIONS = "SELECT id, body, sha, origin, at, session_key FROM checkpoint"
_NEWEST = f"{_VERSIONS} WHERE workspace = ? ORDER BY id DESC LIMIT 1"
_INSERT = """
INSERT INTO checkpoint (workspace, sha, origin, at, session_key, body) VALUES (?, ?, ?, ?, ?, ?)
RETURNING id
"""
_BOUND = """
DELETE FROM checkpoint WHERE workspace = ? AND id <= (
  SELECT id FROM checkpoint WHERE workspace = ? ORDER BY id DESC LIMIT 1 OFFSET ?
)
"""
_PUT_CHILD = """
INSERT INTO child_result (workspace, parent, child, outcome, result, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (workspace, parent, child) DO UPDATE SET
  outcome = excluded.outcome, result = excluded.result, at = excluded.at, surfaced_at = NULL
WHERE excluded.at >= at AND (outcome, result) IS NOT (excluded.outcome, excluded.result)
RETURNING child
"""
_PENDING = """
SELECT child, outcome, result, at FROM child_result
WHERE workspace = ? AND parent = ? AND surfaced_at IS NULL ORDER BY at, child
"""
_SURFACE = """
UPDATE child_result SET surfaced_at = ?
WHERE workspace = ? AND parent = ? AND child = ? AND surfaced_at IS NULL RETURNING child
"""


async def _redacted(text: str) -> str:
    """In a thread: a quarter of a mebibyte would hold the loop for 50 ms."""
    return (await anyio.to_thread.run_sync(redact, text, abandon_on_cancel=True)).text


async def _add_version(
    connection: aiosqlite.Connection, *, workspace: str, version: NewVersion, keep: int
) -> str | None:
    for newest in await _versions(connection, sql=_NEWEST, row=(workspace,)):
        if (newest.sha, newest.origin) == (version.sha, version.origin):
            return None
    at, origin = stamp(version.at), version.origin.value
    row = (workspace, version.sha, origin, at, version.session_key, version.text)
    ((number,),) = await connection.execute_fetchall(_INSERT, row)
    await connection.execute(_BOUND, (workspace, workspace, keep))
    return f"v{number}"


async def _origin_of(connection: aiosqlite.Connection, *, workspace: str, sha: str) -> Origin:
    rows = await connection.execute_fetchall(
        "SELECT origin FROM checkpoint WHERE workspace = ? AND sha = ? ORDER BY id DESC LIMIT 1",
        (workspace, sha),
    )
    return next((Origin(origin) for (origin,) in rows), Origin.HAND)


async def _versions(
    connection: aiosqlite.Connection, *, sql: str, row: tuple[object, ...]
) -> tuple[KeptVersion, ...]:
    return tuple(
        KeptVersion(
            name=f"v{number}",
            text=text,
            sha=sha,
            origin=Origin(origin),
            at=datetime.fromisoformat(at),
            session_key=session_key,
        )
        for number, text, sha, origin, at, session_key in await connection.execute_fetchall(
            sql, row
        )
    )


def _number(name: str) -> int | None:
    """The id in a name of ours; None for anything else, whatever it looks like."""
    found = _NAME.fullmatch(name)
    return int(found[1]) if found is not None and int(found[1]) <= _MAX_ID else None


async def _add_child(
    connection: aiosqlite.Connection, *, workspace: str, parent: str, child: ChildResult
) -> bool:
    row = (workspace, parent, child.child, child.outcome, child.result, stamp(child.at))
    return bool(list(await connection.execute_fetchall(_PUT_CHILD, row)))


async def _pending(
    connection: aiosqlite.Connection, *, workspace: str, parent: str
) -> tuple[ChildResult, ...]:
    rows = await connection.execute_fetchall(_PENDING, (workspace, parent))
    return tuple(
        ChildResult(child=child, outcome=outcome, result=result, at=datetime.fromisoformat(at))
        for child, outcome, result, at in rows
    )


async def _surface(
    connection: aiosqlite.Connection,
    *,
    workspace: str,
    parent: str,
    children: tuple[str, ...],
    at: str,
) -> tuple[str, ...]:
    taken: list[str] = []
    for child in children:
        rows = await connection.execute_fetchall(_SURFACE, (at, workspace, parent, child))
        taken += [name for (name,) in rows]
    return tuple(taken)


async def _pairs(connection: aiosqlite.Connection, *, sql: str) -> frozenset[tuple[str, str]]:
    return frozenset((one, other) for one, other in await connection.execute_fetchall(sql))


async def _run(connection: aiosqlite.Connection, *, sql: str, row: tuple[object, ...]) -> None:
    await connection.execute(sql, row)
