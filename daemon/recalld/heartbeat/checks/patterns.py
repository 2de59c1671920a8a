"""What the user usually does on this day of the week."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import NamedTuple

from recalld.heartbeat import cron
from recalld.heartbeat.finding import Found, Label, rounded, signals
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.wording import TYPE_NAMES, prefers_chinese, title
from recalld.memories.model import Memory, MemoryType

LABEL = Label("patterns", Tier.LOW)

WINDOW = timedelta(days=90)
WEEK = timedelta(days=7)
ENOUGH = 10
OFTEN = 3
# So many times make it certain.
CERTAIN = 10


class _Habit(NamedTuple):
    kind: str
    name: str
    days: frozenset[date]
    newest: Memory


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """Types and tags seen on three such days or more, the most frequent first.

    A day counts once, however busy: an afternoon of ten notes is no habit. None with fewer than
    ten memories in the ninety days.
    """
    start = bisect_left(snapshot.said, snapshot.now - WINDOW, key=lambda one: one.created_at)
    recent = snapshot.said[start:]
    if len(recent) < ENOUGH:
        return ()
    habits = [one for one in _habits(snapshot, recent) if len(one.days) >= OFTEN]
    habits.sort(key=lambda one: (-len(one.days), one.kind, one.name))
    return signals(snapshot, LABEL, habits, partial(_found, snapshot))


def _habits(snapshot: Snapshot, recent: tuple[Memory, ...]) -> Iterator[_Habit]:
    days: dict[tuple[str, str], set[date]] = defaultdict(set)
    newest: dict[tuple[str, str], Memory] = {}
    for day in _days(snapshot):
        for memory in _of_day(snapshot, recent, day):
            for habit in _marks(memory):
                days[habit].add(day)
                newest[habit] = memory
    for habit, seen in days.items():
        yield _Habit(*habit, frozenset(seen), newest[habit])


def _days(snapshot: Snapshot) -> list[date]:
    """The user's days of this weekday within the window, oldest first, today last."""
    today = snapshot.now.astimezone(snapshot.zone).date()
    return [today - back * WEEK for back in range(WINDOW // WEEK, -1, -1)]


def _of_day(snapshot: Snapshot, recent: tuple[Memory, ...], day: date) -> tuple[Memory, ...]:
    begin, end = (
        datetime.combine(one, time(), tzinfo=snapshot.zone).astimezone(UTC)
        for one in (day, day + timedelta(days=1))
    )
    first, last = (bisect_left(recent, at, key=lambda one: one.created_at) for at in (begin, end))
    return recent[first:last]


def _marks(memory: Memory) -> Iterator[tuple[str, str]]:
    yield "type", memory.type.value
    if memory.tags:
        for tag in dict.fromkeys(tag.casefold() for tag in memory.tags):
            if not cron.is_schedule(tag):
                yield "tag", tag


def _found(snapshot: Snapshot, habit: _Habit) -> Found:
    weekday = snapshot.now.astimezone(snapshot.zone).weekday()
    chinese = prefers_chinese(snapshot)
    return Found(
        key=f"{weekday}:{habit.kind}:{habit.name}",
        title=title("pattern", _shown(habit, chinese), chinese=chinese, day=weekday),
        # What happened last of a kind stands for nothing: neither the past of it nor the word
        # of it says anything of the habit.
        memories=(habit.newest,) if habit.kind == "tag" else (),
        detail={
            "weekday": weekday,
            "kind": habit.kind,
            "name": habit.name,
            "count": len(habit.days),
            "confidence": rounded(min(1.0, len(habit.days) / CERTAIN)),
        },
    )


def _shown(habit: _Habit, chinese: bool) -> str:  # noqa: FBT001 - a language, not a flag
    if habit.kind == "tag":
        return habit.name
    return TYPE_NAMES[MemoryType(habit.name)][int(chinese)]


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
