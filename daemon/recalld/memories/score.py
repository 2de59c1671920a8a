"""What memories that are found are ranked by. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from math import log

from recalld.memories.decay import DAY, burst_boost, decay
from recalld.memories.model import Memory, Similar

SIMILARITY = 0.35
RECENCY = 0.20
DECAY = 0.20
IMPORTANCE = 0.20
CONFIDENCE = 0.05
# How fast that goes: at half of the nearest's similarity a quarter of it counts.
BEHIND = 2


def recency(memory: Memory, now: datetime) -> float:
    """1 on the day it was made or last used, .5 after some two days, .23 after a month."""
    latest = max(memory.created_at, memory.accessed_at)
    return 1.0 / (1.0 + log(1.0 + max(0.0, (now - latest) / DAY)))


def balanced(memory: Memory, similarity: float, now: datetime) -> float:
    """In [0, 1]. ``similarity`` below 0 counts as 0. Only to rank by: it judges nothing."""
    return ranked(memory, similarity, similarity, now)


def by_score(found: Sequence[Similar], now: datetime) -> tuple[Similar, ...]:
    """Those found with their score, the best first, ties by id."""
    nearest = max((each.similarity for each in found), default=0.0)
    scored = [
        replace(each, score=ranked(each.memory, each.similarity, nearest, now)) for each in found
    ]
    return tuple(sorted(scored, key=lambda each: (-each.score, each.memory.id)))


def ranked(memory: Memory, similarity: float, nearest: float, now: datetime) -> float:
    """``balanced`` beside a memory that is as near as ``nearest``.

    What a memory is worth by itself counts less the further it lies behind: all that was noted
    today is fresh, and would stand before the old one that answers.
    """
    own = (
        RECENCY * recency(memory, now)
        + DECAY * decay(memory, now)
        + IMPORTANCE * min(1.0, memory.importance + burst_boost(memory, now))
        + CONFIDENCE * memory.confidence
    )
    near = min(1.0, max(0.0, similarity))
    share = near / nearest if 0.0 < near < nearest else float(near >= nearest)
    return SIMILARITY * near + own * share**BEHIND
