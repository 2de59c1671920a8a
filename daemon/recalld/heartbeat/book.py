"""What is kept of an owner between ticks, and how ticks change it. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from recalld.heartbeat.acts import SCHEDULED, footprints, silenced, topics
from recalld.heartbeat.cooldown import Pace
from recalld.heartbeat.model import Act, Decision, Seen, Snapshot, State, Suppressed, Tier
from recalld.heartbeat.novelty import first_rest
from recalld.heartbeat.periods import day
from recalld.heartbeat.standing import state_of

# A model is asked so many times a day; older calls say nothing about today.
CALLS_KEPT = timedelta(hours=48)
# A memory that was shown longer ago may be shown as if never.
SURFACED_KEPT = timedelta(days=30)
# A schedule that was put off is still told so long after that.
PUT_OFF_KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """Of one owner, beside the acts. Keys of ``seen`` are workspaces' roots; ``calls`` are the
    times a model was asked; ``declined``: when one last kept a tick from saying a fingerprint."""

    suppressed: tuple[Suppressed, ...] = ()
    snoozed: Mapping[str, datetime] = field(default_factory=dict)
    surfaced: Mapping[str, datetime] = field(default_factory=dict)
    topics: Mapping[str, int] = field(default_factory=dict)
    last_state: State | None = None
    seen: Mapping[str, Seen] = field(default_factory=dict)
    calls: tuple[datetime, ...] = ()
    declined: Mapping[str, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aftermath:
    """What an act changes once it reached the user."""

    topics: tuple[str, ...] = ()
    state: State | None = None
    seen: Mapping[str, Seen] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAct:
    """An act with what it changes once it is delivered."""

    act: Act
    aftermath: Aftermath = field(default_factory=Aftermath)


def aftermath_of(decision: Decision, snapshot: Snapshot) -> Aftermath:
    """Made with the act: by the time it is delivered things may stand otherwise."""
    return Aftermath(
        topics=topics(decision),
        state=state_of(snapshot),
        seen=_seen(snapshot),
    )


def _seen(snapshot: Snapshot) -> Mapping[str, Seen]:
    return {
        one.root: Seen(at=snapshot.now, branch=one.branch, head=one.head)
        for one in snapshot.workspaces
    }


def after_call(book: Book, now: datetime) -> Book:
    """With a call of a model: kept before it is made, so that a limit holds whatever comes."""
    known = (at for at in book.calls if now - at < CALLS_KEPT)
    return replace(book, calls=(*known, now))


def calls_today(book: Book, now: datetime, zone: ZoneInfo) -> int:
    """On the user's calendar."""
    today = day(now, zone)
    return sum(day(at, zone) == today for at in book.calls)


def is_declined(book: Book, decision: Decision, *, pace: Pace, now: datetime) -> bool:
    """Whether a model said no to these very signals less than their first rest ago.

    It would only be asked the same again.
    """
    at = book.declined.get(decision.fingerprint)
    tier = Tier.LOW if decision.tier is None else decision.tier
    return at is not None and now - at < first_rest(tier, pace)


def after_refusal(book: Book, decision: Decision, now: datetime) -> Book:
    """With a model's no."""
    known = {key: at for key, at in book.declined.items() if now - at < CALLS_KEPT}
    return replace(book, declined={**known, decision.fingerprint: now})


def after_tick(book: Book, decision: Decision, snapshot: Snapshot) -> Book:
    """With what was held back, and where workspaces stood at first sight."""
    now = snapshot.now
    first = {root: seen for root, seen in _seen(snapshot).items() if root not in book.seen}
    return replace(
        book,
        suppressed=footprints(book.suppressed, decision, now),
        snoozed={key: until for key, until in book.snoozed.items() if _is_kept(key, until, now)},
        surfaced={key: at for key, at in book.surfaced.items() if now - at < SURFACED_KEPT},
        seen={**book.seen, **first},
    )


def _is_kept(key: str, until: datetime, now: datetime) -> bool:
    """What has a schedule has to come when it was put off to, though that tick may be silent."""
    return until > now - (PUT_OFF_KEPT if key.startswith(SCHEDULED) else timedelta(0))


def after_delivery(book: Book, kept: KeptAct, at: datetime) -> Book:
    """With what the user has seen now. An older act does not take back what a newer one told."""
    counted = dict(book.topics)
    for topic in kept.aftermath.topics:
        counted[topic] = counted.get(topic, 0) + 1
    told = {
        root: seen
        for root, seen in kept.aftermath.seen.items()
        if root not in book.seen or book.seen[root].at <= seen.at
    }
    states = [one for one in (book.last_state, kept.aftermath.state) if one is not None]
    return replace(
        book,
        surfaced={**book.surfaced, **dict.fromkeys(kept.act.memory_ids, at)},
        topics=counted,
        last_state=max(states, key=lambda one: one.at, default=None),
        seen={**book.seen, **told},
    )


def after_answers(book: Book, answered: Iterable[KeptAct]) -> Book:
    """An answer sets the counts of what was answered back to nothing."""
    heard = {topic for kept in answered for topic in kept.aftermath.topics}
    return replace(book, topics={key: n for key, n in book.topics.items() if key not in heard})


def silenced_until(book: Book, keys: Iterable[str], until: datetime) -> Book:
    return replace(book, snoozed={**book.snoozed, **dict.fromkeys(keys, until)})


def keys_of(act: Act, *, schedules: bool) -> tuple[str, ...]:
    """What an acknowledgement of the act keeps silent; with or without its schedules."""
    return silenced(act, schedules=schedules)
