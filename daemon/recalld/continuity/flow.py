"""Continuity as the daemon's methods ask for it: what to tell an agent, what to keep for it.

``root`` None is a session whose workspace nobody configured: it is told nothing and nothing is
kept of it. The same holds while ``continuity.enabled`` is false.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread
import structlog

from recalld.continuity import questions
from recalld.continuity.bounded import STORE, attempt, insist
from recalld.continuity.disk import Sheet
from recalld.continuity.model import ChildResult, Recovered
from recalld.continuity.pipeline import THREADS, Request, Sources, told
from recalld.continuity.schedule import Safety
from recalld.continuity.shape import Fields, Told
from recalld.continuity.snapshot import results_room
from recalld.continuity.surfacing.flow import Surfacing
from recalld.continuity.surfacing.owed import Claim, Who
from recalld.continuity.surfacing.reported import reported
from recalld.continuity.surfacing.results import cleaned
from recalld.continuity.world import Desks, World
from recalld.continuity.writer import Desk, Seen, shown
from recalld.errors import Unavailable

T = TypeVar("T")

# The source of a start that comes after a compaction.
COMPACTED = "compact"
# Of a sub-agent.
WENT_WELL = "ok"
NOTHING = Recovered(recovery=None, checkpoint=None)
# Nobody asks where he was in so many words, whatever a host puts around them; cleaning more of
# them would hold the loop.
MAX_QUESTION_CHARS = 16_384
# What telling an agent may take where no prompt's budget is shorter.
TELL_MS = 600
# Of that, asking the store who wrote the file.
ORIGIN_MS = 150
# Last words of which it is remembered what they told, should they not arrive.
CLAIMS = 512
# Of that, making a checkpoint of turns that were just kept.
CATCH_UP_MS = 200
# What keeping something may take; the host may ask again.
KEEP_MS = 4_000

_log = structlog.get_logger("recalld.continuity")


class ContinuityService:
    """What session events ask. ``safety`` runs behind the answers; ``desks`` are shared with it."""

    def __init__(self, world: World) -> None:
        self.desks = Desks(world)
        self.surfacing = Surfacing(world)
        self.safety = Safety(world, self.desks, self.surfacing)
        self._world = world
        self._owed = self.surfacing.owed
        self._claims: OrderedDict[Who, Claim] = OrderedDict()
        self._sources = Sources(
            turns=world.turns,
            is_no_user=world.is_no_user,
            counters=world.counters,
            threads=anyio.CapacityLimiter(THREADS),
        )
        self._threads = anyio.CapacityLimiter(THREADS)

    def wants(self, root: str | None, key: str, text: str) -> bool:
        """Whether this prompt may have to be told something; memory and rules alone say so."""
        who = self._who(root, key, text)
        if who is None:
            return False
        self._owed.goes_on(who)
        return self._owed.owes(who) or _rule_of(text) is not None

    async def prompted(self, root: str | None, key: str, text: str) -> str | None:
        """The recovery for this prompt; None where it needs none. Raise what the file raises.

        Cancelled or failed, what is owed stays owed.
        """
        who = self._who(root, key)
        if who is None:
            return None
        rule = _rule_of(text)
        if rule is None and not self._owed.owes(who):
            return None
        recovery, _ = await self._told(who, asked=rule is not None, why=rule or "owed")
        return recovery

    async def started(self, root: str | None, key: str, *, source: str) -> Recovered:
        """What a session that begins is told. Never raises but for cancellation."""
        who = self._who(root, key)
        if who is None:
            return NOTHING
        self._owed.goes_on(who)
        telling = partial(self._told, who, asked=False, why="start")
        told = await self._attempt("start", telling, otherwise=None)
        if source == COMPACTED and told is None:
            self._owed.snapshot(who)
        elif source == COMPACTED:
            self._owed.compaction_told(who)
        if told is None:
            return NOTHING
        # What was told counts as told: nothing that takes time may lose it any more.
        recovery, sheet = told
        fields = None
        if sheet is not None and (recovery is not None or sheet.parsed.checkpoint.active):
            fields = await self._attempt("fields", partial(self._of, who, sheet), otherwise=None)
        return Recovered(recovery=recovery, checkpoint=fields)

    def undelivered(self, root: str | None, key: str) -> None:
        """What the session was told last did not reach it; it is owed that again."""
        who = self._who(root, key)
        if who is None or who not in self._claims:
            return
        self._world.counters.add("continuity.undelivered")
        self.surfacing.untold(self._claims.pop(who))
        if self._owed.was_told(who):
            self._owed.goes_on(who)
            self._owed.snapshot(who)

    def turned(self, root: str | None, key: str) -> None:
        """A turn was kept."""
        if root is not None:
            self._owed.goes_on(Who(root, key))
        # What is said while continuity is off stays unsaid.
        self.safety.note(self._who(root, key))

    async def reported(self, root: str | None, key: str, said: str, *, at: datetime) -> None:
        """The session's agent said this in a turn that went well: results of sub-agents that it
        reports count as told. Never raises but for cancellation."""
        who = self._who(root, key)
        if who is None:
            return
        waiting = [child for child in self._owed.own(who) if child.at <= at]
        if not waiting:
            return
        none: tuple[ChildResult, ...] = ()
        comparing = partial(self._in_thread, partial(reported, waiting, said))
        told = await self._attempt("reported", comparing, otherwise=none)
        if told:
            self.surfacing.reported(who, told)

    async def before_compaction(self, root: str | None, key: str) -> Fields | None:
        """The checkpoint, on the disk when this returns. ``Unavailable``, ``Refused``."""
        who = self._who(root, key)
        if who is None:
            return None
        self._owed.goes_on(who)
        return await self._insist("compact", who, partial(self._kept, who))

    async def after_compaction(self, root: str | None, key: str) -> Fields | None:
        """The checkpoint; the next prompt is told it, unless the session began anew since."""
        who = self._who(root, key)
        if who is None:
            return None
        if not self._owed.was_told(who):
            await self._store_insist("owe", partial(self.surfacing.owe, who))
        reading = partial(self._fields, self.desks.of(who.root))
        return await self._attempt("read", reading, otherwise=None)

    async def reset(self, root: str | None, key: str) -> str | None:
        """The path of the archived copy, on the disk when this returns; the file stays."""
        who = self._who(root, key)
        if who is None:
            return None
        self._forget_snapshot(who)
        return await self._insist("reset", who, partial(self._archived, who))

    async def ended(self, root: str | None, key: str) -> str | None:
        """As ``reset``; results that wait for the session may be told to another."""
        who = self._who(root, key)
        if who is None:
            return None
        self._forget_snapshot(who)
        self._owed.ended(who)
        await self._warn_of_silence(who)
        return await self._insist("end", who, partial(self._archived, who))

    async def child_ended(self, root: str | None, parent: str, child: ChildResult) -> int:
        """How many results wait for the parent. Durable when it returns; ``Unavailable``.

        A sub-agent that went well and left no words leaves nothing to tell.
        """
        who = self._who(root, parent)
        if who is None:
            return 0
        words = await self._in_thread(partial(cleaned, child.result))
        if child.outcome == WENT_WELL and not words:
            return self._owed.count(who)
        left = replace(child, result=words)
        return await self._store_insist("child", partial(self.surfacing.keep_child, who, left))

    def _who(self, root: str | None, key: str, text: str = "") -> Who | None:
        """None for whom nothing is kept."""
        if root is None or not self._world.policy().enabled or self._world.is_no_user(key, text):
            return None
        return Who(root, key)

    async def _of(self, who: Who, sheet: Sheet) -> Fields | None:
        seen = await self.desks.of(who.root).seen(sheet, limit_ms=ORIGIN_MS)
        return await shown(seen, now=self._world.now())

    async def _told(self, who: Who, *, asked: bool, why: str) -> tuple[str | None, Sheet | None]:
        """The text for the agent and the file it is of. What is owed is claimed before anything
        is waited for, and given back where nothing comes of it."""
        now, policy = self._world.now(), self._world.policy()
        tokens = policy.snapshot_tokens
        claim = self._owed.claim(who, now=now, room_tokens=results_room(tokens))
        request = Request(
            claim=claim,
            known=self._owed.labels(who.root),
            asked=asked,
            now=now,
            tokens=tokens,
            ignore=policy.ignore_patterns,
        )
        done = False
        try:
            asking = replace(request, late=not await self._caught_up(who))
            recovery, sheet = await told(self.desks.of(who.root), asking, self._sources)
            done = True
        finally:
            if not done:
                self._owed.give_back(claim)
        self.surfacing.told(claim)
        self._claims[who] = claim
        if len(self._claims) > CLAIMS:
            self._claims.popitem(last=False)
        if recovery is not None:
            self._world.counters.add("continuity.recovered")
            self._world.tell(
                Told(at=now, root=who.root, session_key=who.key, what="recovered", detail=why)
            )
        return recovery, sheet

    async def _caught_up(self, who: Who) -> bool:
        """Whether what the session said a moment ago is in the file: it is put there where that
        takes no time."""
        if not self._world.policy().safety_write or not self.safety.is_fresh(who):
            return True

        async def made() -> bool:
            async with self.desks.of(who.root).lock:
                await self.safety.make(who)
            return True

        counters = self._world.counters
        limit_ms = CATCH_UP_MS
        return await attempt(
            "catch_up", made, otherwise=False, limit_ms=limit_ms, counters=counters
        )

    async def _kept(self, who: Who) -> Fields:
        seen = await self._saved(who)
        return await shown(seen, now=self._world.now())

    async def _archived(self, who: Who) -> str | None:
        await self._saved(who)
        desk, now, policy = self.desks.of(who.root), self._world.now(), self._world.policy()
        path = await desk.bench.archive(now)
        if path is None:
            return None
        self._world.counters.add("continuity.archived")
        prune = partial(
            desk.bench.prune, now, keep=policy.archive_count, after_days=policy.cold_after_days
        )
        await self._attempt("prune", prune, otherwise=None)
        self._world.tell(
            Told(at=now, root=who.root, session_key=who.key, what="archived", detail=path)
        )
        return path

    async def _saved(self, who: Who) -> Seen:
        """What was said is in the checkpoint, as far as the guard lets it; the file is there.

        Where the store cannot say what was said, or who wrote the file, it stays as it is.
        """
        desk = self.desks.of(who.root)
        try:
            if self._world.policy().safety_write:
                await self.safety.make(who)
            return await self.surfacing.tidy(desk, make=True)
        except Unavailable as fault:
            if fault.part != STORE:
                raise
            self._world.counters.add("continuity.without_store")
        seen = await desk.look(limit_ms=ORIGIN_MS)
        return seen if seen.sheet is not None else await self.surfacing.tidy(desk, make=True)

    async def _fields(self, desk: Desk) -> Fields:
        return await shown(await desk.look(), now=self._world.now())

    async def _warn_of_silence(self, who: Who) -> None:
        """A session ends of which nothing was heard: its checkpoint is what it was before."""
        turns = partial(self._world.turns.turns, who.key, who.root, after_seq=0, limit=1)
        heard = await self._attempt("heard", turns, otherwise=None)
        if heard is not None and not heard:
            self._world.counters.add("continuity.ended_unheard")
            _log.warning("continuity.ended_unheard", session=who.key, workspace=who.root)

    def _forget_snapshot(self, who: Who) -> None:
        """The context that was compacted is gone."""
        self._owed.goes_on(who)
        if self._owed.no_snapshot(who):
            self.surfacing.told(Claim(who=who, snapshot=True))

    async def _attempt(self, name: str, work: Callable[[], Awaitable[T]], *, otherwise: T) -> T:
        return await attempt(
            name, work, otherwise=otherwise, limit_ms=TELL_MS, counters=self._world.counters
        )

    async def _insist(self, name: str, who: Who, work: Callable[[], Awaitable[T]]) -> T:
        async def locked() -> T:
            async with self.desks.of(who.root).lock:
                return await work()

        return await insist(name, locked, limit_ms=KEEP_MS, counters=self._world.counters)

    async def _store_insist(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        return await insist(name, work, limit_ms=KEEP_MS, counters=self._world.counters, part=STORE)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)


def _rule_of(text: str) -> str | None:
    return questions.asks_to_resume(text) if len(text) <= MAX_QUESTION_CHARS else None
