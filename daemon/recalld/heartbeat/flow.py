"""The heartbeat: look, decide, find what is related, ask once at most, keep, tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

import anyio
import anyio.to_thread
import structlog

from recalld.budget import Run
from recalld.errors import NotFound
from recalld.heartbeat import book as books
from recalld.heartbeat.acts import SCHEDULED, prepared, replied, silent_until
from recalld.heartbeat.book import KeptAct
from recalld.heartbeat.cooldown import PACES
from recalld.heartbeat.cron import has_schedule
from recalld.heartbeat.enrich import EACH, Asked
from recalld.heartbeat.interval import interval_s
from recalld.heartbeat.look import Seen, look, ticked_of
from recalld.heartbeat.lookups import once
from recalld.heartbeat.model import (
    ENRICHED,
    ActState,
    Autonomy,
    Enrichment,
    Message,
    Nearest,
    Reason,
    Related,
    Snapshot,
    TickAsked,
    Ticked,
    Tier,
)
from recalld.heartbeat.pipeline import (
    Past,
    analysed,
    asker,
    enriched,
    frequencies,
    related_to,
    workspaces,
)
from recalld.heartbeat.ports import Made, Told, World
from recalld.heartbeat.related import Frequencies
from recalld.heartbeat.telling import Telling
from recalld.heartbeat.writer import Keeper, Ledger
from recalld.memories.model import Memory
from recalld.store.model import KeptTick

TICK_MS = 25_000
MAX_OWNERS = 256
# Owners of whom the last look is kept.
MOST_LOOKED = 8
TICKS_TOLD = 100
# Acts of before the start whose words are still known for a heartbeat's own.
OWN_WORDS = 100

_log = structlog.get_logger("recalld.heartbeat")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """What a tick will keep: the ledger as it changes, and the acts that were answered."""

    ledger: Ledger
    replied: Sequence[KeptAct]

    def with_book(self, book: books.Book) -> "_Draft":
        return replace(self, ledger=replace(self.ledger, book=book))


class HeartbeatService:
    """Ticks of every owner, one at a time each."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._keeper = Keeper(world.store, world.counters, world.is_own)
        self._locks: dict[str, anyio.Lock] = {}
        self._words: dict[str, tuple[object, Frequencies]] = {}
        self._near: dict[str, tuple[object, Nearest]] = {}
        self._looked: dict[str, Snapshot] = {}

    async def tick(self, asked: TickAsked) -> Ticked:
        """Look once and decide; of an act, prepare what is to be said.

        What is told has reached nobody yet: ``delivered`` says that it has, or has not.
        ``Unavailable`` with the store.
        """
        async with self._lock(asked.owner):
            return await self._tick(asked)

    async def at_start(self, client: str | None) -> Ticked | None:
        """A tick for a host that shows its signals when a session starts; None for any other.

        Without a model: the session waits for it.
        """
        if client is None or client not in self._world.policy().session_start_hosts:
            return None
        return await self.tick(TickAsked())

    async def _tick(self, asked: TickAsked) -> Ticked:
        world, policy = self._world, self._world.policy()
        now = min(asked.at or world.now(), world.now()).astimezone(UTC)
        ledger = await self._keeper.open(asked.owner, now)
        messages = await self._keeper.messages(now)
        ledger, replied = _with_answers(ledger, messages)
        memories, nearest = await world.memories.snapshot(asked.owner)
        read = await workspaces(world, ledger.book.seen, now)
        make = partial(
            Snapshot,
            owner=ledger.owner,
            now=now,
            zone=world.zone(),
            memories=memories,
            acts=tuple(one.act for one in ledger.acts),
            suppressed=ledger.book.suppressed,
            messages=messages,
            surfaced=ledger.book.surfaced,
            snoozed=ledger.book.snoozed,
            topic_surfacings=ledger.book.topics,
            last_state=ledger.book.last_state,
            store_size=await world.memories.count(),
            workspaces=tuple(read),
            nearest=self._searches(asked.owner, memories, nearest),
            common=world.memories.common,
            like=self._looked.get(asked.owner),
        )
        autonomy = asked.autonomy or Autonomy(policy.autonomy)
        seen = await anyio.to_thread.run_sync(
            partial(look, make, asked, policy, autonomy), abandon_on_cancel=True
        )
        if len(self._looked) >= MOST_LOOKED:
            self._looked.clear()
        self._looked[asked.owner] = seen.snapshot
        draft = _Draft(ledger=ledger, replied=replied)
        ticked, draft = await self._told(asked, seen, draft)
        await self._keep(asked, seen.snapshot, ticked, draft)
        return ticked

    async def _told(self, asked: TickAsked, seen: Seen, draft: "_Draft") -> tuple[Ticked, "_Draft"]:
        """What the tick comes to, and what of it is to be kept."""
        world, policy, decision = self._world, self._world.policy(), seen.decision
        now, book = seen.snapshot.now, draft.ledger.book
        may_ask = asked.analyze and decision.reason in ENRICHED
        asking = asker(world, asked.agent) if may_ask else None
        pace = PACES[seen.autonomy]
        if asking is not None and books.is_declined(book, decision, pace=pace, now=now):
            decision = replace(decision, act=False, reason=Reason.SUPPRESS_LLM)
        trace_id = world.new_id()
        if not decision.act:
            return Ticked(decision=decision, trace_id=trace_id), draft
        run = Run(TICK_MS)
        telling = Telling(
            snapshot=seen.snapshot,
            decision=decision,
            autonomy=seen.autonomy,
            enrichment=await self._enrichment(seen, run, is_asking=asking is not None),
            link=policy.link,
        )
        calls = books.calls_today(book, now, seen.snapshot.zone)
        if asking is None or calls >= policy.max_llm_calls_per_day:
            return ticked_of(telling, world.new_id(), trace_id), draft
        draft = await self._before_the_call(draft, now)
        said = self._keeper.conversation
        reading = await analysed(world, asking, telling, conversation=said, run=run)
        telling = replace(telling, analysis=reading.analysis)
        ticked = ticked_of(telling, world.new_id(), trace_id)
        if not ticked.decision.act:
            draft = draft.with_book(books.after_refusal(draft.ledger.book, decision, now))
        return replace(ticked, llm_calls=1), draft

    async def _enrichment(self, seen: Seen, run: Run, *, is_asking: bool) -> Enrichment:
        """Nothing of acts that are about no signals, and of those whose past nobody would tell."""
        snapshot, decision = seen.snapshot, seen.decision
        if decision.reason not in ENRICHED or not (
            is_asking or self._world.policy().link == "local"
        ):
            return Enrichment()
        words = await self._frequencies(snapshot.owner, snapshot.memories)
        past = Past(owner=snapshot.owner, words=words, now=snapshot.now)
        return await enriched(self._world, decision.signals, past, run=run)

    async def _before_the_call(self, draft: "_Draft", now: datetime) -> "_Draft":
        """Kept first: while nothing can be kept, no model is paid tick after tick."""
        draft = draft.with_book(books.after_call(draft.ledger.book, now))
        await self._keeper.keep(draft.ledger.owner, draft.ledger.book, draft.replied)
        return draft

    async def _keep(
        self, asked: TickAsked, snapshot: Snapshot, ticked: Ticked, draft: "_Draft"
    ) -> None:
        """All that the tick changes, in one write."""
        decision = ticked.decision
        kept: list[KeptAct] = []
        if ticked.act_id is not None:
            act = replace(prepared(decision, snapshot, ticked.act_id), message=ticked.message)
            made = await anyio.to_thread.run_sync(books.aftermath_of, decision, snapshot)
            kept.append(KeptAct(act=act, aftermath=made))
        after = draft.ledger.book
        if decision.reason is not Reason.SIGNALS_ONLY:
            after = books.after_tick(after, decision, snapshot)
        tick = KeptTick(
            at=snapshot.now,
            reason=decision.reason.value,
            signals=len(decision.signals),
            llm_calls=ticked.llm_calls,
        )
        await self._keeper.keep(asked.owner, after, [*draft.replied, *kept], tick)
        self._world.counters.add("heartbeat.ticks")
        self._world.counters.add(f"heartbeat.{decision.reason.value}")
        for one in kept:
            self._world.publish(Told(owner=asked.owner, act=one.act, ticked=ticked))
        self._world.announce(Made(owner=asked.owner, at=snapshot.now, ticked=ticked))

    async def delivered(self, act_id: str, *, ok: bool, error: str | None = None) -> ActState:
        """Whether the act's message reached the user. A second word on a delivered one changes
        nothing. Raise ``NotFound``."""
        owner, _ = await self._found(act_id)
        async with self._lock(owner):
            owner, kept = await self._found(act_id)
            if kept.act.state is ActState.DELIVERED:
                return kept.act.state
            now = self._world.now()
            if ok:
                # First: what was said once and is not noted as said is said twice.
                await self._world.memories.touch(kept.act.memory_ids)
            state = ActState.DELIVERED if ok else ActState.FAILED
            act = replace(kept.act, state=state, attempts=kept.act.attempts + 1)
            ledger = await self._keeper.open(owner, now)
            done = replace(kept, act=act)
            after = books.after_delivery(ledger.book, done, now) if ok else ledger.book
            await self._keeper.keep(owner, after, [done])
        self._world.counters.add(f"heartbeat.{state.value}")
        if error:
            _log.warning("heartbeat.not_delivered", act=act_id, reason=error)
        return state

    async def acknowledge(
        self, *, act_id: str | None, memory_id: str | None, snooze_s: float | None
    ) -> None:
        """Keep what the act is about, or the memory, silent: for ``snooze_s``, else a day.

        A schedule is done with instead where no time is given: its next time is told, be that
        within the day. Raise ``NotFound``.
        """
        now = self._world.now()
        until = silent_until(now, snooze_s)
        if act_id is None:
            memory = await self._world.memories.get(memory_id or "")
            async with self._lock(memory.owner):
                if snooze_s is None and has_schedule(memory):
                    await self._world.memories.touch([memory.id])
                    return
                ledger = await self._keeper.open(memory.owner, now)
                due = [f"{SCHEDULED}{memory.id}"] if has_schedule(memory) else []
                after = books.silenced_until(ledger.book, [memory.id, *due], until)
                await self._keeper.keep(memory.owner, after)
            return
        owner, _ = await self._found(act_id)
        async with self._lock(owner):
            owner, kept = await self._found(act_id)
            ledger = await self._keeper.open(owner, now)
            book, act = ledger.book, kept.act
            if act.state is not ActState.DELIVERED:
                # Who acknowledges it has seen it, whatever became of the word that it arrived.
                await self._world.memories.touch(act.memory_ids)
                book = books.after_delivery(book, kept, now)
            done = replace(act, state=ActState.DELIVERED, acknowledged_at=now)
            book = books.after_answers(book, [kept])
            keys = books.keys_of(act, schedules=snooze_s is not None)
            book = books.silenced_until(book, keys, until)
            await self._keeper.keep(owner, book, [replace(kept, act=done)])

    async def relate(
        self, memory: Memory, *, limit: int = EACH, at: datetime | None = None
    ) -> tuple[Related, ...]:
        """The past memories that belong to one, by the rules of enrichment; no decision, no act.

        The memory need not be kept: its text is what counts.
        """
        memories, _ = await self._world.memories.snapshot(memory.owner)
        past = Past(
            owner=memory.owner,
            words=await self._frequencies(memory.owner, memories),
            now=at or self._world.now(),
            limit=limit,
        )
        asked = Asked(
            memory=memory,
            signal_id=f"relate:{memory.id}",
            tier=Tier.NORMAL,
            excluded=frozenset({memory.id}),
        )
        return await related_to(self._world, asked, past)

    async def next_in_s(self, ticked: Ticked, *, owner: str = "default", base_s: float) -> float:
        """Seconds until it is worth looking again."""
        now = self._world.now()
        ledger = await self._keeper.open(owner, now)
        acts = tuple(kept.act for kept in ledger.acts)
        zone = self._world.zone()
        snapshot = Snapshot(owner=owner, now=now, zone=zone, memories={}, acts=acts)
        return interval_s(snapshot, ticked.decision, base_s=base_s)

    async def ticks(self, owner: str, *, limit: int = TICKS_TOLD) -> Sequence[KeptTick]:
        """The last ticks, newest first."""
        return await self._world.store.ticks(owner, limit=limit)

    async def remember(self) -> None:
        """Tell what was last said before the start to whoever must know a heartbeat's words."""
        for owner, act in await self._keeper.said(limit=OWN_WORDS):
            self._world.note_own(owner, act.message)

    async def _found(self, act_id: str) -> tuple[str, KeptAct]:
        found = await self._keeper.find(act_id)
        if found is None:
            raise NotFound(f"act {act_id[:64]}")
        return found

    def _searches(self, owner: str, memories: Mapping[str, Memory], nearest: Nearest) -> Nearest:
        """Searches of ticks before are answered as then while the memories are the same."""
        known = self._near.get(owner)
        if known is None or known[0] is not memories:
            if len(self._near) >= MOST_LOOKED:
                self._near.clear()
            known = self._near[owner] = (memories, once(nearest))
        return known[1]

    async def _frequencies(self, owner: str, memories: Mapping[str, Memory]) -> Frequencies:
        """Counted anew when memories came or went."""
        newest = await anyio.to_thread.run_sync(partial(max, memories, default=""))
        key = (len(memories), newest)
        known = self._words.get(owner)
        if known is not None and known[0] == key:
            return known[1]
        counted = await frequencies(memories)
        if len(self._words) >= MAX_OWNERS:
            self._words.clear()
        self._words[owner] = (key, counted)
        return counted

    def _lock(self, owner: str) -> anyio.Lock:
        """One tick of an owner at a time, whoever asks."""
        if len(self._locks) >= MAX_OWNERS:
            free = [name for name, lock in self._locks.items() if not lock.locked()]
            for name in free:
                del self._locks[name]
        return self._locks.setdefault(owner, anyio.Lock())


def _with_answers(
    ledger: Ledger, messages: Sequence[Message]
) -> tuple[Ledger, tuple[KeptAct, ...]]:
    """With what the user's messages answer, and the acts that are answered now."""
    acts = replied([kept.act for kept in ledger.acts], [said.at for said in messages])
    every = tuple(
        kept if act is kept.act else replace(kept, act=act)
        for kept, act in zip(ledger.acts, acts, strict=True)
    )
    new = tuple(now for now, kept in zip(every, ledger.acts, strict=True) if now is not kept)
    return replace(ledger, acts=every, book=books.after_answers(ledger.book, new)), new
