"""Somebody or something that has not been mentioned for a while."""

from collections.abc import Iterator
from datetime import timedelta
from enum import IntEnum
from typing import NamedTuple

from recalld.heartbeat.finding import Found, days, live, near, signals, weight
from recalld.heartbeat.model import LIVE, Check, Signal, Snapshot, Tier
from recalld.heartbeat.silence import looked_at, silent
from recalld.heartbeat.wording import title
from recalld.memories.model import Memory, MemoryType

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
    searched = {name for name, _ in looked_at(snapshot)}
    every = [
        _silent(snapshot, name, last, search=name in searched) for name, last in silent(snapshot)
    ]
    named = [one for one in every if one.level is not Level.INFO or _is_long(snapshot, one)]
    named.sort(key=lambda one: (one.level, one.last.created_at, one.name))
    return signals(snapshot, "relationship", Tier.LOW, [_found(snapshot, one) for one in named])


def _silent(snapshot: Snapshot, name: str, last: Memory, *, search: bool) -> _Silent:
    found = {one.id: one for one in _mentioning(snapshot, name)}
    if search:
        found |= {one.id: one for one in _alike(snapshot, last)}
    plans = tuple(sorted(found.values(), key=weight))
    return _Silent(_level(snapshot, plans), name, last, plans)


def _mentioning(snapshot: Snapshot, name: str) -> Iterator[Memory]:
    """Plans that name it: what is said outright needs no likeness."""
    return (
        plan
        for plan in live(snapshot, MemoryType.PLAN)
        if name in snapshot.entities.get(plan.id, ())
    )


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


CHECK = Check(name="relationship", tier=Tier.LOW, find=_find)
