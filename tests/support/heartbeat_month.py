"""A month of ticks every five minutes, under a clock that is only counted up.

Real checks and the real decision, over memories in a mapping and a log of acts in a list. The
user answers, ignores and puts off as ``month_world`` says.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import sqrt

from recalld.heartbeat.acts import (
    answered,
    footprints,
    prepared,
    silent_until,
    topics,
)
from recalld.heartbeat.checks import CHECKS
from recalld.heartbeat.decide import decide
from recalld.heartbeat.interval import interval_s
from recalld.heartbeat.model import (
    Act,
    ActState,
    Autonomy,
    Decision,
    Message,
    Signal,
    Snapshot,
    State,
    Suppressed,
    Workspace,
)
from recalld.heartbeat.policy import HeartbeatPolicy, QuietPolicy
from recalld.heartbeat.standing import state_of
from recalld.heartbeat.view import is_talking
from recalld.memories.decay import accessed, next_state
from recalld.memories.model import Memory, Similar
from support.month_world import (
    BROKEN,
    DAYS,
    START,
    ZONE,
    at,
    beginning,
    closed,
    own_words,
    script,
)

TICK = timedelta(minutes=5)
KEPT = timedelta(days=30)
POLICY = HeartbeatPolicy(timezone=ZONE.key, quiet=QuietPolicy(enabled=True))
# Put off when it is told the second time, for so long.
SNOOZED, SNOOZE = "tax", timedelta(days=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """``snoozed``: what was put off when it began."""

    at: datetime
    decision: Decision
    found: tuple[Signal, ...]
    act: Act | None
    talking: bool
    snoozed: frozenset[str]
    interval_s: float


@dataclass(slots=True, kw_only=True)
class World:
    """What changes in the month."""

    now: datetime = START
    memories: dict[str, Memory] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    acts: tuple[Act, ...] = ()
    told: dict[str, tuple[str, ...]] = field(default_factory=dict)
    suppressed: tuple[Suppressed, ...] = ()
    surfaced: dict[str, datetime] = field(default_factory=dict)
    snoozed: dict[str, datetime] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    state: State | None = None
    workspaces: dict[str, Workspace] = field(default_factory=dict)
    near: dict[str, tuple[int, tuple[Similar, ...]]] = field(default_factory=dict)

    def remember(self, memory: Memory) -> None:
        self.memories[memory.id] = memory

    def say(self, message: Message) -> None:
        """Whatever the user says is an answer to what came shortly before."""
        self.messages.append(message)
        before = {act.id for act in self.acts if act.answered_at is not None}
        self.acts = answered(self.acts, message.at)
        for act in self.acts:
            if act.answered_at is not None and act.id not in before:
                for topic in self.told[act.id]:
                    self.counts.pop(topic, None)

    def resolve(self, name: str) -> None:
        self.memories[name] = closed(self.memories[name], self.now)

    def change(self, name: str, **changes: object) -> None:
        fresh = {"updated_at": self.now, "accessed_at": self.now, **changes}
        self.memories[name] = replace(self.memories[name], **fresh)  # type: ignore[arg-type]

    def stand(self, workspace: Workspace) -> None:
        self.workspaces[workspace.root] = workspace

    def snapshot(self) -> Snapshot:
        """As a tick reads it; whoever spoke a moment ago is in a conversation."""
        read = self._read()
        return replace(read, in_conversation=True) if is_talking(read) else read

    def _read(self) -> Snapshot:
        return Snapshot(
            owner="default",
            now=self.now,
            zone=ZONE,
            memories=self.memories,
            acts=self.acts,
            suppressed=self.suppressed,
            messages=tuple(self.messages),
            surfaced=self.surfaced,
            snoozed=self.snoozed,
            topic_surfacings=self.counts,
            last_state=self.state,
            store_size=len(self.memories),
            workspaces=tuple(self.workspaces.values()),
            nearest=self.nearest,
        )

    def nearest(self, memory: Memory) -> tuple[Similar, ...]:
        """By the words they share; as good as a model where the script's words are few."""
        count, found = self.near.get(memory.id, (0, ()))
        if count != len(self.memories):
            found = tuple(_ranked(memory, self.memories))
            self.near[memory.id] = (len(self.memories), found)
        return found

    def deliver(self, act: Act, decision: Decision, snapshot: Snapshot) -> Act:
        """The act as it came out; only one that reached the user leaves anything behind."""
        if at(*BROKEN[0]) <= self.now < at(*BROKEN[1]):
            return replace(act, state=ActState.FAILED, attempts=1)
        self.told[act.id] = topics(decision)
        for topic in topics(decision):
            self.counts[topic] = self.counts.get(topic, 0) + 1
        self.surfaced.update(dict.fromkeys(act.memory_ids, self.now))
        for signal in decision.signals:
            if signal.check == "scheduled":
                for memory in signal.memories:
                    self.memories[memory.id] = accessed(self.memories[memory.id], self.now)
        self.state = state_of(snapshot)
        self.remember(own_words(len(self.acts), _titles(decision), self.now))
        if SNOOZED in topics(decision) and self.counts[SNOOZED] >= 2:
            self.snoozed[SNOOZED] = silent_until(self.now, SNOOZE.total_seconds())
        return replace(act, state=ActState.DELIVERED, attempts=1)

    def fade(self) -> None:
        """The daily job."""
        for name, memory in self.memories.items():
            state = next_state(memory, self.now)
            if state is not None:
                self.memories[name] = replace(memory, state=state, state_since=self.now)


def month(
    autonomy: Autonomy = Autonomy.SUGGEST, *, policy: HeartbeatPolicy = POLICY, days: int = DAYS
) -> list[Tick]:
    """Every tick of the month's first ``days``, in order."""
    world = World()
    for memory in beginning():
        world.remember(memory)
    return list(_ticks(world, at(days, "00:00"), autonomy, policy))


def _ticks(
    world: World, end: datetime, autonomy: Autonomy, policy: HeartbeatPolicy
) -> Iterator[Tick]:
    events = deque(script())
    number = 0
    while world.now < end:
        while events and events[0].at <= world.now:
            events.popleft().do(world)
        if number % 288 == 0:
            world.fade()
        yield _tick(world, f"act{number}", autonomy, policy)
        number += 1
        world.now = START + number * TICK


def _tick(world: World, name: str, autonomy: Autonomy, policy: HeartbeatPolicy) -> Tick:
    snapshot = world.snapshot()
    put_off = frozenset(key for key, until in world.snoozed.items() if world.now < until)
    found = tuple(signal for check in CHECKS for signal in check.find(snapshot))
    decision = decide(snapshot, found, policy=policy, autonomy=autonomy)
    world.suppressed = footprints(world.suppressed, decision, world.now)
    act = None
    if decision.act:
        act = world.deliver(prepared(decision, snapshot, name), decision, snapshot)
        kept = (one for one in world.acts if world.now - one.at < KEPT)
        world.acts = (act, *kept)
    return Tick(
        at=world.now,
        decision=decision,
        found=found,
        act=act,
        talking=snapshot.in_conversation,
        snoozed=put_off,
        interval_s=interval_s(snapshot, decision, base_s=policy.base_interval_s),
    )


def _titles(decision: Decision) -> str:
    about = [signal.title for signal in decision.signals]
    about += [] if decision.nudge is None else [decision.nudge.content]
    return "; ".join(about)


def _ranked(memory: Memory, others: dict[str, Memory]) -> Iterator[Similar]:
    mine = _words(memory.content)
    found = [
        Similar(memory=one, similarity=likeness, score=likeness)
        for one in others.values()
        if one.id != memory.id and (likeness := _likeness(mine, _words(one.content))) > 0
    ]
    found.sort(key=lambda one: (-one.similarity, one.memory.id))
    yield from found[:40]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.lower().split())


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / sqrt(len(one) * len(other))
