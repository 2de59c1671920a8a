"""Which workspace a message is about, and what is remembered of its session."""

from collections import Counter, OrderedDict
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import anyio
import anyio.to_thread

from recalld.budget import Run, Stage
from recalld.counters import Counters
from recalld.errors import NotFound, Unavailable
from recalld.server.params import SessionParam
from recalld.server.ports import Place, Places, SessionStore
from recalld.store.model import Sighting
from recalld.text.redact import redact

REMEMBERED = 4_096
# A path on a hung mount, or a hung store, may cost a prompt no more than this.
LOOK_MS = 100
LOOK_SHARE = 0.25
# Threads inside a path that hangs are abandoned; no more than these, of all and near each other.
MAX_LOOKS = 16
LOOKS_TOGETHER = 2
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
        # Also by somebody else meanwhile: at a stop, two are at it.
        while self._unwritten:
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

    def __init__(self, places: Places, sessions: SessionBook, *, counters: Counters) -> None:
        self._places = places
        self._sessions = sessions
        self._looks = Looks(places, counters=counters)

    @property
    def all(self) -> tuple[Place, ...]:
        return tuple(self._places.all())

    async def of_session(self, session: SessionParam, *, budget_ms: int) -> Place | None:
        """Of the path it names; else of its last one; else the only configured one.

        A last one that is no longer configured is none. Costs at most ``LOOK_MS`` and a quarter
        of ``budget_ms``, whatever hangs.
        """
        run = Run(min(LOOK_MS, int(budget_ms * LOOK_SHARE)))
        if session.workspace is not None:
            return await self._found(session.workspace, run)
        configured = self.all
        if len(configured) < 2:
            return configured[0] if configured else None

        async def last() -> str | None:
            return await self._sessions.last_workspace(session.key)

        path = await run.stage(Stage(name="session", work=last, otherwise=None, limit_ms=LOOK_MS))
        return None if path is None else await self._found(path, run)

    async def root_of(self, session: SessionParam, *, budget_ms: int) -> str | None:
        """As ``of_session``: the root alone."""
        place = await self.of_session(session, budget_ms=budget_ms)
        return None if place is None else place.root

    async def named(self, path: str | None) -> Place:
        """Of the path; without one the only configured one. Raise ``NotFound``."""
        if path is not None:
            place = await self.of_path(path)
            if place is None:
                raise NotFound(f"a configured workspace at or above {path}")
            return place
        configured = self.all
        if len(configured) != 1:
            raise NotFound(f"the workspace: none is named and {len(configured)} are configured")
        return configured[0]

    async def of_path(self, path: str) -> Place | None:
        return await self._found(path, Run(LOOK_MS))

    async def _found(self, path: str, run: Run) -> Place | None:
        for place in self._places.all():
            if place.root == path:
                return place
        look = partial(self._looks.at, path)
        return await run.stage(Stage(name="workspace", work=look, otherwise=None, limit_ms=LOOK_MS))


class Looks:
    """Looks at paths in threads, few at once below one folder: a mount that hangs costs itself."""

    def __init__(self, places: Places, *, counters: Counters) -> None:
        self._places = places
        self._counters = counters
        self._threads = anyio.CapacityLimiter(MAX_LOOKS)
        self._inside: Counter[str] = Counter()

    async def at(self, path: str) -> Place | None:
        """None, and counted as ``places.hung``, while others hang there. Abandoned on cancel."""
        near = self._neighbourhood(path)
        if self._inside[near] >= LOOKS_TOGETHER or self._threads.available_tokens < 1:
            self._counters.add("places.hung")
            return None
        self._inside[near] += 1
        return await anyio.to_thread.run_sync(
            self._look, path, near, abandon_on_cancel=True, limiter=self._threads
        )

    def _look(self, path: str, near: str) -> Place | None:
        try:
            return self._places.resolve(path)
        finally:
            self._inside[near] -= 1

    def _neighbourhood(self, path: str) -> str:
        """The workspace that the path reads as part of, else the first folders of the path."""
        above = [
            root
            for root in (place.root for place in self._places.all())
            if path[: len(root) + 1] == f"{root}/"
        ]
        return max(above, key=len, default="/".join(path.split("/")[:4]))
