"""The event table: what a row holds and what one batch does to it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import aiosqlite

# A client that repeats an event after this long means a new one.
REMEMBER_IDS = timedelta(hours=24)

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """An event to keep.

    ``event_id`` is the client's, None for an event that is never repeated. ``at`` is RFC 3339.
    ``payload`` is JSON, already stripped and redacted. ``reply`` is JSON when the answer is known
    in advance, which saves ``record_reply`` a second write.
    """

    event_id: str | None
    kind: str
    session_key: str
    agent: str
    workspace: str | None
    at: str
    payload: bytes
    reply: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The event's number, and whether it was here before.

    ``reply`` is the first answer to a duplicate, None while that answer is still being made.
    """

    seq: int
    duplicate: bool
    reply: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """An event as it was kept. ``received_at`` is when, in UTC."""

    seq: int
    event_id: str | None
    kind: str
    session_key: str
    agent: str
    workspace: str | None
    at: str
    received_at: str
    payload: bytes
    reply: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The first answer to event ``seq``."""

    seq: int
    reply: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One transaction: answers of earlier events, then new events in order."""

    events: tuple[NewEvent, ...]
    replies: tuple[Reply, ...]
    now: datetime

    async def store(self, connection: aiosqlite.Connection) -> list[Accepted]:
        if self.replies:
            await connection.executemany(
                "UPDATE event SET reply = ? WHERE seq = ? AND reply IS NULL",
                [(r.reply, r.seq) for r in self.replies],
            )
        known = await self._known(connection)
        # The transaction holds the write lock, so the numbers cannot be taken by anyone else.
        seq = await _last_seq(connection)
        rows: list[tuple[object, ...]] = []
        verdict: list[Accepted] = []
        for event in self.events:
            key = _key(event)
            if key is not None and key in known:
                verdict.append(known[key])
                continue
            seq += 1
            rows.append(self._row(seq, event))
            verdict.append(Accepted(seq=seq, duplicate=False, reply=None))
            if key is not None:
                known[key] = Accepted(seq=seq, duplicate=True, reply=event.reply)
        if rows:
            await connection.executemany(_INSERT, rows)
        return verdict

    async def _known(self, connection: aiosqlite.Connection) -> dict[_Key, Accepted]:
        keys = {key for event in self.events if (key := _key(event)) is not None}
        if not keys:
            return {}
        sql = _FIND.format(keys=", ".join(["(?, ?, ?)"] * len(keys)))
        rows = await connection.execute_fetchall(sql, [part for key in keys for part in key])
        oldest = stamp(self.now - REMEMBER_IDS)
        forgotten = [(row[3],) for row in rows if row[4] < oldest]
        if forgotten:
            await connection.executemany(
                "UPDATE event SET event_id = NULL WHERE seq = ?", forgotten
            )
        return {
            (session_key, kind, event_id): Accepted(seq=seq, duplicate=True, reply=reply)
            for session_key, kind, event_id, seq, received_at, reply in rows
            if received_at >= oldest
        }

    def _row(self, seq: int, event: NewEvent) -> tuple[object, ...]:
        return (
            seq,
            event.event_id,
            event.kind,
            event.session_key,
            event.agent,
            event.workspace,
            event.at,
            stamp(self.now),
            event.payload,
            event.reply,
        )


_COLUMNS = "seq, event_id, kind, session_key, agent, workspace, at, received_at, payload, reply"
_INSERT = f"INSERT INTO event ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
_FIND = """
WITH wanted (session_key, kind, event_id) AS (VALUES {keys})
SELECT event.session_key, event.kind, event.event_id, event.seq, event.received_at, event.reply
FROM wanted JOIN event ON event.session_key = wanted.session_key
  AND event.kind = wanted.kind AND event.event_id = wanted.event_id
"""


def stamp(moment: datetime) -> str:
    """UTC in RFC 3339 with microseconds always written, so that text order is time order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _key(event: NewEvent) -> _Key | None:
    if event.event_id is None:
        return None
    return event.session_key, event.kind, event.event_id


async def _last_seq(connection: aiosqlite.Connection) -> int:
    rows = await connection.execute_fetchall("SELECT seq FROM sqlite_sequence WHERE name = 'event'")
    return next((int(seq) for (seq,) in rows), 0)


async def count(connection: aiosqlite.Connection) -> int:
    """How many events there are."""
    ((count,),) = await connection.execute_fetchall("SELECT count(*) FROM event")
    return int(count)


async def events_of(
    connection: aiosqlite.Connection, *, session_key: str, after_seq: int, limit: int
) -> tuple[StoredEvent, ...]:
    rows = await connection.execute_fetchall(
        f"SELECT {_COLUMNS} FROM event WHERE session_key = ? AND seq > ? ORDER BY seq LIMIT ?",  # noqa: S608
        (session_key, after_seq, limit),
    )
    names = _COLUMNS.split(", ")
    return tuple(StoredEvent(**dict(zip(names, row, strict=True))) for row in rows)
