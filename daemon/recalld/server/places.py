"""Which workspace a message is about, and what is remembered of its session."""

from collections import OrderedDict
from dataclasses import replace
from datetime import datetime, timedelta

import anyio
import anyio.to_thread

from recalld.budget import Run, Stage
from recalld.counters import Counters
from recalld.errors import Unavailable
from recalld.server.params import SessionParam
from recalld.server.ports import Place, Places, SessionStore, Sighting
from recalld.text.redact import redact

REMEMBERED = 4_096
# A path on a hung mount, or a hung store, may cost a prompt no more than this.
LOOK_MS = 100
WRITE_PAUSE_S = 0.2
# A session that only says it is still there.
SEEN_EVERY = timedelta(minutes=1)


class SessionBook:
    """The sessions seen lately, in memory; ``run`` writes them to the store behind the answers.

    Not durable: the event itself is what is kept. A session beyond the bound is forgotten here
    and found in the store.
    """

    def __init__(self, store: SessionStore, *, counters: Counters) -> None:
        self._store = store
        self._counters = counters
        self._known: OrderedDict[str, Sighting] = OrderedDict()
        self._unwritten: OrderedDict[str, Sighting] = OrderedDict()
        self._seen = anyio.Event()

    def see(self, session: SessionParam, at: datetime) -> None:
        """Note the session; it is written when that tells something, or seldom if it does not."""
        before = self._known.get(session.key)
        seen = Sighting(
            key=session.key,
            agent=session.agent,
            workspace=session.workspace or (before.workspace if before else None),
            client=_safe(session.client) or (before.client if before else None),
            at=at,
        )
        if before is not None and _tells_nothing(before, seen):
            return
        self._note(seen)

    def end(self, session: SessionParam, *, reason: str, at: datetime) -> None:
        self.see(session, at)
        self._note(replace(self._known[session.key], at=at, end_reason=_safe(reason)))

    def _note(self, sighting: Sighting) -> None:
        for kept in (self._known, self._unwritten):
            kept[sighting.key] = sighting
            kept.move_to_end(sighting.key)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        if len(self._unwritten) > REMEMBERED:
            self._unwritten.popitem(last=False)
            self._counters.add("sessions.unwritten")
        self._seen.set()

    async def last_workspace(self, key: str) -> str | None:
        """In memory, else in the store. Raise ``Unavailable`` with the store."""
        known = self._known.get(key)
        if known is not None and known.workspace is not None:
            return known.workspace
        return await self._store.last_workspace(key)

    async def run(self) -> None:
        while True:
            await self._seen.wait()
            self._seen = anyio.Event()
            await self.flush()
            await anyio.sleep(WRITE_PAUSE_S)

    async def flush(self) -> None:
        """Write what is unwritten now; what the store refuses is counted and forgotten."""
        for _ in range(len(self._unwritten)):
            _, sighting = self._unwritten.popitem(last=False)
            try:
                await self._store.note(sighting)
            except Unavailable:
                self._counters.add("sessions.unwritten")


def _safe(text: str | None) -> str | None:
    """Free text of the host's, as it may be kept."""
    return None if text is None else redact(text).text


def _tells_nothing(before: Sighting, seen: Sighting) -> bool:
    same = (before.agent, before.workspace, before.client) == (
        seen.agent,
        seen.workspace,
        seen.client,
    )
    return same and before.end_reason is None and seen.at - before.at < SEEN_EVERY


class Whereabouts:
    """Resolves the workspace of a message: never an error, never a folder nobody configured."""

    def __init__(self, places: Places, sessions: SessionBook) -> None:
        self._places = places
        self._sessions = sessions
        self._threads = anyio.CapacityLimiter(2)

    @property
    def all(self) -> tuple[Place, ...]:
        return tuple(self._places.all())

    async def of_session(self, session: SessionParam) -> Place | None:
        """Of the path it names; else of its last one; else the only configured one."""
        configured = self.all
        if session.workspace is not None:
            return await self.of_path(session.workspace)
        if len(configured) < 2:
            return configured[0] if configured else None

        async def last() -> str | None:
            return await self._sessions.last_workspace(session.key)

        run = Run(LOOK_MS)
        path = await run.stage(Stage(name="session", work=last, otherwise=None, limit_ms=LOOK_MS))
        return None if path is None else await self.of_path(path)

    async def of_path(self, path: str) -> Place | None:
        for place in self._places.all():
            if place.root == path:
                return place

        async def look() -> Place | None:
            return await anyio.to_thread.run_sync(
                self._places.resolve, path, abandon_on_cancel=True, limiter=self._threads
            )

        run = Run(LOOK_MS)
        return await run.stage(Stage(name="workspace", work=look, otherwise=None, limit_ms=LOOK_MS))
