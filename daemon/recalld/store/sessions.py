"""Which sessions there are, whose they are and where they work."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

import aiosqlite

from recalld.store.bridge import Database
from recalld.store.event_table import stamp
from recalld.store.model import Sighting


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session. ``key`` is the host's and opaque; ``workspace`` is the last one it named."""

    key: str
    agent: str
    workspace: str | None
    client: str | None
    started_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    end_reason: str | None


class Sessions:
    """The session table of ``state.db``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(self, sighting: Sighting) -> None:
        """Note a session, or its end. None keeps the workspace and client known so far; an ended
        session that is seen later is open again. Every call is one synced write."""
        await self._database.write(partial(_note, sighting=sighting))

    async def get(self, key: str) -> Session | None:
        """The session named ``key``, None when it was never seen."""
        return await self._database.read(partial(_get, key=key))

    async def last_workspace(self, key: str) -> str | None:
        """The workspace the session named last; None when it is unknown or never named one."""
        session = await self.get(key)
        return None if session is None else session.workspace


async def _note(connection: aiosqlite.Connection, *, sighting: Sighting) -> None:
    await _upsert(connection, sighting=sighting)
    if sighting.end_reason is not None:
        await connection.execute(
            "UPDATE session SET ended_at = ?, end_reason = ? WHERE key = ?",
            (stamp(sighting.at), sighting.end_reason, sighting.key),
        )


async def _upsert(connection: aiosqlite.Connection, *, sighting: Sighting) -> None:
    at = stamp(sighting.at)
    await connection.execute(
        """
        INSERT INTO session (key, agent, workspace, client, started_at, seen_at)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (key) DO UPDATE SET
          agent = excluded.agent,
          workspace = coalesce(excluded.workspace, workspace),
          client = coalesce(excluded.client, client),
          seen_at = max(seen_at, excluded.seen_at),
          end_reason = CASE WHEN excluded.seen_at > ended_at THEN NULL ELSE end_reason END,
          ended_at = CASE WHEN excluded.seen_at > ended_at THEN NULL ELSE ended_at END
        """,
        (sighting.key, sighting.agent, sighting.workspace, sighting.client, at, at),
    )


async def _get(connection: aiosqlite.Connection, *, key: str) -> Session | None:
    rows = await connection.execute_fetchall(
        """SELECT key, agent, workspace, client, started_at, seen_at, ended_at, end_reason
        FROM session WHERE key = ?""",
        (key,),
    )
    for found, agent, workspace, client, started, seen, ended, reason in rows:
        return Session(
            key=found,
            agent=agent,
            workspace=workspace,
            client=client,
            started_at=datetime.fromisoformat(started),
            seen_at=datetime.fromisoformat(seen),
            ended_at=None if ended is None else datetime.fromisoformat(ended),
            end_reason=reason,
        )
    return None
