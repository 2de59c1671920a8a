"""One tick, looked at once: what the steps of the decision have before them. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, timedelta

from recalld.heartbeat import confluence, fingerprint, novelty
from recalld.heartbeat.cooldown import (
    PACES,
    Pace,
    counted,
    is_running,
    is_suspended,
    last_about_signals,
    maybe_seen,
    messages_today,
)
from recalld.heartbeat.model import Act, Autonomy, Period, Signal, Snapshot, Tier
from recalld.heartbeat.novelty import History
from recalld.heartbeat.nudge import Scene, last_message
from recalld.heartbeat.periods import HABITS, period
from recalld.heartbeat.policy import HeartbeatPolicy
from recalld.heartbeat.rate import response_rate
from recalld.memories.model import Origin

TALKING_WITHIN = timedelta(minutes=15)
VELOCITY = "memory_velocity"
NIGHT = frozenset({Period.LATE_NIGHT, Period.QUIET})


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """``acts``: counted ones; ``seen``: also prepared ones that nobody confirmed. Both newest
    first. ``told``: the counted ones by signal.

    ``signals``: all but a heartbeat's own words, most urgent first. ``open``: those of them that
    are neither put off nor dropped. ``hushed``: those of them that do not rest, but are not
    repeated at night. ``fresh``: those that neither rest nor are hushed. ``passing``: of the
    fresh ones, or of all open ones where none is fresh, those that period and conversation let
    through; ``judged``: these, or all of what they were chosen from where none passes.
    ``fingerprint``, ``best`` and ``confluence`` are of the judged.
    """

    snapshot: Snapshot
    policy: HeartbeatPolicy
    pace: Pace
    acts: tuple[Act, ...]
    seen: tuple[Act, ...]
    told: History
    period: Period
    talking: bool
    rate: float | None
    signals: tuple[Signal, ...]
    open: tuple[Signal, ...]
    snoozed: tuple[Signal, ...]
    dropped: tuple[Signal, ...]
    hushed: tuple[Signal, ...]
    fresh: tuple[Signal, ...]
    passing: tuple[Signal, ...]
    judged: tuple[Signal, ...]

    @property
    def best(self) -> Tier | None:
        return min((signal.tier for signal in self.judged), default=None)

    @property
    def fingerprint(self) -> str:
        return fingerprint.of(self.judged)

    @property
    def confluence(self) -> float:
        return confluence.score(self.judged)

    @property
    def scene(self) -> Scene:
        return Scene(
            snapshot=self.snapshot,
            acts=self.seen,
            signals=self.open,
            pace=self.pace,
            period=self.period,
            talking=self.talking,
            rate=self.rate,
        )

    def is_waiting(self, wait: timedelta) -> bool:
        """Whether ``wait`` since the last act about signals goes on."""
        return is_running(
            wait,
            last=last_about_signals(self.acts),
            now=self.snapshot.now,
            period=self.period,
            rate=self.rate,
        )

    def has_news(self) -> bool:
        """Whether any of the judged was not told yet as it is now."""
        return any(novelty.is_new(one, self.told, self.snapshot.now) for one in self.judged)

    def was_just_said(self, within: timedelta) -> bool:
        """Whether exactly the judged were an act's signals less than ``within`` ago."""
        mine = self.fingerprint
        return any(
            act.fingerprint == mine and self.snapshot.now - act.at < within for act in self.acts
        )

    def has_waited(self, span: timedelta) -> bool:
        """Whether exactly the judged were held back for the first time so long ago."""
        mine, now = self.fingerprint, self.snapshot.now
        return any(
            one.fingerprint == mine and now - one.first_at >= span
            for one in self.snapshot.suppressed
        )

    def repeats_topic(self) -> bool:
        return novelty.repeats_topic(
            self.judged, self.fingerprint, acts=self.acts, snapshot=self.snapshot
        )

    def is_suspended(self) -> bool:
        return is_suspended(self.snapshot.acts, self.snapshot.now)

    def messages_today(self) -> int:
        return messages_today(self.seen, self.snapshot.now, self.snapshot.zone)

    def joining(self) -> tuple[Signal, ...]:
        """What rests, but may be told along with the passing ones, none of it more urgent."""
        best, now = self.best, self.snapshot.now
        limit = _minimum(self.period, self.signals, talking=self.talking)
        passing = {one.id for one in self.passing}
        return tuple(
            one
            for one in self.open
            if one.id not in passing
            and best is not None
            and best <= one.tier <= limit
            and not _is_hushed(one, self.told, self.snapshot, self.period)
            and novelty.may_join(one, self.told, pace=self.pace, now=now)
        )


def look(
    snapshot: Snapshot,
    signals: Iterable[Signal],
    *,
    policy: HeartbeatPolicy,
    autonomy: Autonomy,
    in_conversation: bool | None,
) -> View:
    """``in_conversation``: what the host says; a message of the last 15 minutes says the same."""
    # Two aware times of one zone are subtracted as the clock shows them, wrong by the hour that
    # a change of the clocks adds; with UTC on one side they are not.
    if snapshot.now.tzinfo is not UTC:
        snapshot = replace(snapshot, now=snapshot.now.astimezone(UTC))
    now, pace = snapshot.now, PACES[autonomy]
    acts = counted(snapshot.acts, now)
    told = novelty.history(acts)
    when = period(now, snapshot.zone, policy.quiet)
    talking = bool(in_conversation) or is_talking(snapshot)
    every = _own(signals)
    awake, snoozed = _parted(every, lambda one: novelty.is_snoozed(one, snapshot))
    still, dropped = _parted(awake, lambda one: novelty.is_dropped(one, told, snapshot))
    rested, _ = _parted(still, lambda one: novelty.is_resting(one, told, pace=pace, now=now))
    fresh, hushed = _parted(rested, lambda one: _is_hushed(one, told, snapshot, when))
    chosen = fresh or still
    limit = _minimum(when, every, talking=talking)
    passing = tuple(one for one in chosen if one.tier <= limit)
    return View(
        snapshot=snapshot,
        policy=policy,
        pace=pace,
        acts=acts,
        seen=maybe_seen(snapshot.acts, now),
        told=told,
        period=when,
        talking=talking,
        rate=response_rate(snapshot.acts, now),
        signals=every,
        open=still,
        snoozed=snoozed,
        dropped=dropped,
        hushed=hushed,
        fresh=fresh,
        passing=passing,
        judged=passing or chosen,
    )


def is_talking(snapshot: Snapshot) -> bool:
    """Whether the user is in a conversation, or said something in the last 15 minutes."""
    last = last_message(snapshot)
    spoke = last is not None and snapshot.now - last < TALKING_WITHIN
    return snapshot.in_conversation or spoke


def talking_minimum(signals: Iterable[Signal]) -> Tier:
    """The least urgent tier that may interrupt; one more where much is being remembered."""
    busy = any(signal.check == VELOCITY for signal in signals)
    return Tier.NORMAL if busy else Tier.ELEVATED


def _minimum(when: Period, signals: Sequence[Signal], *, talking: bool) -> Tier:
    allowed = HABITS[when].minimum
    return min(allowed, talking_minimum(signals)) if talking else allowed


def _is_hushed(signal: Signal, told: History, snapshot: Snapshot, when: Period) -> bool:
    """Whether the night keeps it back: what may be told at night is told once.

    Before quiet hours a deadline that is still ahead may be told again.
    """
    if when not in NIGHT or novelty.is_new(signal, told, snapshot.now):
        return False
    return when is Period.QUIET or not novelty.is_ahead(signal, snapshot.now)


def _parted(
    signals: Sequence[Signal], is_out: Callable[[Signal], bool]
) -> tuple[tuple[Signal, ...], tuple[Signal, ...]]:
    """Those that stay and those that are out."""
    out = {one.id for one in signals if is_out(one)}
    return (
        tuple(one for one in signals if one.id not in out),
        tuple(one for one in signals if one.id in out),
    )


def _own(signals: Iterable[Signal]) -> tuple[Signal, ...]:
    """Most urgent first, each id once, without what heartbeats said and what was said to them."""
    found: dict[str, Signal] = {}
    for signal in sorted(signals, key=lambda one: one.tier):
        kept = tuple(one for one in signal.memories if one.origin is not Origin.HEARTBEAT)
        if kept or not signal.memories:
            found.setdefault(signal.id, replace(signal, memories=kept))
    return tuple(found.values())
