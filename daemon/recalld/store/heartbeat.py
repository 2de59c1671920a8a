"""What heartbeats did and what is kept of each owner, as JSON of the heartbeat's own values."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import aiosqlite

from recalld.store.bridge import Database
from recalld.store.event_table import stamp
from recalld.store.model import HeartbeatChange, KeptTick, SpokenTurn

# Of one owner, newest first. Cooldowns look back hours, rates a week.
MAX_ACTS = 1_000
MAX_TICKS = 1_000


class HeartbeatTable:
    """Every method is one transaction; a write is durable when it returns. ``Unavailable`` with
    the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def book(self, owner: str) -> bytes | None:
        return await self._database.read(partial(_book, owner=owner))

    async def acts(self, owner: str, *, since: datetime) -> Sequence[bytes]:
        """Bodies, newest first."""
        return await self._database.read(partial(_acts, owner=owner, since=since))

    async def act(self, act_id: str) -> tuple[str, bytes] | None:
        """Owner and body."""
        return await self._database.read(partial(_act, act_id=act_id))

    async def said(self, *, limit: int) -> Sequence[tuple[str, bytes]]:
        """Owner and body of the newest acts of all owners, oldest first."""
        return await self._database.read(partial(_said, limit=limit))

    async def keep(self, change: HeartbeatChange) -> None:
        await self._database.write(partial(_keep, change=change))

    async def ticks(self, owner: str, *, limit: int) -> Sequence[KeptTick]:
        """Newest first."""
        return await self._database.read(partial(_ticks, owner=owner, limit=limit))

    async def turns(self, *, since: datetime, after_seq: int, limit: int) -> Sequence[SpokenTurn]:
        """Behind ``after_seq`` and not older than ``since``, oldest first; of more than ``limit``
        the newest."""
        return await self._database.read(
            partial(_turns, since=since, after_seq=after_seq, limit=limit)
        )


async def _book(connection: aiosqlite.Connection, *, owner: str) -> bytes | None:
    rows = await connection.execute_fetchall(
        "SELECT body FROM heartbeat_book WHERE owner = ?", (owner,)
    )
    for (body,) in rows:
        return bytes(body)
    return None


async def _acts(
    connection: aiosqlite.Connection, *, owner: str, since: datetime
) -> Sequence[bytes]:
    rows = await connection.execute_fetchall(
        "SELECT body FROM heartbeat_act WHERE owner = ? AND at >= ? ORDER BY at DESC, id DESC",
        (owner, stamp(since)),
    )
    return [bytes(body) for (body,) in rows]


async def _act(connection: aiosqlite.Connection, *, act_id: str) -> tuple[str, bytes] | None:
    rows = await connection.execute_fetchall(
        "SELECT owner, body FROM heartbeat_act WHERE id = ?", (act_id,)
    )
    for owner, body in rows:
        return owner, bytes(body)
    return None


async def _said(connection: aiosqlite.Connection, *, limit: int) -> Sequence[tuple[str, bytes]]:
    rows = await connection.execute_fetchall(
        "SELECT owner, body FROM heartbeat_act ORDER BY at DESC, id DESC LIMIT ?", (limit,)
    )
    return [(owner, bytes(body)) for owner, body in reversed(list(rows))]


async def _keep(connection: aiosqlite.Connection, *, change: HeartbeatChange) -> None:
    await connection.execute(
        """INSERT INTO heartbeat_book (owner, body) VALUES (?, ?)
        ON CONFLICT (owner) DO UPDATE SET body = excluded.body""",
        (change.owner, change.book),
    )
    await connection.executemany(
        """INSERT INTO heartbeat_act (id, owner, at, body) VALUES (?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET body = excluded.body""",
        [(one.id, change.owner, stamp(one.at), one.body) for one in change.acts],
    )
    if change.tick is not None:
        tick = change.tick
        await connection.execute(
            """INSERT INTO heartbeat_tick (owner, at, reason, signals, llm_calls)
            VALUES (?, ?, ?, ?, ?)""",
            (change.owner, stamp(tick.at), tick.reason, tick.signals, tick.llm_calls),
        )
    for table, key, most in (
        ("heartbeat_tick", "id", MAX_TICKS),
        ("heartbeat_act", "at", MAX_ACTS),
    ):
        await connection.execute(
            f"""DELETE FROM {table} WHERE owner = ? AND {key} < (
              SELECT {key} FROM {table} WHERE owner = ? ORDER BY {key} DESC LIMIT 1 OFFSET ?
            )""",  # noqa: S608 (two constants)
            (change.owner, change.owner, most - 1),
        )


async def _ticks(connection: aiosqlite.Connection, *, owner: str, limit: int) -> Sequence[KeptTick]:
    rows = await connection.execute_fetchall(
        """SELECT at, reason, signals, llm_calls FROM heartbeat_tick
        WHERE owner = ? ORDER BY id DESC LIMIT ?""",
        (owner, limit),
    )
    return [
        KeptTick(
            at=datetime.fromisoformat(at).astimezone(UTC),
            reason=reason,
            signals=signals,
            llm_calls=calls,
        )
        for at, reason, signals, calls in rows
    ]


async def _turns(
    connection: aiosqlite.Connection, *, since: datetime, after_seq: int, limit: int
) -> Sequence[SpokenTurn]:
    rows = await connection.execute_fetchall(
        """SELECT seq, session_key, agent, at, payload FROM event
        WHERE kind = 'session.turn' AND seq > ? AND received_at >= ?
        ORDER BY seq DESC LIMIT ?""",
        (after_seq, stamp(since), limit),
    )
    return [
        SpokenTurn(
            seq=seq,
            session_key=session,
            agent=agent,
            at=datetime.fromisoformat(at).astimezone(UTC),
            payload=bytes(payload),
        )
        for seq, session, agent, at, payload in reversed(list(rows))
    ]
