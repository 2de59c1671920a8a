"""A word when it has been still for long and nothing is due. Pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from recalld.heartbeat import cron
from recalld.heartbeat.cooldown import HOUR, Pace
from recalld.heartbeat.model import ENRICHED, Act, Period, Reason, Signal, Snapshot
from recalld.heartbeat.novelty import MAX_SURFACINGS
from recalld.heartbeat.periods import day, is_unusual_hour
from recalld.heartbeat.rate import multiplier
from recalld.memories.model import Memory, MemoryState, MemoryType

PERIODS = frozenset({Period.MORNING, Period.WORKING})
COUNTED_WITHIN = 24 * HOUR
MAX_DOUBLINGS = 10
# What was shown or nudged about so recently is not picked.
SHOWN_WITHIN = 4 * HOUR
NUDGED_WITHIN = timedelta(days=7)

# Who the user is, whom they know and how they like things: nothing to be reminded of while there
# is anything else.
TRAITS = frozenset({MemoryType.IDENTITY, MemoryType.PREFERENCE, MemoryType.RELATIONSHIP})
WORK = frozenset({MemoryType.PLAN, MemoryType.ACTIVITY})
WORK_ACCESSES = 3
WORK_IMPORTANCE = 0.5
IMPORTANT = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a nudge looks at. ``signals``: of this tick. ``acts``: all but failed ones, newest
    first: a nudge that may have been seen is never said again for want of a confirmation."""

    snapshot: Snapshot
    acts: tuple[Act, ...]
    signals: tuple[Signal, ...]
    pace: Pace
    period: Period
    talking: bool
    rate: float | None


def outcome(scene: Scene) -> tuple[Reason, Memory | None]:
    """``nudge`` and what about, or why not: ``no_signals`` where there is no occasion, else the
    limit that was reached."""
    if not _has_occasion(scene):
        return Reason.NO_SIGNALS, None
    nudges = [act for act in scene.acts if act.reason is Reason.NUDGE]
    if _today(nudges, scene.snapshot) >= scene.pace.nudges_per_day:
        return Reason.SUPPRESS_NUDGE_CAP, None
    if nudges and scene.snapshot.now - nudges[0].at < interval(nudges, scene):
        return Reason.SUPPRESS_NUDGE_BACKOFF, None
    memory = content(scene)
    return (Reason.NO_SIGNALS, None) if memory is None else (Reason.NUDGE, memory)


def interval(nudges: Sequence[Act], scene: Scene) -> timedelta:
    """How long to wait after the newest, which stands first: twice as long for each one of the
    24 hours up to it, and longer where the user does not answer."""
    recent = sum(nudges[0].at - act.at < COUNTED_WITHIN for act in nudges)
    first, longest = scene.pace.nudge_after or scene.pace.nudge_longest, scene.pace.nudge_longest
    return min(longest, first * (1 << min(recent, MAX_DOUBLINGS)) * multiplier(scene.rate))


def content(scene: Scene) -> Memory | None:
    """What to speak of, by the first search that finds something; None where nothing may be.

    Usual things of this weekday; what shares names with the last topic; work not shown for a
    while and hardly ever looked at; what is important; the rest; who the user is and what the
    user likes. In each the most important first, then the newest, then by id.
    """
    resting = _resting(scene)
    able = [one for one in scene.snapshot.said if one.id not in resting and _is_able(one, scene)]
    best = (min(search(able, scene), key=_weight, default=None) for search in SEARCHES)
    return next((memory for memory in best if memory is not None), None)


def last_sign(scene: Scene) -> datetime | None:
    """When something was last said or shown, by the user or to the user; None where never."""
    snapshot = scene.snapshot
    signs = [last_message(snapshot)]
    signs += [memory.created_at for memory in snapshot.said[-1:]]
    for act in scene.acts:
        signs += (act.at, act.answered_at, act.acknowledged_at)
    return max((at for at in signs if at is not None and at <= snapshot.now), default=None)


def last_message(snapshot: Snapshot) -> datetime | None:
    """When the user said something last; None where never."""
    times = (message.at for message in reversed(snapshot.messages) if message.at <= snapshot.now)
    return next(times, None)


def _has_occasion(scene: Scene) -> bool:
    after, last = scene.pace.nudge_after, last_sign(scene)
    if scene.talking or scene.period not in PERIODS or after is None:
        return False
    if last is not None and scene.snapshot.now - last < after:
        return False
    return not is_unusual_hour(scene.snapshot.messages, scene.snapshot.now, scene.snapshot.zone)


def _today(nudges: Iterable[Act], snapshot: Snapshot) -> int:
    today = day(snapshot.now, snapshot.zone)
    return sum(day(act.at, snapshot.zone) == today for act in nudges)


def _patterns(able: Sequence[Memory], scene: Scene) -> Iterator[Memory]:
    usual = {
        memory.id
        for signal in scene.signals
        if signal.check == "patterns"
        for memory in signal.memories
    }
    return (memory for memory in able if memory.id in usual)


def _neighbours(able: Sequence[Memory], scene: Scene) -> Iterator[Memory]:
    """Those that share the most names."""
    named = scene.snapshot.entities
    topic = frozenset(_topic(scene)) if named else frozenset[str]()
    shared = {one.id: len(topic.intersection(named.get(one.id, ()))) for one in able if topic}
    most = max(shared.values(), default=0)
    return (one for one in able if most and shared[one.id] == most)


def _topic(scene: Scene) -> tuple[str, ...]:
    """The names of the last act about signals, else of the newest memory that has some."""
    acted = next((act.entities for act in scene.acts if act.reason in ENRICHED), ())
    named = (scene.snapshot.entities.get(one.id, ()) for one in reversed(scene.snapshot.said))
    return acted or next(filter(None, named), ())


def _work(able: Sequence[Memory], _: Scene) -> Iterator[Memory]:
    return (
        one
        for one in able
        if one.type in WORK
        and one.access_count < WORK_ACCESSES
        and one.importance >= WORK_IMPORTANCE
    )


def _important(able: Sequence[Memory], _: Scene) -> Iterator[Memory]:
    return (one for one in able if one.importance >= IMPORTANT and one.type not in TRAITS)


def _matters(able: Sequence[Memory], _: Scene) -> Iterator[Memory]:
    return (memory for memory in able if memory.type not in TRAITS)


def _any(able: Sequence[Memory], _: Scene) -> Iterator[Memory]:
    return iter(able)


SEARCHES: tuple[Callable[[Sequence[Memory], Scene], Iterator[Memory]], ...] = (
    _patterns,
    _neighbours,
    _work,
    _important,
    _matters,
    _any,
)


def _weight(memory: Memory) -> tuple[float, float, str]:
    return -memory.importance, -memory.created_at.timestamp(), memory.id


def _resting(scene: Scene) -> frozenset[str]:
    """What was nudged about of late; the same word twice a week is no company."""
    return frozenset(
        memory
        for act in scene.acts
        if act.reason is Reason.NUDGE and scene.snapshot.now - act.at < NUDGED_WITHIN
        for memory in act.memory_ids
    )


def _is_able(memory: Memory, scene: Scene) -> bool:
    """Active, not with a time of its own, and neither put off, given up nor just shown."""
    snapshot = scene.snapshot
    shown, until = snapshot.surfaced.get(memory.id), snapshot.snoozed.get(memory.id)
    return (
        memory.state is MemoryState.ACTIVE
        and memory.type is not MemoryType.EPHEMERAL
        and not any(cron.is_schedule(tag) for tag in memory.tags)
        and (shown is None or snapshot.now - shown >= SHOWN_WITHIN)
        and (until is None or until <= snapshot.now)
        and snapshot.topic_surfacings.get(memory.id, 0) < MAX_SURFACINGS
    )
