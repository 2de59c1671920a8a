"""Schedules in the tags of memories: what ``cron:`` tags mean and when they are due. Pure.

    cron:hourly                  an hour after the last time
    cron:daily[:HH:MM[:ZONE]]    a day after the last time, or at a time of every day
    cron:weekly[:DAY:HH:MM]      seven days after it, or on a day of every week
    cron:weekdays:HH:MM          Monday to Friday
    cron:monthly[:D:HH:MM]       thirty days after it, or on a day of every month
    cron:every:DURATION          90s, 30m, 4h, 1d, 2w, 1h30m
    cron:once:TIME               ISO 8601

Words in any case; days in English or Chinese (mon, friday, 周一, 星期日). Clock times are of the
user's zone, or of a ZONE (Europe/Berlin) after any of them. A month that has no day 31 has it on
its last day. A time that the clocks skip is as much later as they are put forward; one that
comes twice counts when it comes first.
"""

import calendar
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from types import MappingProxyType
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from recalld.memories.decay import CRON
from recalld.memories.model import Memory

EXAMPLES = "cron:daily:09:00, cron:weekly:mon:09:00, cron:monthly:1:09:00 or cron:every:2h"

MISSED = timedelta(hours=24)
MISSED_INTERVALS = 2
SHORTEST = timedelta(minutes=1)
LONGEST = timedelta(days=3_660)

INTERVALS: Mapping[str, timedelta] = MappingProxyType(
    {
        "hourly": timedelta(hours=1),
        "daily": timedelta(days=1),
        "weekly": timedelta(days=7),
        "monthly": timedelta(days=30),
    }
)
_DAY_NAMES = (
    *(("monday", "周一"), ("tuesday", "周二"), ("wednesday", "周三"), ("thursday", "周四")),
    *(("friday", "周五"), ("saturday", "周六"), ("sunday", "周日")),
)
_DAYS = {
    name: number
    for number, (english, chinese) in enumerate(_DAY_NAMES)
    for name in (english, english[:3], *(f"{week}{chinese[1]}" for week in ("周", "星期", "礼拜")))
} | {"周天": 6, "星期天": 6, "礼拜天": 6}

_CLOCK = r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)"
_ZONE = r"(?::(?P<zone>[^:]+))?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        r"(?P<interval>hourly|daily|weekly|monthly)",
        rf"(?P<kind>daily|weekdays):{_CLOCK}{_ZONE}",
        rf"(?P<kind>weekly):(?P<day>[^:]+):{_CLOCK}{_ZONE}",
        rf"(?P<kind>monthly):(?P<day>\d{{1,2}}):{_CLOCK}{_ZONE}",
        r"every:(?P<duration>(?:\d{1,7}[smhdw])+)",
        r"once:(?P<once>.+)",
    )
)
_PART = re.compile(r"(\d+)([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


class BadSchedule(ValueError):
    """The tag says no schedule; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A tag as it was read: exactly one of ``every``, ``once`` and ``at`` is set.

    ``at``: a clock time, on ``weekdays`` (0 is Monday) and, where it is set, on the day of the
    ``month``. ``zone``: None is the user's. ``once`` without an offset is of the user's zone.
    """

    tag: str
    every: timedelta | None = None
    once: datetime | None = None
    at: time | None = None
    weekdays: frozenset[int] = frozenset(range(7))
    month_day: int | None = None
    zone: ZoneInfo | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A schedule whose time has come: ``at`` is the first one since ``last``, in UTC.

    ``missed``: so late that whoever waited for it has to hear that it is late.
    """

    schedule: Schedule
    at: datetime
    missed: bool


def is_schedule(tag: str) -> bool:
    """Whether the tag wants to be a schedule, a good one or not."""
    return tag.casefold().startswith(CRON)


def parse(tag: str) -> Schedule:
    """The schedule in a tag. ``BadSchedule`` where there is none."""
    found = _parsed(tag)
    if isinstance(found, Schedule):
        return found
    raise BadSchedule(found)


def problem(tag: str) -> str | None:
    """What is wrong with a tag that wants to be a schedule; None for good ones and others."""
    found = _parsed(tag) if is_schedule(tag) else None
    return found if isinstance(found, str) else None


@lru_cache(maxsize=4_096)
def _parsed(tag: str) -> Schedule | str:
    """The schedule, or what is wrong with it. The same tags are asked for at every tick."""
    if not is_schedule(tag):
        return f"{tag!r} does not start with {CRON!r}"
    text = unicodedata.normalize("NFKC", tag[len(CRON) :]).strip()
    for form in _FORMS:
        found = form.fullmatch(text)
        if found is not None:
            parts = {name: part for name, part in found.groupdict().items() if part}
            try:
                return _read(tag, parts)
            except BadSchedule as error:
                return str(error)
    return f"{tag!r} is no schedule, such as {EXAMPLES}"


def next_after(schedule: Schedule, last: datetime, zone: ZoneInfo) -> datetime | None:
    """The first time strictly after ``last``, in UTC. None: there is none, or none that a
    calendar could hold. Never earlier for a later ``last``."""
    try:
        if schedule.every is not None:
            return last.astimezone(UTC) + schedule.every
        if schedule.once is not None:
            once = _once_in_utc(schedule.once, zone)
            return once if once > last else None
        return next(at for at in _clock_times(schedule, last, zone) if at > last)
    except (OverflowError, ValueError, StopIteration):
        return None


def due(schedule: Schedule, last: datetime, now: datetime, zone: ZoneInfo) -> Due | None:
    """Whether the schedule's time has come since ``last``; the very moment counts."""
    at = next_after(schedule, last, zone)
    if at is None or at > now:
        return None
    allowed = MISSED if schedule.every is None else MISSED_INTERVALS * schedule.every
    return Due(schedule=schedule, at=at, missed=now - at > allowed)


def schedules(memory: Memory) -> Iterator[Schedule]:
    """Those of its tags that are schedules; a misspelt one is none."""
    for tag in memory.tags:
        if is_schedule(tag) and problem(tag) is None:
            yield parse(tag)


def has_schedule(memory: Memory) -> bool:
    return any(schedules(memory))


def last_time(schedule: Schedule, memory: Memory, zone: ZoneInfo) -> datetime:
    """Since when the schedule counts: the memory's last use, which is at first its arrival.

    A memory that came after its one time counts from before that time: who asks late to be
    reminded is reminded late.
    """
    if schedule.once is None or memory.access_count:
        return memory.accessed_at
    return min(memory.accessed_at, _once_in_utc(schedule.once, zone) - timedelta(seconds=1))


def _once_in_utc(once: datetime, zone: ZoneInfo) -> datetime:
    return (once if once.tzinfo is not None else once.replace(tzinfo=zone)).astimezone(UTC)


def _clock_times(schedule: Schedule, last: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    """The times of the schedule, ascending, from a day that is not after ``last``."""
    where = schedule.zone or zone
    at = schedule.at or time()
    for day in _days(last.astimezone(where).date() - timedelta(days=1), schedule):
        yield datetime.combine(day, at, tzinfo=where).astimezone(UTC)


def _days(first: date, schedule: Schedule) -> Iterator[date]:
    # Two months hold every kind of day at least once, whatever day they start with.
    for offset in range(64):
        day = first + timedelta(days=offset)
        if day.weekday() in schedule.weekdays and _fits_month(day, schedule.month_day):
            yield day


def _fits_month(day: date, wanted: int | None) -> bool:
    if wanted is None:
        return True
    return day.day == min(wanted, calendar.monthrange(day.year, day.month)[1])


def _read(tag: str, parts: Mapping[str, str]) -> Schedule:
    if "interval" in parts:
        return Schedule(tag=tag, every=INTERVALS[parts["interval"].lower()])
    if "duration" in parts:
        return Schedule(tag=tag, every=_duration(tag, parts["duration"]))
    if "once" in parts:
        return Schedule(tag=tag, once=_moment(tag, parts["once"]))
    kind = parts["kind"].lower()
    return Schedule(
        tag=tag,
        at=time(int(parts["hour"]), int(parts["minute"])),
        weekdays=_WEEKDAYS[kind](tag, parts),
        month_day=_month_day(tag, parts["day"]) if kind == "monthly" else None,
        zone=_zone(tag, parts["zone"]) if "zone" in parts else None,
    )


def _any_day(_tag: str, _parts: Mapping[str, str]) -> frozenset[int]:
    return frozenset(range(7))


def _working_days(_tag: str, _parts: Mapping[str, str]) -> frozenset[int]:
    return frozenset(range(5))


def _named_day(tag: str, parts: Mapping[str, str]) -> frozenset[int]:
    number = _DAYS.get(parts["day"].casefold())
    if number is None:
        raise BadSchedule(f"{tag!r}: {parts['day']!r} is no day of the week")
    return frozenset({number})


_WEEKDAYS: Mapping[str, Callable[[str, Mapping[str, str]], frozenset[int]]] = MappingProxyType(
    {"daily": _any_day, "weekdays": _working_days, "weekly": _named_day, "monthly": _any_day}
)


def _month_day(tag: str, digits: str) -> int:
    if not 1 <= int(digits) <= 31:
        raise BadSchedule(f"{tag!r}: {digits} is no day of a month")
    return int(digits)


def _duration(tag: str, text: str) -> timedelta:
    seconds = sum(int(number) * _SECONDS[unit] for number, unit in _PART.findall(text.lower()))
    if not SHORTEST.total_seconds() <= seconds <= LONGEST.total_seconds():
        raise BadSchedule(f"{tag!r}: from a minute to ten years, not {text}")
    return timedelta(seconds=seconds)


def _moment(tag: str, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadSchedule(f"{tag!r}: {text!r} is no time in ISO 8601") from error
    # At the ends of the calendar no zone can be changed for another.
    if not date.min.year < moment.year < date.max.year:
        raise BadSchedule(f"{tag!r}: there is no year {moment.year}")
    return moment


def _zone(tag: str, name: str) -> ZoneInfo:
    # A name that is a folder of the zone database is an OSError, not a missing zone.
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise BadSchedule(f"{tag!r}: {name!r} is no time zone") from error
