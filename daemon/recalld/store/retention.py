"""What the state database lets go of, so that it does not grow without end."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial

import aiosqlite
import anyio
import structlog

from recalld.counters import Counters
from recalld.errors import Unavailable
from recalld.store.bridge import Database
from recalld.store.event_table import REMEMBER_IDS, stamp

# A batch is one short transaction; the events of the moment come between two of them.
BATCH_ROWS = 256
PAUSE_S = 0.05
SWEEP_S = 3_600.0

# Each finds what is due before a moment; the partial indexes hold what is left to find.
_REPLIES = "SELECT seq FROM event WHERE reply IS NOT NULL AND received_at < ? LIMIT ?"
_PAYLOADS = (
    "SELECT seq FROM event WHERE kind = 'session.prompt' AND payload <> X'7B7D'"
    " AND received_at < ? LIMIT ?"
)
_SESSIONS = "SELECT key FROM session WHERE seen_at < ? LIMIT ?"
_CHILD = "SELECT workspace, parent, child, surfaced_at, at FROM child_result"
_TOLD = f"{_CHILD} WHERE surfaced_at < ? LIMIT ?"
_UNTOLD = f"{_CHILD} WHERE surfaced_at IS NULL AND at < ? LIMIT ?"
# The newest of a workspace tells who wrote the file that is there now.
_VERSIONS = """
SELECT id FROM checkpoint AS old WHERE at < ? AND EXISTS (
  SELECT 1 FROM checkpoint WHERE workspace = old.workspace AND id > old.id
) LIMIT ?
"""
_OWED = "SELECT workspace, session_key, at FROM owed_snapshot WHERE at < ? LIMIT ?"

# Unless it was replaced since it was found.
_FORGET_CHILD = (
    "DELETE FROM child_result"
    " WHERE workspace = ? AND parent = ? AND child = ? AND surfaced_at IS ? AND at = ?"
)
_FORGET = {
    _REPLIES: "UPDATE event SET reply = NULL WHERE seq = ?",
    _PAYLOADS: "UPDATE event SET payload = X'7B7D' WHERE seq = ?",
    _SESSIONS: "DELETE FROM session WHERE key = ?",
    _TOLD: _FORGET_CHILD,
    _UNTOLD: _FORGET_CHILD,
    _VERSIONS: "DELETE FROM checkpoint WHERE id = ?",
    _OWED: "DELETE FROM owed_snapshot WHERE workspace = ? AND session_key = ? AND at = ?",
}

_log = structlog.get_logger("recalld.store")


class Retention:
    """Forgets, in the background: first replies after 24 h; after ``keep_days`` the words of
    prompts and the sessions not seen since, what sub-agents left, told or never asked for,
    snapshots still owed, and versions of checkpoints but the newest of each workspace. Turns are
    kept: what is learned comes from them.

    Counted as ``store.WHAT_forgotten``: ``replies``, ``prompts``, ``sessions``, ``results``,
    ``untold_results``, ``owed_snapshots``, ``checkpoints``.
    """

    def __init__(
        self,
        database: Database,
        *,
        now: Callable[[], datetime],
        keep_days: Callable[[], int],
        counters: Counters,
    ) -> None:
        self._database = database
        self._now = now
        self._keep_days = keep_days
        self._counters = counters

    async def run(self) -> None:
        """Sweep now and every hour. A store that cannot is asked again the next time."""
        while True:
            try:
                await self.sweep()
            except Unavailable as fault:
                _log.warning("retention.failed", problem=str(fault))
            await anyio.sleep(SWEEP_S)

    async def sweep(self) -> None:
        """Forget everything that is due. ``Unavailable`` with the store."""
        now = self._now()
        old = now - timedelta(days=self._keep_days())
        await self._forget(_REPLIES, now - REMEMBER_IDS, "store.replies_forgotten")
        await self._forget(_PAYLOADS, old, "store.prompts_forgotten")
        await self._forget(_SESSIONS, old, "store.sessions_forgotten")
        await self._forget(_TOLD, old, "store.results_forgotten")
        await self._forget(_UNTOLD, old, "store.untold_results_forgotten")
        await self._forget(_OWED, old, "store.owed_snapshots_forgotten")
        await self._forget(_VERSIONS, old, "store.checkpoints_forgotten")

    async def _forget(self, find: str, before: datetime, counter: str) -> None:
        while True:
            due = await self._database.read(partial(_due, sql=find, before=stamp(before)))
            if not due:
                return
            await self._database.write(partial(_each, sql=_FORGET[find], rows=due))
            self._counters.add(counter, len(due))
            await anyio.sleep(PAUSE_S)


async def _due(
    connection: aiosqlite.Connection, *, sql: str, before: str
) -> list[tuple[object, ...]]:
    rows = await connection.execute_fetchall(sql, (before, BATCH_ROWS))
    return [tuple(row) for row in rows]


async def _each(
    connection: aiosqlite.Connection, *, sql: str, rows: Sequence[tuple[object, ...]]
) -> None:
    await connection.executemany(sql, rows)
