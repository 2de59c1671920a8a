"""What the user has heard already, and when it may be heard again. Pure.

A signal that was told rests: at first half an hour where it is immediate, twice the normal
cooldown otherwise, and twice as long each time it was told again, up to a day. So an overdue plan
that nobody touches is told after 30 minutes, an hour, two hours, and in the end once a day; it is
never silent for ever.

The doubling starts anew when the signal is news: its memory was changed, a schedule came due
again, a deadline came within the day or the hour, or passed. The first rest is kept even then.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from recalld.heartbeat.cooldown import AHEAD, HOUR, MINUTE, Pace
from recalld.heartbeat.fingerprint import subject, summary_hash
from recalld.heartbeat.model import ENRICHED, Act, Reason, Signal, Snapshot, Suppressed, Tier

History = Mapping[str, Sequence[Act]]

DEADLINES = "deadlines"
# Where a check says since when what it found is so.
SINCE: Mapping[str, str] = MappingProxyType(
    {
        "scheduled": "due_at",
        "continuity": "last_at",
        "memory_velocity": "since",
        "failing_tests": "changed_at",
        "blocker": "since",
    }
)
CRITICAL_WITHIN = HOUR
NEAR_WITHIN = 24 * HOUR
# From its second telling on a deadline that is ahead rests no less than such a share of the time
# that is left: what is due in twenty hours can wait longer than what is due in two.
SHARE_AHEAD = 8

IMMEDIATE_REST = 30 * MINUTE
LONGEST_REST = 24 * HOUR
_MOST_DOUBLINGS = 10

TOPIC_WINDOW = HOUR
TOPIC_OVERLAP = 0.85
# Only what was held back as a repetition stays back for a while; what had to wait its turn does
# not wait a second time.
_FOOTPRINT = frozenset({Reason.SUPPRESS_STALE, Reason.SUPPRESS_TOPIC_REPEAT})

MAX_SURFACINGS = 8
# So long even what is due rests once its topic is dropped.
DROPPED_REST = timedelta(days=7)
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
# No date of a memory can make arithmetic fail.
_EARLIEST = _LONG_AGO + NEAR_WITHIN


def history(acts: Iterable[Act]) -> History:
    """By a signal's id, the acts that told it, in the order of ``acts``."""
    found: dict[str, list[Act]] = {}
    for act in acts:
        for name in act.signal_ids:
            found.setdefault(name, []).append(act)
    return found


def is_critical(signal: Signal, now: datetime) -> bool:
    """A deadline less than an hour away, or past; not one that was marked as less urgent."""
    at = _deadline(signal)
    return signal.tier is Tier.IMMEDIATE and at is not None and at - now < CRITICAL_WITHIN


def is_ahead(signal: Signal, now: datetime) -> bool:
    """Whether it is a deadline that is not past."""
    at = _deadline(signal)
    return at is not None and at > now


def news_at(signal: Signal, now: datetime) -> datetime:
    """Since when the signal is what it is now; a date of the future says nothing."""
    known = [memory.updated_at for memory in signal.memories[:1]]
    since = signal.detail.get(SINCE.get(signal.check, ""))
    if isinstance(since, str):
        known.append(_moment(since))
    deadline = _deadline(signal)
    if deadline is not None:
        deadline = max(deadline, _EARLIEST)
        known.append(deadline - NEAR_WITHIN)
        known += [deadline - CRITICAL_WITHIN, deadline] if is_critical(signal, now) else []
    return max((at for at in known if at <= now), default=_LONG_AGO)


def is_new(signal: Signal, told: History, now: datetime) -> bool:
    """Whether it was not told since it is news."""
    since = news_at(signal, now)
    return all(act.at <= since for act in told.get(signal.id, ()))


def is_resting(signal: Signal, told: History, *, pace: Pace, now: datetime) -> bool:
    """Whether it was told too short a while ago; ``told`` is of counted acts, newest first."""
    before = told.get(signal.id, ())
    return bool(before) and now - before[0].at < _rest(signal, before, pace=pace, now=now)


def may_join(signal: Signal, told: History, *, pace: Pace, now: datetime) -> bool:
    """Whether a resting one may be told along with others: half of its rest is over, and no less
    than its first. So what rests for long comes in one message, not in as many as there are."""
    before = told.get(signal.id, ())
    if not before:
        return False
    rest = _rest(signal, before, pace=pace, now=now)
    return now - before[0].at >= max(first_rest(signal.tier, pace), rest / 2)


def _rest(signal: Signal, before: Sequence[Act], *, pace: Pace, now: datetime) -> timedelta:
    first = first_rest(signal.tier, pace)
    since = news_at(signal, now)
    times = sum(act.at > since for act in before)
    doublings = min(max(0, times - 1), _MOST_DOUBLINGS)
    rest = max(first, min(LONGEST_REST, first * (1 << doublings)))
    deadline = _deadline(signal)
    if doublings and deadline is not None and deadline > now:
        return max(rest, (deadline - now) / SHARE_AHEAD)
    return rest


def first_rest(tier: Tier, pace: Pace) -> timedelta:
    """How long the first silence about a signal, or about a whole set of them, lasts."""
    return IMMEDIATE_REST if tier is Tier.IMMEDIATE else 2 * pace.normal


def is_dropped(signal: Signal, told: History, snapshot: Snapshot) -> bool:
    """Whether its topic was brought up eight times without an answer.

    It comes back when it is news, and what is immediate also a week after it was last shown.
    """
    topic = subject(signal)
    if snapshot.topic_surfacings.get(topic, 0) < MAX_SURFACINGS:
        return False
    shown = [act.at for act in told.get(signal.id, ())]
    shown += [snapshot.surfaced[topic]] if topic in snapshot.surfaced else []
    last = max((at for at in shown if at <= snapshot.now + AHEAD), default=None)
    if last is not None and last < news_at(signal, snapshot.now):
        return False
    if signal.tier is not Tier.IMMEDIATE:
        return True
    return last is not None and snapshot.now - last < DROPPED_REST


def is_snoozed(signal: Signal, snapshot: Snapshot) -> bool:
    """Whether the user put it off, by its topic or its id; over at the very moment."""
    until = (snapshot.snoozed.get(key) for key in (subject(signal), signal.id))
    return any(moment is not None and snapshot.now < moment for moment in until)


def repeats_topic(
    signals: Sequence[Signal], fingerprint: str, *, acts: Sequence[Act], snapshot: Snapshot
) -> bool:
    """Whether this was just said in other words, or was held back as a repetition before.

    Just said: an act of the last hour with the same words, or with almost the same entities.
    Held back: less than two hours since the first time, or since the last act on it; held back
    again, that does not begin anew.
    """
    recent = [
        act for act in acts if act.reason in ENRICHED and snapshot.now - act.at < TOPIC_WINDOW
    ]
    words, names = summary_hash(signals), entities(signals, snapshot)
    said = any(
        act.summary_hash == words or _overlap(names, act.entities) > TOPIC_OVERLAP for act in recent
    )
    return said or _has_footprint(fingerprint, snapshot.suppressed, snapshot.now)


def entities(signals: Iterable[Signal], snapshot: Snapshot) -> tuple[str, ...]:
    """The names that the signals' memories mention, each once, in order."""
    every = [
        name
        for signal in signals
        for memory in signal.memories
        for name in snapshot.entities.get(memory.id, ())
    ]
    return tuple(dict.fromkeys(every))


def _has_footprint(fingerprint: str, suppressed: Iterable[Suppressed], now: datetime) -> bool:
    return any(
        one.fingerprint == fingerprint
        and one.reason in _FOOTPRINT
        and timedelta(0) <= now - one.first_at < 2 * TOPIC_WINDOW
        for one in suppressed
    )


def _overlap(one: Iterable[str], other: Iterable[str]) -> float:
    """What both have of what either has, in [0, 1]; 0 where there is nothing."""
    mine, theirs = frozenset(one), frozenset(other)
    return len(mine & theirs) / len(mine | theirs) if mine and theirs else 0.0


def _deadline(signal: Signal) -> datetime | None:
    if signal.check != DEADLINES:
        return None
    dates = [memory.expires_at for memory in signal.memories if memory.expires_at is not None]
    return min(dates, default=None)


def _moment(text: str) -> datetime:
    """A time as checks write it; what is none was long ago."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return _LONG_AGO
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
