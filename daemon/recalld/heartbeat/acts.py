"""What an act leaves behind, so that the next decision knows of it. Pure."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from recalld.heartbeat.fingerprint import subject, summary_hash
from recalld.heartbeat.model import Act, ActState, Decision, Signal, Snapshot, Suppressed, Tier
from recalld.heartbeat.novelty import entities
from recalld.heartbeat.rate import ANSWER_WITHIN

# So long an acknowledgement without a time of its own is silence.
ACKNOWLEDGED_FOR = timedelta(hours=24)
KEPT_FOR = timedelta(days=7)
SCHEDULED = "scheduled:"


def prepared(decision: Decision, snapshot: Snapshot, act_id: str) -> Act:
    """The act of a decision to act, before it is delivered and without its message."""
    signals = decision.signals
    about = [memory.id for signal in signals for memory in signal.memories]
    about += [] if decision.nudge is None else [decision.nudge.id]
    return Act(
        id=act_id,
        owner=snapshot.owner,
        at=snapshot.now,
        reason=decision.reason,
        tier=Tier.LOW if decision.tier is None else decision.tier,
        fingerprint=decision.fingerprint,
        state=ActState.PREPARED,
        signal_ids=tuple(signal.id for signal in signals),
        memory_ids=tuple(dict.fromkeys(about)),
        entities=entities(signals, snapshot),
        summary_hash=summary_hash(signals),
    )


def topics(decision: Decision) -> tuple[str, ...]:
    """What the act brings up, each once: what ``topic_surfacings`` counts once it is delivered.

    An answer sets the counts of what was answered back to nothing. What is due by a schedule is
    another matter every time: nobody has to be pressed about it.
    """
    named = [subject(signal) for signal in decision.signals if not _is_scheduled(signal)]
    named += [] if decision.nudge is None else [decision.nudge.id]
    return tuple(dict.fromkeys(named))


def _is_scheduled(signal: Signal) -> bool:
    return signal.id.startswith(SCHEDULED)


def footprints(
    suppressed: Sequence[Suppressed], decision: Decision, now: datetime
) -> tuple[Suppressed, ...]:
    """What is held back after a decision: an act ends it, the first time stands until then.

    After a week it is forgotten.
    """
    mine = decision.fingerprint
    known = tuple(one for one in suppressed if now - one.first_at < KEPT_FOR)
    if decision.act:
        return tuple(one for one in known if one.fingerprint != mine)
    if not mine or any(one.fingerprint == mine for one in known):
        return known
    return (*known, Suppressed(fingerprint=mine, first_at=now, reason=decision.reason))


def answered(acts: Iterable[Act], at: datetime) -> tuple[Act, ...]:
    """The acts after the user spoke at ``at``: an answer to what reached the user in the two
    hours before and has none yet."""
    return tuple(replace(act, answered_at=at) if _may_be_answered(act, at) else act for act in acts)


def replied(acts: Iterable[Act], times: Sequence[datetime]) -> tuple[Act, ...]:
    """As ``answered`` with each of these times, which ascend."""
    return tuple(
        answered((act,), times[first])[0]
        if (first := bisect_left(times, act.at)) < len(times)
        else act
        for act in acts
    )


def _may_be_answered(act: Act, at: datetime) -> bool:
    return (
        act.state is ActState.DELIVERED
        and act.answered_at is None
        and timedelta(0) <= at - act.at <= ANSWER_WITHIN
    )


def silenced(act: Act, *, schedules: bool = True) -> tuple[str, ...]:
    """The keys that ``snoozed`` gets when the act is acknowledged.

    Without ``schedules``: not those of what was due by one. It counts anew from when it was told.
    """
    keys = dict.fromkeys((*act.memory_ids, *act.signal_ids))
    due = () if schedules else [key for key in keys if key.startswith(SCHEDULED)]
    left_out = {*due, *(key.removeprefix(SCHEDULED) for key in due)}
    return tuple(key for key in keys if key not in left_out)


def silent_until(now: datetime, snooze_s: float | None) -> datetime:
    """Until when an acknowledgement keeps its signals silent."""
    return now + (ACKNOWLEDGED_FOR if snooze_s is None else timedelta(seconds=snooze_s))
