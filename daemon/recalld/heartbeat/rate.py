"""How often the user answers, and how much slower that makes a heartbeat. Pure."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from recalld.heartbeat.model import Act, ActState

SPAN = timedelta(days=7)
MIN_ACTS = 3
# So soon the user speaks if that is to be an answer.
ANSWER_WITHIN = timedelta(hours=2)

ENOUGH = 0.5
SLOWEST = 2.0


def response_rate(acts: Iterable[Act], now: datetime) -> float | None:
    """The share of what reached the user in the last 7 days that was answered; None below three.

    An acknowledgement is an answer. What may still be answered in time is not counted before it
    is: a fresh message says nothing of the user.
    """
    judged = [
        was_answered(act)
        for act in acts
        if act.state is ActState.DELIVERED
        and timedelta(0) <= now - act.at <= SPAN
        and (was_answered(act) or now - act.at >= ANSWER_WITHIN)
    ]
    return sum(judged) / len(judged) if len(judged) >= MIN_ACTS else None


def was_answered(act: Act) -> bool:
    return act.answered_at is not None or act.acknowledged_at is not None


def multiplier(rate: float | None) -> float:
    """1 at a half and above, and where nothing is known; rising evenly to 2 at 0."""
    if rate is None or rate >= ENOUGH:
        return 1.0
    return SLOWEST - (SLOWEST - 1.0) * rate / ENOUGH
