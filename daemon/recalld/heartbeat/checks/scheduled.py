"""A memory whose ``cron:`` tag says that its time has come."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from recalld.heartbeat import cron
from recalld.heartbeat.finding import Found, Label, hours, noted, signals, stamp
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.surfaced import is_surfaced
from recalld.heartbeat.wording import local, title
from recalld.memories.model import Memory

LABEL = Label("scheduled", Tier.IMMEDIATE)

# Shown so long ago it may be shown again, though nobody acknowledged it.
AGAIN_AFTER = timedelta(minutes=30)


class _Ready(NamedTuple):
    memory: Memory
    due: cron.Due


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """Active and stale memories that are due since they were last used, the longest due first.

    What was told and put off is due again when that is over.
    Of several schedules of a memory, the one that was due first. A tag that is no schedule is
    left out; ``cron.problem`` says what is wrong with it.
    """
    ready = [
        _Ready(memory, due)
        for memory, _ in noted(snapshot, _tagged)
        if _put_off(snapshot, memory) or not is_surfaced(snapshot, memory, AGAIN_AFTER)
        for due in _first(snapshot, memory)
    ]
    ready.sort(key=lambda one: (one.due.at, one.memory.id))
    return signals(snapshot, LABEL, ready, partial(_found, snapshot))


def _tagged(memories: Iterable[Memory]) -> Iterator[tuple[Memory, None]]:
    return ((one, None) for one in memories if one.tags and any(map(cron.is_schedule, one.tags)))


def _first(snapshot: Snapshot, memory: Memory) -> list[cron.Due]:
    """At most one."""
    return sorted(_due(snapshot, memory), key=lambda due: (due.at, due.schedule.tag))[:1]


def _due(snapshot: Snapshot, memory: Memory) -> Iterator[cron.Due]:
    put_off = _put_off(snapshot, memory)
    for schedule in cron.schedules(memory):
        last = cron.last_time(schedule, memory, snapshot.zone)
        due = cron.due(schedule, last, snapshot.now, snapshot.zone)
        if due is not None:
            yield due
        elif put_off is not None:
            yield cron.Due(schedule=schedule, at=put_off, missed=False)


def _put_off(snapshot: Snapshot, memory: Memory) -> datetime | None:
    """Until when it was put off, if that is over and it was not told since."""
    until = snapshot.snoozed.get(f"{LABEL.name}:{memory.id}")
    over = until is not None and memory.accessed_at < until <= snapshot.now
    return until if over else None


def _found(snapshot: Snapshot, one: _Ready) -> Found:
    due = one.due
    return Found(
        key=one.memory.id,
        title=title(
            "missed" if due.missed else "scheduled",
            one.memory.content,
            at=local(due.at, due.schedule.zone or snapshot.zone),
        ),
        memories=(one.memory,),
        detail={
            "schedule": due.schedule.tag,
            "due_at": stamp(due.at),
            "hours_late": hours(snapshot.now - due.at),
            "missed": due.missed,
            "once": due.schedule.once is not None,
        },
    )


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
