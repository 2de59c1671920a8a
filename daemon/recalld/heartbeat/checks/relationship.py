"""Somebody or something that has not been mentioned for a while."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from enum import IntEnum
from functools import partial
from typing import NamedTuple

from recalld.heartbeat.finding import Found, Label, by_weight, days, live, near, signals
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.roster import LIVE
from recalld.heartbeat.silence import MAX_LOOKED_AT, silent
from recalld.heartbeat.wording import title
from recalld.memories.model import Memory, MemoryType

LABEL = Label("relationship", Tier.LOW)

LONG_SILENT = timedelta(days=14)
NEAR_DEADLINE = timedelta(days=14)
LIKENESS = 0.4


class Level(IntEnum):
    URGENT = 0
    ATTENTION = 1
    INFO = 2


class _Silent(NamedTuple):
    level: Level
    name: str
    last: Memory
    plans: tuple[Memory, ...]


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """Who was silent for a week while a plan waits, those near its deadline first; then who was
    silent for more than two, the longest silent first."""
    naming = _plans_by_name(snapshot)
    every = []
    for at, (name, last) in enumerate(silent(snapshot)):
        alike = _alike(snapshot, last) if at < MAX_LOOKED_AT else ()
        every.append(_silent(snapshot, name, last, [*naming.get(name, ()), *alike]))
    named = [one for one in every if one.level is not Level.INFO or _is_long(snapshot, one)]
    named.sort(key=lambda one: (one.level, one.last.created_at, one.name))
    return signals(snapshot, LABEL, named, partial(_found, snapshot))


def _silent(snapshot: Snapshot, name: str, last: Memory, found: list[Memory]) -> _Silent:
    plans = tuple(by_weight({one.id: one for one in found}.values()))
    return _Silent(_level(snapshot, plans), name, last, plans)


def _plans_by_name(snapshot: Snapshot) -> Mapping[str, list[Memory]]:
    """Plans by whom they name: what is said outright needs no likeness."""
    naming: dict[str, list[Memory]] = defaultdict(list)
    if snapshot.entities:
        for plan in live(snapshot, MemoryType.PLAN):
            for name in snapshot.entities.get(plan.id, ()):
                naming[name].append(plan)
    return naming


def _alike(snapshot: Snapshot, last: Memory) -> Iterator[Memory]:
    for other, _ in near(snapshot, last, LIKENESS):
        if other.type is MemoryType.PLAN and other.state in LIVE:
            yield other


def _level(snapshot: Snapshot, plans: tuple[Memory, ...]) -> Level:
    horizon = snapshot.now + NEAR_DEADLINE
    if any(plan.expires_at is not None and plan.expires_at < horizon for plan in plans):
        return Level.URGENT
    return Level.ATTENTION if plans else Level.INFO


def _is_long(snapshot: Snapshot, one: _Silent) -> bool:
    return snapshot.now - one.last.created_at > LONG_SILENT


def _found(snapshot: Snapshot, one: _Silent) -> Found:
    silence = snapshot.now - one.last.created_at
    about = {memory.id: memory for memory in (*one.plans[:1], one.last)}
    return Found(
        key=one.name,
        title=title("silent", one.name, span=silence),
        memories=tuple(about.values()),
        detail={
            "entity": one.name,
            "level": one.level.name.lower(),
            "days_silent": days(silence),
            "plans": [plan.id for plan in one.plans],
        },
    )


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
