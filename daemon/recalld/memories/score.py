"""What memories that are found are ranked by. Pure."""

from datetime import datetime
from math import log

from recalld.memories.decay import DAY, burst_boost, decay
from recalld.memories.model import Memory

SIMILARITY = 0.35
RECENCY = 0.20
DECAY = 0.20
IMPORTANCE = 0.20
CONFIDENCE = 0.05


def recency(memory: Memory, now: datetime) -> float:
    """1 on the day it was made or last used, .5 after some two days, .23 after a month."""
    latest = max(memory.created_at, memory.accessed_at)
    return 1.0 / (1.0 + log(1.0 + max(0.0, (now - latest) / DAY)))


def balanced(memory: Memory, similarity: float, now: datetime) -> float:
    """In [0, 1]. ``similarity`` below 0 counts as 0. Only to rank by: it judges nothing."""
    return (
        SIMILARITY * min(1.0, max(0.0, similarity))
        + RECENCY * recency(memory, now)
        + DECAY * decay(memory, now)
        + IMPORTANCE * min(1.0, memory.importance + burst_boost(memory, now))
        + CONFIDENCE * memory.confidence
    )
