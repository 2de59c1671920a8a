"""Which part of the user's day it is, and what may pass then. Pure.

Hours are those of the user's clock. A change of the clocks needs no rule: an hour that comes
twice is twice the same hour, one that is left out is nobody's.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from types import MappingProxyType
from zoneinfo import ZoneInfo

from recalld.heartbeat.model import Message, Period, Tier
from recalld.heartbeat.policy import QuietPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """``minimum``: the least urgent tier that may pass. ``slower``: times this, a wait is."""

    minimum: Tier
    slower: float


HABITS: Mapping[Period, Habit] = MappingProxyType(
    {
        Period.MORNING: Habit(minimum=Tier.LOW, slower=0.5),
        Period.WORKING: Habit(minimum=Tier.LOW, slower=1.0),
        Period.EVENING: Habit(minimum=Tier.NORMAL, slower=1.5),
        Period.LATE_NIGHT: Habit(minimum=Tier.ELEVATED, slower=3.0),
        Period.QUIET: Habit(minimum=Tier.IMMEDIATE, slower=3.0),
    }
)
# The first hour of each, latest first; before the last of them the night goes on.
_STARTS = (
    (21, Period.LATE_NIGHT),
    (17, Period.EVENING),
    (10, Period.WORKING),
    (7, Period.MORNING),
)

# Enough was said to know somebody's hours.
RHYTHM_SPAN = timedelta(days=14)
RHYTHM_MESSAGES = 100
RHYTHM_HOURS = 5
RHYTHM_SHARE = 0.02


def period(now: datetime, zone: ZoneInfo, quiet: QuietPolicy) -> Period:
    """Quiet where that is enabled and it is its time, else by the hour."""
    local = now.astimezone(zone).time()
    if quiet.enabled and is_between(local, quiet.start, quiet.end):
        return Period.QUIET
    return next((name for hour, name in _STARTS if local.hour >= hour), Period.LATE_NIGHT)


def is_between(local: time, start: str, end: str) -> bool:
    """From ``start``, itself included, until before ``end``, over midnight where that is earlier.

    The same time twice is no time at all.
    """
    first, last = time.fromisoformat(start), time.fromisoformat(end)
    if first <= last:
        return first <= local < last
    return local >= first or local < last


def day(at: datetime, zone: ZoneInfo) -> date:
    """The day on the user's calendar."""
    return at.astimezone(zone).date()


def is_unusual_hour(messages: Iterable[Message], now: datetime, zone: ZoneInfo) -> bool:
    """Whether the user is hardly ever there at this hour of the clock.

    Known from at least 100 messages in five different hours of the last 14 days; unusual is an
    hour with less than 2 % of them.
    """
    hours = Counter(
        message.at.astimezone(zone).hour
        for message in messages
        if now - RHYTHM_SPAN <= message.at <= now
    )
    count = hours.total()
    if count < RHYTHM_MESSAGES or len(hours) < RHYTHM_HOURS:
        return False
    return hours[now.astimezone(zone).hour] < RHYTHM_SHARE * count
