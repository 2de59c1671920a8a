"""The heartbeat: look, decide, find what is related, ask once at most, keep, tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import PurePath

import anyio
import anyio.to_thread

from recalld.budget import Run, Stage
from recalld.errors import NotFound
from recalld.heartbeat import book as books
from recalld.heartbeat.acts import answered, prepared, silent_until
from recalld.heartbeat.book import KeptAct
from recalld.heartbeat.brief import block
from recalld.heartbeat.checks import CHECKS
from recalld.heartbeat.decide import decide
from recalld.heartbeat.enrich import EACH, Asked
from recalld.heartbeat.interval import interval_s
from recalld.heartbeat.lookups import once
from recalld.heartbeat.message import message
from recalld.heartbeat.model import (
    ENRICHED,
    Act,
    ActState,
    Autonomy,
    Decision,
    Enrichment,
    Message,
    Nearest,
    Reason,
    Related,
    Signal,
    Snapshot,
    Standing,
    TickAsked,
    Ticked,
    Tier,
    Workspace,
)
from recalld.heartbeat.pipeline import Past, analysed, enriched, frequencies, related_to
from recalld.heartbeat.policy import HeartbeatPolicy
from recalld.heartbeat.ports import Told, World
from recalld.heartbeat.related import Frequencies
from recalld.heartbeat.telling import Telling
from recalld.heartbeat.writer import Keeper, Ledger
from recalld.memories.model import Memory
from recalld.store.model import KeptTick

TICK_MS = 25_000
WORKSPACE_MS = 3_000
MAX_OWNERS = 256
TICKS_TOLD = 100
# What was said longer before the last message, earlier ticks have looked at.
ANSWERS_FOR = timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """A tick's snapshot, what its checks found, and the decision."""

    snapshot: Snapshot
    decision: Decision


class HeartbeatService:
    """Ticks of every owner, one at a time each."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._keeper = Keeper(world.store, world.counters)
        self._locks: dict[str, anyio.Lock] = {}
        self._words: dict[str, tuple[object, Frequencies]] = {}

    async def tick(self, asked: TickAsked) -> Ticked:
        """Look once and decide; of an act, prepare what is to be said.

        What is told has reached nobody yet: ``delivered`` says that it has, or has not.
        ``Unavailable`` with the store.
        """
        async with self._lock(asked.owner):
            return await self._tick(asked)

    async def _tick(self, asked: TickAsked) -> Ticked:
        world, policy = self._world, self._world.policy()
        now = min(asked.at or world.now(), world.now())
        run = Run(TICK_MS)
        ledger = await self._keeper.open(asked.owner, now)
        messages = await self._keeper.messages(now)
        ledger, replied = _with_answers(ledger, messages)
        memories, nearest = await world.memories.snapshot(asked.owner)
        snapshot = await self._snapshot(ledger, messages, memories, nearest, now=now, run=run)
        autonomy = asked.autonomy or Autonomy(policy.autonomy)
        seen = await anyio.to_thread.run_sync(
            partial(_looked, snapshot, asked, policy, autonomy), abandon_on_cancel=True
        )
        ticked = await self._told(asked, seen, ledger, policy=policy, run=run)
        await self._keep(asked, ticked, seen.snapshot, ledger, replied)
        return ticked

    async def _snapshot(  # noqa: PLR0913 - what was read, piece by piece
        self,
        ledger: Ledger,
        messages: tuple[Message, ...],
        memories: Mapping[str, Memory],
        nearest: Nearest,
        *,
        now: datetime,
        run: Run,
    ) -> Snapshot:
        world, kept = self._world, ledger.book
        workspaces = await run.fan_out(
            [self._workspace_stage(root, ledger, now) for root in world.roots()]
        )
        make = partial(
            Snapshot,
            owner=ledger.owner,
            now=now,
            zone=world.zone(),
            memories=memories,
            acts=tuple(one.act for one in ledger.acts),
            suppressed=kept.suppressed,
            messages=messages,
            surfaced=kept.surfaced,
            snoozed=kept.snoozed,
            topic_surfacings=kept.topics,
            last_state=kept.last_state,
            store_size=await world.memories.count(),
            workspaces=tuple(one for one in workspaces if one is not None),
            nearest=once(nearest),
            common=world.memories.common,
        )
        return await anyio.to_thread.run_sync(make, abandon_on_cancel=True)

    def _workspace_stage(self, root: str, ledger: Ledger, now: datetime) -> Stage[Workspace | None]:
        async def work() -> Workspace | None:
            world = self._world
            if world.read_workspace is None:
                return None
            standing: Standing | None = None
            if world.standing is not None:
                standing = await world.standing(root)
            return await world.read_workspace(
                PurePath(root), now=now, seen=ledger.book.seen.get(root), standing=standing
            )

        return Stage(name=f"workspace {root}", work=work, otherwise=None, limit_ms=WORKSPACE_MS)

    async def _told(
        self,
        asked: TickAsked,
        seen: _Seen,
        ledger: Ledger,
        *,
        policy: HeartbeatPolicy,
        run: Run,
    ) -> Ticked:
        world, decision = self._world, seen.decision
        trace_id = world.new_id()
        if not decision.act:
            return Ticked(decision=decision, trace_id=trace_id)
        wanted = asked.analyze and world.provider() is not None and world.chat is not None
        enrichment = Enrichment()
        if decision.reason in ENRICHED and (wanted or policy.link == "local"):
            past = Past(
                owner=asked.owner,
                words=await self._frequencies(asked.owner, seen.snapshot.memories),
                now=seen.snapshot.now,
            )
            enrichment = await enriched(world, decision.signals, past, run=run)
        telling = Telling(
            snapshot=seen.snapshot,
            decision=decision,
            autonomy=asked.autonomy or Autonomy(policy.autonomy),
            enrichment=enrichment,
            link=policy.link,
        )
        calls = 0
        allowed = books.calls_since(ledger.book, _midnight(seen.snapshot))
        if wanted and decision.reason in ENRICHED and allowed < policy.max_llm_calls_per_day:
            said = self._keeper.conversation
            reading = await analysed(world, telling, agent=asked.agent, conversation=said, run=run)
            calls = 0 if reading is None else 1
            if reading is not None and reading.analysis is not None:
                telling = replace(telling, analysis=reading.analysis)
        if not telling.speaks:
            decision = replace(decision, act=False, reason=Reason.SUPPRESS_LLM)
        return Ticked(
            decision=decision,
            message=message(telling) if decision.act else "",
            block=block(telling) if decision.act else "",
            enrichment=replace(enrichment, related=telling.related),
            analysis=telling.analysis,
            act_id=world.new_id() if decision.act else None,
            llm_calls=calls,
            trace_id=trace_id,
        )

    async def _keep(
        self,
        asked: TickAsked,
        ticked: Ticked,
        snapshot: Snapshot,
        ledger: Ledger,
        replied: Sequence[KeptAct],
    ) -> None:
        """All that the tick changes, in one write."""
        decision = ticked.decision
        count = self._world.counters.add
        count("heartbeat.ticks")
        count(f"heartbeat.{decision.reason.value}")
        kept: list[KeptAct] = []
        if ticked.act_id is not None:
            act = replace(prepared(decision, snapshot, ticked.act_id), message=ticked.message)
            made = await anyio.to_thread.run_sync(books.aftermath_of, decision, snapshot)
            kept.append(KeptAct(act=act, aftermath=made))
        after = ledger.book
        if decision.reason is not Reason.SIGNALS_ONLY:
            after = books.after_tick(after, decision, snapshot, calls=ticked.llm_calls)
        tick = KeptTick(
            at=snapshot.now,
            reason=decision.reason.value,
            signals=len(decision.signals),
            llm_calls=ticked.llm_calls,
        )
        await self._keeper.keep(asked.owner, after, [*replied, *kept], tick)
        for one in kept:
            self._world.publish(Told(owner=asked.owner, act=one.act, ticked=ticked))

    async def delivered(self, act_id: str, *, ok: bool, error: str | None = None) -> ActState:
        """Whether the act's message reached the user. A second word on a delivered one changes
        nothing. Raise ``NotFound``."""
        owner, _ = await self._found(act_id)
        async with self._lock(owner):
            owner, kept = await self._found(act_id)
            if kept.act.state is ActState.DELIVERED:
                return kept.act.state
            now = self._world.now()
            state = ActState.DELIVERED if ok else ActState.FAILED
            act = replace(kept.act, state=state, attempts=kept.act.attempts + 1)
            ledger = await self._keeper.open(owner, now)
            done = replace(kept, act=act)
            after = books.after_delivery(ledger.book, done, now) if ok else ledger.book
            await self._keeper.keep(owner, after, [done])
        self._world.counters.add(f"heartbeat.{state.value}")
        if ok:
            await self._world.memories.touch(act.memory_ids)
        return state

    async def acknowledge(
        self, *, act_id: str | None, memory_id: str | None, snooze_s: float | None
    ) -> None:
        """Keep what the act is about, or the memory, silent: for ``snooze_s``, else a day.

        Raise ``NotFound``.
        """
        now = self._world.now()
        until = silent_until(now, snooze_s)
        if act_id is None:
            memory = await self._world.memories.get(memory_id or "")
            async with self._lock(memory.owner):
                ledger = await self._keeper.open(memory.owner, now)
                after = books.silenced_until(ledger.book, [memory.id], until)
                await self._keeper.keep(memory.owner, after)
            return
        owner, _ = await self._found(act_id)
        async with self._lock(owner):
            owner, kept = await self._found(act_id)
            done = replace(kept, act=replace(kept.act, acknowledged_at=now))
            ledger = await self._keeper.open(owner, now)
            after = books.silenced_until(ledger.book, books.keys_of(kept.act), until)
            await self._keeper.keep(owner, after, [done])

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

    async def _found(self, act_id: str) -> tuple[str, KeptAct]:
        found = await self._keeper.find(act_id)
        if found is None:
            raise NotFound(f"act {act_id[:64]}")
        return found

    async def _frequencies(self, owner: str, memories: Mapping[str, Memory]) -> Frequencies:
        """Counted anew when memories came or went."""
        key = (len(memories), max(memories, default=""))
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


def _looked(
    snapshot: Snapshot, asked: TickAsked, policy: HeartbeatPolicy, autonomy: Autonomy
) -> _Seen:
    signals: list[Signal] = [signal for check in CHECKS for signal in check.find(snapshot)]
    decision = decide(
        snapshot,
        signals,
        policy=policy,
        autonomy=autonomy,
        in_conversation=asked.in_conversation,
        signals_only=asked.signals_only,
        delivers=asked.delivers,
    )
    return _Seen(snapshot=snapshot, decision=decision)


def _with_answers(
    ledger: Ledger, messages: Sequence[Message]
) -> tuple[Ledger, tuple[KeptAct, ...]]:
    """With what the user's messages answer, and the acts that are answered now."""
    acts = [kept.act for kept in ledger.acts]
    last = messages[-1].at if messages else None
    for said in messages:
        if last is not None and last - said.at < ANSWERS_FOR:
            acts = list(answered(acts, said.at))
    paired = list(zip(ledger.acts, acts, strict=True))
    new = tuple(replace(kept, act=act) for kept, act in paired if act is not kept.act)
    every = tuple(replace(kept, act=act) for kept, act in paired)
    changed = tuple(one for one in new if _is_answered(one.act))
    return replace(ledger, acts=every, book=books.after_answers(ledger.book, changed)), changed


def _is_answered(act: Act) -> bool:
    return act.answered_at is not None


def _midnight(snapshot: Snapshot) -> datetime:
    """When the user's day began."""
    local = snapshot.now.astimezone(snapshot.zone)
    return local - timedelta(hours=local.hour, minutes=local.minute, seconds=local.second)
