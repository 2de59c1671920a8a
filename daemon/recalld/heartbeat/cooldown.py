"""How long to wait between acts, and which acts count. Pure.

An act is prepared, then delivered or failed. Delivered ones count. A failed one never reached
anybody: it counts for nothing, so what it was about comes back. A prepared one is on its way: it
counts as delivered for half an hour, so that nothing is said twice meanwhile; whoever has not
confirmed it by then never will.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from zoneinfo import ZoneInfo

from recalld.heartbeat.model import ENRICHED, Act, ActState, Autonomy, Period, Tier
from recalld.heartbeat.periods import HABITS, day
from recalld.heartbeat.rate import multiplier

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)

PENDING_FOR = timedelta(minutes=30)
# An act further in the future is from a clock that was wrong; waiting for it might take years.
AHEAD = timedelta(days=1)

# Failures in a row from which on only what is immediate is tried, and for how long.
SUSPENDED_FROM = 3
MAX_SUSPENDED = timedelta(hours=6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What an autonomy means. ``nudge_after``: None is never. ``confluence``: from this score."""

    cooldowns: Mapping[Tier, timedelta]
    nudge_after: timedelta | None
    nudges_per_day: int
    nudge_longest: timedelta
    confluence: float

    @property
    def normal(self) -> timedelta:
        return self.cooldowns[Tier.NORMAL]

    @property
    def short(self) -> timedelta:
        return self.cooldowns[Tier.ELEVATED]


def _cooldowns(
    *, normal: timedelta, elevated: timedelta, low: timedelta
) -> Mapping[Tier, timedelta]:
    return MappingProxyType(
        {
            Tier.IMMEDIATE: timedelta(0),
            Tier.ELEVATED: elevated,
            Tier.NORMAL: normal,
            Tier.LOW: low,
        }
    )


PACES: Mapping[Autonomy, Pace] = MappingProxyType(
    {
        Autonomy.OBSERVE: Pace(
            cooldowns=_cooldowns(normal=4 * HOUR, elevated=2 * HOUR, low=8 * HOUR),
            nudge_after=None,
            nudges_per_day=0,
            nudge_longest=12 * HOUR,
            confluence=20,
        ),
        Autonomy.SUGGEST: Pace(
            cooldowns=_cooldowns(normal=2 * HOUR, elevated=30 * MINUTE, low=4 * HOUR),
            nudge_after=4 * HOUR,
            nudges_per_day=3,
            nudge_longest=24 * HOUR,
            confluence=12,
        ),
        Autonomy.ACT: Pace(
            cooldowns=_cooldowns(normal=30 * MINUTE, elevated=15 * MINUTE, low=60 * MINUTE),
            nudge_after=2 * HOUR,
            nudges_per_day=8,
            nudge_longest=48 * HOUR,
            confluence=8,
        ),
    }
)


def counted(acts: Iterable[Act], now: datetime) -> tuple[Act, ...]:
    """The acts that the user has or is about to get, newest first."""
    return tuple(
        act
        for act in maybe_seen(acts, now)
        if act.state is ActState.DELIVERED or now - act.at < PENDING_FOR
    )


def maybe_seen(acts: Iterable[Act], now: datetime) -> tuple[Act, ...]:
    """Those that did not fail, also prepared ones that nobody confirmed, newest first."""
    found = [act for act in acts if act.state is not ActState.FAILED and act.at <= now + AHEAD]
    return tuple(sorted(found, key=lambda act: act.at, reverse=True))


def messages_today(acts: Iterable[Act], now: datetime, zone: ZoneInfo) -> int:
    """How many of them are of today on the user's calendar."""
    today = day(now, zone)
    return sum(day(act.at, zone) == today for act in acts)


def last_about_signals(acts: Iterable[Act]) -> Act | None:
    """The newest of counted acts that waits are counted from.

    A nudge or a first contact is none: it must not hold back news.
    """
    return next((act for act in acts if act.reason in ENRICHED), None)


def is_running(
    wait: timedelta, *, last: Act | None, now: datetime, period: Period, rate: float | None
) -> bool:
    """Whether ``wait``, longer or shorter by period and by how the user answers, goes on."""
    if last is None:
        return False
    return now - last.at < wait * HABITS[period].slower * multiplier(rate)


def failures(acts: Iterable[Act]) -> int:
    """Failed deliveries since the last that succeeded; ``acts`` newest first."""
    count = 0
    for act in acts:
        if act.state is ActState.DELIVERED:
            break
        if act.state is ActState.FAILED:
            count += max(1, act.attempts)
    return count


def is_suspended(acts: Iterable[Act], now: datetime) -> bool:
    """Whether delivery rests after three failures or more: an hour, one more for each, at most
    six. ``acts`` newest first."""
    every = [act for act in acts if act.at <= now + AHEAD]
    count = failures(every)
    if count < SUSPENDED_FROM:
        return False
    last = next(act.at for act in every if act.state is ActState.FAILED)
    return now - last < min(MAX_SUSPENDED, (count - SUSPENDED_FROM + 1) * HOUR)
