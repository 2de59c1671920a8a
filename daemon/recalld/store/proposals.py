"""What turns proposed to remember, and how far the turns were heard."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import aiosqlite

from recalld.errors import NotFound
from recalld.store.bridge import Database
from recalld.store.event_table import stamp
from recalld.store.model import KeptProposal, SpokenTurn

# Of one owner; beyond that the oldest goes. Rejected ones are remembered by their key alone.
MAX_WAITING = 200
MAX_REJECTED = 2_000
# Shorter words are anybody's: they go only where they are all that was said.
MIN_INSIDE_CHARS = 16

_COLUMNS = "id, owner, key, content, type, session, agent, said_by, said_at"
_SELECT = f"SELECT {_COLUMNS} FROM memory_proposal WHERE rejected_at IS NULL"  # noqa: S608
_ADD = f"""
INSERT OR IGNORE INTO memory_proposal ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""  # noqa: S608
_ERASE = "DELETE FROM memory_proposal WHERE owner = ? AND"
_NEWEST = "ORDER BY id DESC LIMIT -1 OFFSET ?"
_DROP_WAITING = f"""
DELETE FROM memory_proposal WHERE id IN (
  SELECT id FROM memory_proposal WHERE owner = ? AND rejected_at IS NULL {_NEWEST}
)
"""  # noqa: S608
_DROP_REJECTED = f"""
DELETE FROM memory_proposal WHERE id IN (
  SELECT id FROM memory_proposal WHERE owner = ? AND rejected_at IS NOT NULL {_NEWEST}
)
"""  # noqa: S608


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """``heard``: up to where turns were heard; None: nobody listens. ``last``: the last event."""

    heard: int | None
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """How many were new, and how many of the oldest had to go for them."""

    added: int
    dropped: int


class ProposalStore:
    """Every method is one transaction; a write is durable when it returns. ``Unavailable`` with
    the store. What is deleted is overwritten in the file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def progress(self) -> Progress:
        return await self._database.read(_progress)

    async def set_heard(self, seq: int | None) -> None:
        await self._database.write(partial(_set_heard, seq=seq))

    async def turns(self, *, after_seq: int, limit: int) -> Sequence[SpokenTurn]:
        """Behind ``after_seq``, oldest first."""
        return await self._database.read(partial(_turns, after_seq=after_seq, limit=limit))

    async def put(self, proposals: Sequence[KeptProposal], *, heard: int) -> Put:
        """Keep those that are not known yet, and that the turns were heard up to ``heard``."""
        return await self._database.write(partial(_put, proposals=proposals, heard=heard))

    async def waiting(self, owner: str, *, limit: int) -> Sequence[KeptProposal]:
        """The newest ``limit``, newest first."""
        return await self._database.read(partial(_waiting, owner=owner, limit=limit))

    async def get(self, proposal_id: str) -> KeptProposal:
        """Raise ``NotFound`` for one that does not wait (any more)."""
        return await self._database.read(partial(_get, proposal_id=proposal_id))

    async def drop(self, proposal_id: str) -> None:
        """It became a memory. No matter if it is gone."""
        await self._database.write(partial(_drop, proposal_id=proposal_id))

    async def reject(self, proposal_id: str, *, at: datetime) -> None:
        """Forget its words and do not propose them again. Raise ``NotFound`` as ``get``."""
        await self._database.write(partial(_reject, proposal_id=proposal_id, at=at))

    async def erase(self, owner: str, texts: Sequence[str], keys: Sequence[bytes]) -> int:
        """Delete those that hold one of ``texts`` or have one of ``keys``; how many."""
        return await self._database.write(partial(_erase, owner=owner, texts=texts, keys=keys))

    async def count(self) -> int:
        """How many wait."""
        return await self._database.read(_count)


async def _progress(connection: aiosqlite.Connection) -> Progress:
    ((heard, last),) = await connection.execute_fetchall(
        "SELECT seq, (SELECT coalesce(max(seq), 0) FROM event) FROM turns_heard"
    )
    return Progress(heard=heard, last=int(last))


async def _set_heard(connection: aiosqlite.Connection, *, seq: int | None) -> None:
    await connection.execute("UPDATE turns_heard SET seq = ?", (seq,))


async def _turns(
    connection: aiosqlite.Connection, *, after_seq: int, limit: int
) -> tuple[SpokenTurn, ...]:
    rows = await connection.execute_fetchall(
        "SELECT seq, session_key, agent, at, payload FROM event"
        " WHERE kind = 'session.turn' AND seq > ? ORDER BY seq LIMIT ?",
        (after_seq, limit),
    )
    return tuple(
        SpokenTurn(
            seq=seq,
            session_key=key,
            agent=agent,
            at=datetime.fromisoformat(at),
            payload=payload,
        )
        for seq, key, agent, at, payload in rows
    )


async def _put(
    connection: aiosqlite.Connection, *, proposals: Sequence[KeptProposal], heard: int
) -> Put:
    await _set_heard(connection, seq=heard)
    added = dropped = 0
    for each in proposals:
        row = (
            *(each.id, each.owner, each.key, each.content, each.type, each.session),
            *(each.agent, each.said_by, stamp(each.said_at)),
        )
        added += (await connection.execute(_ADD, row)).rowcount
    await connection.execute("PRAGMA secure_delete = ON")
    for owner in {each.owner for each in proposals}:
        dropped += (await connection.execute(_DROP_WAITING, (owner, MAX_WAITING))).rowcount
    return Put(added=added, dropped=dropped)


async def _waiting(
    connection: aiosqlite.Connection, *, owner: str, limit: int
) -> tuple[KeptProposal, ...]:
    rows = await connection.execute_fetchall(
        f"{_SELECT} AND owner = ? ORDER BY id DESC LIMIT ?", (owner, limit)
    )
    return tuple(_proposal(tuple(row)) for row in rows)


async def _get(connection: aiosqlite.Connection, *, proposal_id: str) -> KeptProposal:
    for row in await connection.execute_fetchall(f"{_SELECT} AND id = ?", (proposal_id,)):
        return _proposal(tuple(row))
    raise NotFound(f"proposal {proposal_id[:100]!r}")


async def _drop(connection: aiosqlite.Connection, *, proposal_id: str) -> None:
    await connection.execute("PRAGMA secure_delete = ON")
    await connection.execute("DELETE FROM memory_proposal WHERE id = ?", (proposal_id,))


async def _reject(connection: aiosqlite.Connection, *, proposal_id: str, at: datetime) -> None:
    found = await _get(connection, proposal_id=proposal_id)
    await connection.execute("PRAGMA secure_delete = ON")
    await connection.execute(
        "UPDATE memory_proposal SET content = '', rejected_at = ? WHERE id = ?",
        (stamp(at), proposal_id),
    )
    await connection.execute(_DROP_REJECTED, (found.owner, MAX_REJECTED))


async def _erase(
    connection: aiosqlite.Connection,
    *,
    owner: str,
    texts: Sequence[str],
    keys: Sequence[bytes],
) -> int:
    await connection.execute("PRAGMA secure_delete = ON")
    count = 0
    for key in keys:
        count += (await connection.execute(f"{_ERASE} key = ?", (owner, key))).rowcount
    for text in texts:
        if len(text) >= MIN_INSIDE_CHARS:
            done = await connection.execute(f"{_ERASE} instr(content, ?)", (owner, text))
            count += done.rowcount
    return count


async def _count(connection: aiosqlite.Connection) -> int:
    ((count,),) = await connection.execute_fetchall(
        "SELECT count(*) FROM memory_proposal WHERE rejected_at IS NULL"
    )
    return int(count)


def _proposal(row: tuple[str, str, bytes, str, str, str, str, str, str]) -> KeptProposal:
    *said, said_at = row
    names = _COLUMNS.split(", ")[:-1]
    values = dict(zip(names, said, strict=True))
    return KeptProposal(**values, said_at=datetime.fromisoformat(said_at))  # type: ignore[arg-type]
