"""How the user's messages felt, and whether that changed. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from recalld.heartbeat.model import Message, Snapshot

LAST = 40
ENOUGH = 6
CHANGE = 0.3
NOTABLE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Mood:
    """Mean sentiment of the newer and of the older half; ``notable``: strong ones, oldest
    first."""

    recent: float
    before: float
    scored: int
    notable: tuple[Message, ...]

    @property
    def change(self) -> float:
        return self.recent - self.before


def mood(snapshot: Snapshot) -> Mood | None:
    """Of the last 40 messages those with a sentiment; None for fewer than six.

    Of an odd number the one in the middle is of the older half.
    """
    past = [message for message in snapshot.messages if message.at <= snapshot.now]
    scored = [message for message in past[-LAST:] if message.sentiment != 0]
    if len(scored) < ENOUGH:
        return None
    half = len(scored) // 2
    return Mood(
        recent=_mean(scored[-half:]),
        before=_mean(scored[:-half]),
        scored=len(scored),
        notable=tuple(one for one in scored if abs(one.sentiment) > NOTABLE),
    )


def _mean(messages: Sequence[Message]) -> float:
    return fmean(message.sentiment for message in messages)
