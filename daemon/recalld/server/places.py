"""Which workspace a message is about, and what is remembered of its session."""

from collections import OrderedDict
from datetime import datetime

import anyio
import anyio.to_thread

from recalld.budget import Run, Stage
from recalld.counters import Counters
from recalld.errors import Unavailable
from recalld.server.params import SessionParam
from recalld.server.ports import Place, Places, SessionStore, Sighting

REMEMBERED = 4_096
# A path on a hung mount, or a hung store, may cost a prompt no more than this.
LOOK_MS = 100
WRITE_PAUSE_S = 0.2


class SessionBook:
    """The sessions seen lately, in memory; ``run`` writes them to the store behind the answers.

    Not durable: the event itself is what is kept. A session beyond the bound is forgotten here
    and found in the store.
    """

    def __init__(self, store: SessionStore, *, counters: Counters) -> None:
        self._store = store
        self._counters = counters
        self._workspaces: OrderedDict[str, str] = OrderedDict()
        self._unwritten: OrderedDict[str, Sighting] = OrderedDict()
        self._seen = anyio.Event()

    def see(self, session: SessionParam, at: datetime) -> None:
        if session.workspace is not None:
            self._workspaces[session.key] = session.workspace
            self._workspaces.move_to_end(session.key)
            if len(self._workspaces) > REMEMBERED:
                self._workspaces.popitem(last=False)
        self._note(session, at, end_reason=None)

    def end(self, session: SessionParam, *, reason: str, at: datetime) -> None:
        self._note(session, at, end_reason=reason)

    def _note(self, session: SessionParam, at: datetime, *, end_reason: str | None) -> None:
        before = self._unwritten.pop(session.key, None)
        self._unwritten[session.key] = Sighting(
            key=session.key,
            agent=session.agent,
            workspace=session.workspace or (before.workspace if before else None),
            client=session.client or (before.client if before else None),
            at=at,
            end_reason=end_reason,
        )
        if len(self._unwritten) > REMEMBERED:
            self._unwritten.popitem(last=False)
            self._counters.add("sessions.unwritten")
        self._seen.set()

    async def last_workspace(self, key: str) -> str | None:
        known = self._workspaces.get(key)
        if known is None:
            known = await self._store.last_workspace(key)
        return known

    async def run(self) -> None:
        while True:
            await self._seen.wait()
            self._seen = anyio.Event()
            await self.flush()
            await anyio.sleep(WRITE_PAUSE_S)

    async def flush(self) -> None:
        """Write what is unwritten; what the store refuses is counted and forgotten."""
        while self._unwritten:
            _, sighting = self._unwritten.popitem(last=False)
            try:
                await self._store.note(sighting)
            except Unavailable:
                self._counters.add("sessions.unwritten")


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
