"""Safety checkpoints behind the answers: turns become checkpoints, results become lines.

The event log is the queue: what was acknowledged and not made into a checkpoint before a crash
is made at the next start. Turns in a burst are made into one checkpoint.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf

import anyio
import anyio.to_thread

from recalld.continuity.bounded import STORE, attempt, insist
from recalld.continuity.making import Heard, Old, ruling_of
from recalld.continuity.model import Origin, Ruling
from recalld.continuity.surfacing.flow import Surfacing
from recalld.continuity.surfacing.owed import Who
from recalld.continuity.world import Desks, World
from recalld.continuity.writer import Change, Desk, Seen, news_of
from recalld.errors import Unavailable
from recalld.store.model import KeptTurn, TurnPlace

# A burst of turns ends; the next ones are written this much later.
PAUSE_S = 0.3
# What is still behind is tried again, ever more seldom.
FIRST_RETRY_S, LONGEST_RETRY_S = 1.0, 60.0
# A day of retries; then what was said is given up, so that the log need not be read from there.
MAX_TRIES = 1_440
# One look at the log, and the turns of one checkpoint.
SCAN_ROWS, CHUNK_TURNS = 512, 64
# Sessions of which it is remembered that they just said something.
MAX_FRESH = 1_024
# What one workspace's disk may take before the others go on without it.
MAKE_MS, STORE_MS = 5_000, 1_000


@dataclass(slots=True)
class _Behind:
    """Turns that are no checkpoint yet: the first of them, how often and when next to try."""

    first: int
    tries: int = 0
    next_at: float = 0.0


class Safety:
    """Makes checkpoints of turns. ``run`` and ``finish`` do what is due; one round at a time."""

    def __init__(self, world: World, desks: Desks, surfacing: Surfacing) -> None:
        self._world = world
        self._desks = desks
        self._surfacing = surfacing
        self._news = surfacing.news
        self._rounds = anyio.Lock()
        self._retry_s = FIRST_RETRY_S
        self._threads = anyio.CapacityLimiter(1)
        self._resumed = False
        # Every turn up to ``mark`` is settled, every one up to ``scanned`` is known of; those up
        # to ``old`` were kept before this process began.
        self._mark = self._scanned = self._old = 0
        self._done: dict[Who, int] = {}
        self._behind: dict[Who, _Behind] = {}
        self._fresh: set[Who] = set()

    @property
    def behind(self) -> int:
        """Sessions whose turns could not be made into a checkpoint when it was tried."""
        return sum(behind.tries > 0 for behind in self._behind.values())

    @property
    def idle(self) -> bool:
        """Whether everything that was noted is done."""
        return not (self._news.told or self._rounds.locked() or self._behind)

    def note(self, who: Who | None = None) -> None:
        """There may be something to do: of this session a turn was kept."""
        if who is not None and len(self._fresh) < MAX_FRESH:
            self._fresh.add(who)
        self._news.tell()

    def is_fresh(self, who: Who) -> bool:
        """Whether a turn of the session was kept and not looked at yet."""
        return who in self._fresh

    async def run(self) -> None:
        while True:
            with anyio.move_on_after(self._pause_s()):
                await self._news.wait()
            await anyio.sleep(PAUSE_S)
            self._news.forget()
            await self.finish()

    def _pause_s(self) -> float:
        """How long there is nothing to do, unless there are news."""
        late = not self._resumed or self._surfacing.late
        self._retry_s = min(2 * self._retry_s, LONGEST_RETRY_S) if late else FIRST_RETRY_S
        waits = [behind.next_at - anyio.current_time() for behind in self._behind.values()]
        return max(0.0, min([*waits, self._retry_s if late else inf]))

    async def finish(self) -> None:
        """Do what is due now. What cannot be done stays due."""
        async with self._rounds:
            await self._surfacing.settle()
            if not await self._resume():
                return
            due = await self._due()
            by_root: dict[str, list[Who]] = {root: [] for root in self._surfacing.due()}
            for who in due:
                by_root.setdefault(who.root, []).append(who)
            async with anyio.create_task_group() as roots:
                for root, sessions in by_root.items():
                    roots.start_soon(self._work_in, root, sessions)
            await self._settle()

    async def make(self, who: Who) -> Change | None:
        """Checkpoints of the session's turns that are in none; the last change, None without.

        The desk's lock is held. Raise as ``Desk.change``, and ``Unavailable`` with the store.
        """
        if not await self._resume():
            raise Unavailable(STORE, "does not say which turns are in a checkpoint")
        desk, change = self._desks.of(who.root), None
        while kept := await self._turns(who):
            change = await desk.change(
                partial(self._judge, desk, who.key, kept),
                origin=Origin.MACHINE,
                at=self._world.now(),
                session_key=who.key,
            )
            self._done[who] = kept[-1].seq
            now = self._world.now()
            news = await news_of(change, who.root, session_key=who.key, now=now)
            if news is not None:
                self._world.tell(news)
        self._behind.pop(who, None)
        self._fresh.discard(who)
        return change

    async def _turns(self, who: Who) -> Sequence[KeptTurn]:
        work = partial(self._world.turns.turns, who.key, who.root, limit=CHUNK_TURNS)
        return await insist(
            "turns",
            partial(work, after_seq=self._after(who)),
            limit_ms=STORE_MS,
            counters=self._world.counters,
            part=STORE,
        )

    async def _resume(self) -> bool:
        """Know where the log was left, once; False while the store cannot say."""
        if not self._resumed:
            asked = await attempt(
                "resume",
                self._world.turns.progress,
                otherwise=None,
                limit_ms=STORE_MS,
                counters=self._world.counters,
            )
            if asked is not None and not self._resumed:
                self._mark, self._old = asked
                self._scanned = self._mark
                self._resumed = True
        return self._resumed

    async def _due(self) -> Sequence[Who]:
        """Sessions with turns that are no checkpoint yet and may be tried now."""
        none: Sequence[TurnPlace] = ()
        places = partial(self._world.turns.places, limit=SCAN_ROWS)
        while rows := await attempt(
            "scan",
            partial(places, after_seq=self._scanned),
            otherwise=none,
            limit_ms=STORE_MS,
            counters=self._world.counters,
        ):
            for row in rows:
                self._scanned = row.seq
                if row.workspace is None:
                    continue
                who = Who(row.workspace, row.session_key)
                if not self._wanted(row.workspace):
                    self._fresh.discard(who)
                    continue
                if row.seq > self._after(who):
                    self._behind.setdefault(who, _Behind(first=row.seq))
        now = anyio.current_time()
        return [who for who, behind in self._behind.items() if behind.next_at <= now]

    def _wanted(self, root: str) -> bool:
        policy = self._world.policy()
        return policy.enabled and policy.safety_write and root in self._world.roots()

    async def _work_in(self, root: str, sessions: list[Who]) -> None:
        """One workspace; its disk costs the others nothing."""
        for who in sessions:
            if not self._wanted(root):
                self._behind.pop(who, None)
                self._fresh.discard(who)
            elif not await self._attempted("safety", root, partial(self.make, who)):
                self._tried(who)
        if root in self._surfacing.due():
            await self._attempted(
                "lines", root, partial(self._surfacing.tidy, self._desks.of(root))
            )

    async def _attempted(self, name: str, root: str, work: Callable[[], Awaitable[object]]) -> bool:
        async def locked() -> bool:
            async with self._desks.of(root).lock:
                await work()
            return True

        return await attempt(
            name, locked, otherwise=False, limit_ms=MAKE_MS, counters=self._world.counters
        )

    def _tried(self, who: Who) -> None:
        behind = self._behind.get(who)
        if behind is not None:
            pause_s = min(FIRST_RETRY_S * 2 ** min(behind.tries, 10), LONGEST_RETRY_S)
            behind.next_at = anyio.current_time() + pause_s
            behind.tries += 1
            if behind.tries >= MAX_TRIES:
                self._world.counters.add("continuity.given_up")
                del self._behind[who]

    async def _settle(self) -> None:
        """Remember how far the turns are settled, so that a restart begins there."""
        mark = min((behind.first - 1 for behind in self._behind.values()), default=self._scanned)
        if mark <= self._mark:
            return
        self._mark = mark
        self._done = {who: seq for who, seq in self._done.items() if seq > mark}
        await attempt(
            "mark",
            partial(self._world.turns.set_done, mark),
            otherwise=None,
            limit_ms=STORE_MS,
            counters=self._world.counters,
        )

    def _after(self, who: Who) -> int:
        return max(self._mark, self._done.get(who, 0))

    async def _judge(
        self, desk: Desk, session_key: str, kept: Sequence[KeptTurn], seen: Seen
    ) -> Ruling:
        seen.require_certain()
        sheet = seen.sheet
        old = Old(
            parsed=seen.parsed,
            base=desk.base_for(session_key, seen),
            origin=seen.origin,
            modified_at=None if sheet is None else sheet.modified_at,
        )
        work = partial(
            ruling_of,
            old,
            Heard(kept=kept, is_no_user=self._world.is_no_user),
            ignore=self._world.policy().ignore_patterns,
            lines=self._surfacing.lines(desk, seen),
            again=kept[0].seq <= self._old,
        )
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)
