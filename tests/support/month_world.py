"""A month in somebody's life, as a script: what is remembered, said, done and put off, and when.

Nothing is drawn: the same month every time. The clocks go forward in its second week.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from operator import methodcaller
from typing import Protocol
from zoneinfo import ZoneInfo

from recalld.heartbeat.model import Message, Workspace
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin
from support.snapshots import a_memory

ZONE = ZoneInfo("Europe/Berlin")
FIRST = date(2026, 3, 16)
DAYS = 31

# Talks of a working day, by the clock; a message every six minutes. Five hours of the clock have
# some, which is enough to know the others as hours when nobody is there.
TALKS = (("08:55", "09:35"), ("11:10", "11:40"), ("14:00", "14:30"), ("16:30", "17:00"))
EVERY = timedelta(minutes=6)
# Away, and never looks at anything.
AWAY = range(16, 21)
# The delivery command is broken between these.
BROKEN = ((22, "10:00"), (22, "15:30"))


class Life(Protocol):
    """What a script may do to a world."""

    def remember(self, memory: Memory) -> None: ...
    def say(self, message: Message) -> None: ...
    def resolve(self, name: str) -> None: ...
    def change(self, name: str, **changes: object) -> None: ...
    def stand(self, workspace: Workspace) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    at: datetime
    do: Callable[[Life], None]


def at(number: int, clock: str) -> datetime:
    """The time of the clock in Berlin on the day of that number, from 0, in UTC."""
    day = FIRST + timedelta(days=number)
    return datetime.combine(day, time.fromisoformat(clock), tzinfo=ZONE).astimezone(UTC)


START = at(0, "00:00")


def thing(name: str, content: str, when: datetime, **changes: object) -> Memory:
    """An event of that moment."""
    usual = {
        "type": MemoryType.EVENT,
        "created_at": when,
        "updated_at": when,
        "accessed_at": when,
        "session": None,
    }
    return a_memory(name, content, **{**usual, **changes})


def plan(name: str, content: str, due: datetime | None = None, **changes: object) -> Memory:
    """A plan of three days before the month."""
    when = START - timedelta(days=3)
    usual = {"type": MemoryType.PLAN, "expires_at": due, "importance": 0.7}
    return thing(name, content, when, **{**usual, **changes})


def every(name: str, content: str, schedule: str) -> Memory:
    """Something with a schedule, done last in the evening before the month."""
    return plan(name, content, tags=(f"cron:{schedule}",), accessed_at=at(0, "00:00"))


def beginning() -> tuple[Memory, ...]:
    """What is remembered when the month begins."""
    long_ago = START - timedelta(days=160)
    fading = {"importance": 0.9, "stability_days": 60.0}
    return (
        plan("passport", "Renew the passport at the town hall", at(2, "12:00"), importance=0.8),
        plan("invoice", "Send the March invoice to Brandt", at(5, "17:00")),
        plan("tax", "Hand in the tax return", at(12, "18:00"), importance=0.9),
        plan("summary", "给客户写季度总结", at(14, "11:00")),
        plan("importer", "Rewrite the importer for the new feed"),
        plan("migration", "Move the archive to the new host", at(24, "16:00"), importance=0.6),
        plan("uptime", "Watch the uptime of the feed", tags=("monitor",), importance=0.5),
        every("standup", "Stand-up with the team", "weekdays:09:15"),
        every("review", "Weekly review of the feed", "weekly:mon:10:00"),
        every("water", "Water the plants", "daily:15:00"),
        every("door", "Lock the back door", "daily:23:30"),
        every("visit", "The plumber comes", f"once:{at(9, '13:00').isoformat()}"),
        thing("pin", "Decided to pin the upload client to 1.8", long_ago, **fading),
        thing("vault", "The recovery keys are in the blue folder", long_ago, **fading),
        thing("mara", "Mara leads the feed team", START - timedelta(days=6)),
        thing("why", "Why does the nightly build fail on Tuesdays?", START - timedelta(days=2)),
        thing("tea", "Prefers tea", START - timedelta(days=9), type=MemoryType.PREFERENCE),
        *(
            thing(f"old{one}", f"Feed incident number {one}", START - timedelta(days=20 + one))
            for one in range(8)
        ),
    )


def script() -> tuple[Event, ...]:
    """All that happens, oldest first."""
    events = [*_talks(), *_deeds()]
    return tuple(sorted(events, key=lambda event: event.at))


def _is_working(number: int) -> bool:
    return (FIRST + timedelta(days=number)).weekday() < 5 and number not in AWAY


def _talks() -> Iterator[Event]:
    for number in range(DAYS):
        for which, (begin, end) in enumerate(TALKS):
            # One talk in five does not take place.
            if _is_working(number) and (number * 7 + which * 3) % 5:
                yield from _talk(number, which, at(number, begin), at(number, end))


def _talk(number: int, which: int, begin: datetime, end: datetime) -> Iterator[Event]:
    session = f"talk-{number}-{which}"
    mood = -0.6 if number in range(7, 10) else 0.4
    moment = begin
    while moment < end:
        message = Message(at=moment, session=session, sentiment=mood)
        yield Event(at=moment, do=methodcaller("say", message))
        moment += EVERY
    done = thing(
        f"did-{number}-{which}",
        f"Worked on the importer for the new feed, part {number}.{which}",
        end,
        type=MemoryType.ACTIVITY,
        session=session,
        importance=0.3,
    )
    if which % 2 == 0:
        yield Event(at=end, do=methodcaller("remember", done))


def _deeds() -> Iterator[Event]:
    yield Event(at=at(7, "10:05"), do=methodcaller("resolve", "invoice"))
    yield Event(at=at(14, "09:30"), do=methodcaller("resolve", "summary"))
    yield Event(at=at(23, "15:00"), do=methodcaller("resolve", "migration"))
    # Put off to the last week by moving its date.
    later = at(27, "12:00")
    yield Event(at=at(15, "11:15"), do=methodcaller("change", "tax", expires_at=later))
    flag = ("conflict_flagged:old1",)
    yield Event(at=at(10, "10:30"), do=methodcaller("change", "tea", confidence_factors=flag))
    yield Event(at=at(11, "16:00"), do=methodcaller("change", "tea", confidence_factors=()))
    for one in range(7):
        new = thing(f"burst{one}", f"Note {one} of the workshop", at(13, "11:20"))
        yield Event(at=at(13, "11:20"), do=methodcaller("remember", new))
    yield from _work()


def _work() -> Iterator[Event]:
    free = Workspace(root="/feed", branch="main", seen_branch="main")
    stuck = replace(free, blocker="The feed's key expired", blocker_since=at(5, "09:00"))
    broken = replace(free, reports=(("build/junit.xml", 3, at(11, "14:40")),))
    for moment, workspace in (
        (at(5, "09:00"), stuck),
        (at(9, "11:30"), free),
        (at(11, "14:40"), broken),
        (at(12, "10:00"), free),
    ):
        yield Event(at=moment, do=methodcaller("stand", workspace))


def own_words(number: int, titles: str, when: datetime) -> Memory:
    """What a careless host would keep of a heartbeat: its own words, as a memory."""
    return thing(f"heartbeat{number}", titles, when, origin=Origin.HEARTBEAT)


def closed(memory: Memory, when: datetime) -> Memory:
    return replace(memory, state=MemoryState.RESOLVED, state_since=when, updated_at=when)
