"""The turns among the kept events, and how far they have become checkpoints."""

from collections.abc import Iterable
from datetime import datetime
from functools import partial

import aiosqlite

from recalld.store.bridge import Database
from recalld.store.model import KeptTurn, TurnPlace


class TurnLog:
    """Every method is one transaction. ``Unavailable`` with the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def places(self, *, after_seq: int, limit: int) -> tuple[TurnPlace, ...]:
        """Where the turns behind ``after_seq`` were said, oldest first, at most ``limit``."""
        return await self._database.read(partial(_places, after_seq=after_seq, limit=limit))

    async def turns(
        self, session_key: str, workspace: str, *, after_seq: int, limit: int
    ) -> tuple[KeptTurn, ...]:
        """Of one session in one workspace, behind ``after_seq``, oldest first."""
        sql = f"{_TURN} AND session_key = ? AND workspace = ? AND seq > ? ORDER BY seq LIMIT ?"
        row = (session_key, workspace, after_seq, limit)
        return await self._database.read(partial(_turns, sql=sql, row=row))

    async def latest(self, workspace: str, *, limit: int) -> tuple[KeptTurn, ...]:
        """The last ``limit`` turns in the workspace, whoever said them, oldest first."""
        sql = f"{_TURN} AND workspace = ? ORDER BY seq DESC LIMIT ?"
        found = await self._database.read(partial(_turns, sql=sql, row=(workspace, limit)))
        return tuple(reversed(found))

    async def progress(self) -> tuple[int, int]:
        """The event up to which every turn has become a checkpoint or needs none, and the last
        event there is."""
        return await self._database.read(_progress)

    async def set_done(self, seq: int) -> None:
        await self._database.write(partial(_set_done, seq=seq))


_TURN = "SELECT seq, session_key, at, received_at, payload FROM event WHERE kind = 'session.turn'"


async def _places(
    connection: aiosqlite.Connection, *, after_seq: int, limit: int
) -> tuple[TurnPlace, ...]:
    rows = await connection.execute_fetchall(
        "SELECT seq, session_key, workspace FROM event"
        " WHERE kind = 'session.turn' AND seq > ? ORDER BY seq LIMIT ?",
        (after_seq, limit),
    )
    return tuple(TurnPlace(seq=seq, session_key=key, workspace=root) for seq, key, root in rows)


async def _turns(
    connection: aiosqlite.Connection, *, sql: str, row: Iterable[object]
) -> tuple[KeptTurn, ...]:
    return tuple(
        KeptTurn(
            seq=seq,
            session_key=key,
            at=datetime.fromisoformat(at),
            received_at=datetime.fromisoformat(received_at),
            payload=payload,
        )
        for seq, key, at, received_at, payload in await connection.execute_fetchall(sql, row)
    )


async def _progress(connection: aiosqlite.Connection) -> tuple[int, int]:
    ((done, last),) = await connection.execute_fetchall(
        "SELECT seq, (SELECT coalesce(max(seq), 0) FROM event) FROM turns_done"
    )
    return int(done), int(last)


async def _set_done(connection: aiosqlite.Connection, *, seq: int) -> None:
    await connection.execute("UPDATE turns_done SET seq = max(seq, ?)", (seq,))
