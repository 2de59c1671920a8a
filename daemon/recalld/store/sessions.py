"""Which sessions there are, whose they are and where they work."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import aiosqlite

from recalld.store.bridge import Database
from recalld.store.event_table import stamp

# Every write is synced, so a session that only says it is still there is noted this seldom.
SEEN_EVERY = timedelta(minutes=1)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What one message says about its session; None where it says nothing."""

    key: str
    agent: str
    workspace: str | None
    client: str | None
    at: datetime


class Sessions:
    """The session table of ``state.db``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def upsert(self, sighting: Sighting) -> None:
        """Note a session. None keeps the workspace and client known so far; an ended session that
        is seen later is open again. Costs no write when nothing changed within ``SEEN_EVERY``."""
        known = await self.get(sighting.key)
        if known is None or _tells_something(known, sighting):
            await self._database.write(partial(_upsert, sighting=sighting))

    async def end(self, key: str, *, reason: str, at: datetime) -> None:
        """Mark a session as ended; a session nobody started is nothing to end."""
        await self._database.write(partial(_end, key=key, reason=reason, at=at))

    async def get(self, key: str) -> Session | None:
        """The session named ``key``, None when it was never seen."""
        return await self._database.read(partial(_get, key=key))

    async def last_workspace(self, key: str) -> str | None:
        """The workspace the session named last; None when it is unknown or never named one."""
        session = await self.get(key)
        return None if session is None else session.workspace


def _tells_something(known: Session, sighting: Sighting) -> bool:
    return (
        known.agent != sighting.agent
        or sighting.workspace not in (None, known.workspace)
        or sighting.client not in (None, known.client)
        or (known.ended_at is not None and sighting.at > known.ended_at)
        or sighting.at - known.seen_at >= SEEN_EVERY
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


async def _end(connection: aiosqlite.Connection, *, key: str, reason: str, at: datetime) -> None:
    await connection.execute(
        "UPDATE session SET ended_at = ?, end_reason = ? WHERE key = ?",
        (stamp(at), reason, key),
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
