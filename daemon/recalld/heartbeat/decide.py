"""Whether a tick speaks, and why. Pure.

The steps stand in the order in which they are asked; the first that has a verdict ends it. A
verdict to act then has to pass the limits: delivery that rests, and the day's messages.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from recalld.heartbeat import fingerprint, novelty, nudge
from recalld.heartbeat.model import (
    ACTS,
    Autonomy,
    Cooldown,
    Decision,
    Period,
    Reason,
    Signal,
    Snapshot,
    Tier,
)
from recalld.heartbeat.periods import HABITS, is_unusual_hour
from recalld.heartbeat.policy import HeartbeatPolicy
from recalld.heartbeat.view import View, look, talking_minimum
from recalld.memories.model import Memory

FEW_MEMORIES = 5
LONG_HELD = timedelta(days=1)
# This share of the day's messages is kept for what was not told yet.
KEPT_FOR_NEWS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    reason: Reason
    nudge: Memory | None = None

    @property
    def act(self) -> bool:
        return self.reason in ACTS


Step = Callable[[View], Verdict | None]


def decide(  # noqa: PLR0913 - what a tick is asked with
    snapshot: Snapshot,
    signals: Iterable[Signal],
    *,
    policy: HeartbeatPolicy,
    autonomy: Autonomy,
    in_conversation: bool | None = None,
    signals_only: bool = False,
    delivers: bool = True,
) -> Decision:
    """The decision of one tick; the same for the same arguments.

    ``signals_only`` asks for the signals without a verdict. ``delivers``: False where whoever
    asks takes the message itself, so that failed deliveries say nothing.

    The decision's ``signals`` are, of an act, those it is about: what rests or may not pass now
    is not among them. Otherwise all that were found. ``fingerprint`` is of the signals of an
    act, or of those that were held back; empty where there are none, so also for a nudge.
    """
    view = look(
        snapshot, signals, policy=policy, autonomy=autonomy, in_conversation=in_conversation
    )
    if signals_only:
        return _decision(view, Verdict(reason=Reason.SIGNALS_ONLY))
    found = (verdict for step in STEPS if (verdict := step(view)) is not None)
    verdict = next(found)
    if delivers and verdict.act and view.is_suspended() and view.best is not Tier.IMMEDIATE:
        verdict = Verdict(reason=Reason.DELIVERY_SUSPENDED)
    return _decision(view, _within_the_day(view, verdict))


def _first_contact(view: View) -> Verdict | None:
    """Once an owner, while there is next to nothing to go by; not in quiet hours.

    Acts of long ago may be gone; the state that the last one left stays.
    """
    snapshot = view.snapshot
    known = bool(view.seen) or snapshot.last_state is not None
    if snapshot.store_size < FEW_MEMORIES and not known and view.period is not Period.QUIET:
        return Verdict(reason=Reason.FIRST_CONTACT)
    return None


def _nothing_open(view: View) -> Verdict | None:
    if view.open:
        return None
    return _nudge(view, Reason.SUPPRESS_SNOOZED if view.snoozed else Reason.NO_SIGNALS)


def _deadline_critical(view: View) -> Verdict | None:
    """Not while it rests, and not with the very set that was just said."""
    critical = any(novelty.is_critical(one, view.snapshot.now) for one in view.fresh)
    if not critical or view.was_just_said(novelty.IMMEDIATE_REST):
        return None
    return Verdict(reason=Reason.ACT_DEADLINE_CRITICAL)


def _time_period(view: View) -> Verdict | None:
    """Not urgent enough for the hour, or at night a repetition."""
    repeated = not view.fresh and (view.period is Period.QUIET or bool(view.hushed))
    if repeated or _best(view) > HABITS[view.period].minimum:
        return Verdict(reason=Reason.SUPPRESS_TIME_PERIOD)
    return None


def _rhythm(view: View) -> Verdict | None:
    """Not at an hour when the user is hardly ever there, unless it was held back for a day: who
    talks in all the other hours would never hear of it."""
    snapshot = view.snapshot
    if _best(view) <= Tier.ELEVATED or view.has_waited(LONG_HELD):
        return None
    if is_unusual_hour(snapshot.messages, snapshot.now, snapshot.zone):
        return Verdict(reason=Reason.SUPPRESS_RHYTHM)
    return None


def _conversation(view: View) -> Verdict | None:
    if view.talking and _best(view) > talking_minimum(view.signals):
        return Verdict(reason=Reason.SUPPRESS_CONVERSATION_LOW)
    return None


def _immediate(view: View) -> Verdict | None:
    if _best(view) is not Tier.IMMEDIATE:
        return None
    stale = not view.fresh or view.was_just_said(novelty.IMMEDIATE_REST)
    return Verdict(reason=Reason.SUPPRESS_STALE if stale else Reason.ACT)


def _confluence(view: View) -> Verdict | None:
    """Sooner than a cooldown would allow, but only news, and never within the short cooldown."""
    able = _best(view) > Tier.ELEVATED and view.confluence >= view.pace.confluence
    if not able or not view.has_news() or view.is_waiting(view.pace.short):
        return None
    repeated = view.was_just_said(2 * view.pace.normal) or view.repeats_topic()
    return None if repeated else Verdict(reason=Reason.ACT_CONFLUENCE)


def _low(view: View) -> Verdict | None:
    if _best(view) is Tier.LOW and view.confluence < view.pace.confluence:
        return _nudge(view, Reason.SUPPRESS_LOW_NO_CONFLUENCE)
    return None


def _cooldown(view: View) -> Verdict | None:
    if view.is_waiting(view.pace.cooldowns[_best(view)]):
        return Verdict(reason=Reason.SUPPRESS_COOLDOWN)
    return None


def _stale(view: View) -> Verdict | None:
    """Nothing of it is news: silent while it rests, told once more after that."""
    if not view.fresh or view.was_just_said(2 * view.pace.normal):
        return Verdict(reason=Reason.SUPPRESS_STALE)
    # An act that does not name its signals is known by the whole of them.
    said = any(act.fingerprint == view.fingerprint for act in view.acts if not act.signal_ids)
    if view.has_news() and not said:
        return None
    return Verdict(reason=Reason.SUPPRESS_STALE if view.talking else Reason.ACT_STALE_ESCALATED)


def _topic(view: View) -> Verdict | None:
    return Verdict(reason=Reason.SUPPRESS_TOPIC_REPEAT) if view.repeats_topic() else None


def _act(_: View) -> Verdict:
    return Verdict(reason=Reason.ACT)


STEPS: tuple[Step, ...] = (
    _first_contact,
    _nothing_open,
    _deadline_critical,
    _time_period,
    _rhythm,
    _conversation,
    _immediate,
    _confluence,
    _low,
    _cooldown,
    _stale,
    _topic,
    _act,
)


def _nudge(view: View, otherwise: Reason) -> Verdict:
    """A nudge if it is time for one. A nudge's own limits are told where nothing else is."""
    reason, memory = nudge.outcome(view.scene)
    if memory is None and otherwise is not Reason.NO_SIGNALS:
        reason = otherwise
    return Verdict(reason=reason, nudge=memory)


def _within_the_day(view: View, verdict: Verdict) -> Verdict:
    """The verdict, or that the user has had enough messages today.

    The last quarter of the day's messages is for news: repetitions and nudges must not use up
    what a deadline may need in the evening.
    """
    if not verdict.act:
        return verdict
    most = view.policy.max_messages_per_day
    news = verdict.reason is Reason.FIRST_CONTACT or (verdict.nudge is None and view.has_news())
    limit = most if news else most - most // KEPT_FOR_NEWS
    if view.messages_today() >= limit:
        return Verdict(reason=Reason.SUPPRESS_DAILY_CAP)
    return verdict


def _decision(view: View, verdict: Verdict) -> Decision:
    signals = _told(view, verdict)
    mine = signals if verdict.act or verdict.reason is Reason.SIGNALS_ONLY else view.judged
    return Decision(
        act=verdict.act,
        reason=verdict.reason,
        tier=min((one.tier for one in mine), default=None),
        signals=signals,
        fingerprint=fingerprint.of(mine),
        cooldown=_state(view, verdict),
        confluence=view.confluence,
        period=view.period,
        escalation=_escalation(view, mine, verdict.nudge),
        response_rate=view.rate,
        nudge=verdict.nudge,
        dropped=tuple(one.id for one in view.dropped),
    )


def _told(view: View, verdict: Verdict) -> tuple[Signal, ...]:
    if verdict.reason in (Reason.FIRST_CONTACT, Reason.NUDGE):
        return ()
    if not verdict.act:
        return view.signals
    both = (*view.passing, *view.joining())
    return tuple(sorted(both, key=lambda one: one.tier))


def _state(view: View, verdict: Verdict) -> Cooldown:
    """Of the wait that goes for the most urgent signal; of a normal one where there is none."""
    if view.best is Tier.IMMEDIATE:
        return Cooldown.BYPASSED
    tier = Tier.NORMAL if view.best is None else view.best
    if not view.is_waiting(view.pace.cooldowns[tier]):
        return Cooldown.EXPIRED
    return Cooldown.BYPASSED if verdict.act else Cooldown.ACTIVE


def _escalation(view: View, signals: Sequence[Signal], nudged: Memory | None) -> int:
    """How often the topic has been brought up, this time included; 0 without a topic.

    The topic is the one among the most urgent signals that was brought up most.
    """
    counts = view.snapshot.topic_surfacings
    topics = [fingerprint.subject(one) for one in signals if one.tier == signals[0].tier]
    topics += [] if nudged is None else [nudged.id]
    return max((counts.get(topic, 0) + 1 for topic in topics), default=0)


def _best(view: View) -> Tier:
    """Only asked where something is open."""
    return min(one.tier for one in view.judged)
