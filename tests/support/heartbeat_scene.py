"""Signals, acts and ticks with what a test does not care about filled in."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from recalld.heartbeat import fingerprint
from recalld.heartbeat.decide import decide
from recalld.heartbeat.model import (
    Act,
    ActState,
    Autonomy,
    Decision,
    Message,
    Reason,
    Signal,
    Snapshot,
    Tier,
)
from recalld.heartbeat.policy import HeartbeatPolicy, QuietPolicy
from support.snapshots import HOUR, NOW, a_memory, a_snapshot

TIERS = {
    "scheduled": Tier.IMMEDIATE,
    "deadlines": Tier.IMMEDIATE,
    "conflicts": Tier.ELEVATED,
    "memory_velocity": Tier.ELEVATED,
    "pending_work": Tier.NORMAL,
    "goal_progress": Tier.NORMAL,
    "knowledge_gaps": Tier.NORMAL,
    "positive_deltas": Tier.NORMAL,
    "decaying": Tier.LOW,
    "sentiment": Tier.LOW,
    "relationship": Tier.LOW,
    "patterns": Tier.LOW,
}
POLICY = HeartbeatPolicy(timezone="UTC")
QUIET = HeartbeatPolicy(timezone="UTC", quiet=QuietPolicy(enabled=True))


def a_signal(check: str, name: str = "", **changes: object) -> Signal:
    """About the memory ``name``, a month old and untouched since; about none without a name."""
    then = NOW - timedelta(days=30)
    about = (a_memory(name, f"about {name}", created_at=then, updated_at=then),) if name else ()
    usual = Signal(
        id=f"{check}:{name or 'itself'}",
        check=check,
        tier=TIERS[check],
        title=f"{check} {name}",
        memories=about,
    )
    return replace(usual, **changes)  # type: ignore[arg-type]


def a_deadline(name: str, due_in: timedelta, **changes: object) -> Signal:
    """A plan that is due so long after ``NOW``, or was before it."""
    signal = a_signal("deadlines", name, **changes)
    return replace(
        signal, memories=tuple(replace(one, expires_at=NOW + due_in) for one in signal.memories)
    )


def an_act(ago: timedelta, *signals: Signal, **changes: object) -> Act:
    """Delivered so long before ``NOW``, about these signals, and not answered."""
    usual = Act(
        id=f"act-{ago.total_seconds():.0f}",
        owner="default",
        at=NOW - ago,
        reason=Reason.ACT,
        tier=min((signal.tier for signal in signals), default=Tier.LOW),
        fingerprint=fingerprint.of(signals),
        state=ActState.DELIVERED,
        signal_ids=tuple(signal.id for signal in signals),
        memory_ids=tuple(memory.id for signal in signals for memory in signal.memories),
        summary_hash=fingerprint.summary_hash(signals),
    )
    return replace(usual, **changes)  # type: ignore[arg-type]


def a_scene(*signals: Signal, acts: Iterable[Act] = (), **changes: object) -> Snapshot:
    """At ``NOW``, a Wednesday noon, in a store of 50 memories; the user spoke an hour ago."""
    memories = [memory for signal in signals for memory in signal.memories]
    usual = {"store_size": 50, "messages": (said(HOUR),), "acts": tuple(acts)}
    return a_snapshot(*memories, **{**usual, **changes})


def said(ago: timedelta, **changes: object) -> Message:
    return replace(Message(at=NOW - ago, session="s1"), **changes)  # type: ignore[arg-type]


def decided(
    *signals: Signal,
    acts: Iterable[Act] = (),
    policy: HeartbeatPolicy = POLICY,
    autonomy: Autonomy = Autonomy.SUGGEST,
    asked: Mapping[str, bool] | None = None,
    **changes: object,
) -> Decision:
    """A tick over such a scene; ``changes`` are of the snapshot, ``asked`` goes to ``decide``."""
    scene = a_scene(*signals, acts=acts, **changes)
    return decide(scene, signals, policy=policy, autonomy=autonomy, **(asked or {}))


def at_hour(hour: int, minute: int = 0) -> datetime:
    """On the day of ``NOW``, in UTC."""
    return NOW.replace(hour=hour, minute=minute)
