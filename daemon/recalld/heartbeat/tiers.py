"""How urgent a signal is, after what its memories say of themselves. Pure."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime, timedelta

from recalld.heartbeat.model import Tier
from recalld.memories.model import Memory

# What raises and what lowers a tier, as ``_plain`` writes tags.
RAISING = frozenset({"critical", "urgent", "紧急", "緊急", "加急"})
LOWERING = frozenset({"low-priority", "backlog", "低优先级", "低優先級", "不急"})

FRESH = timedelta(minutes=30)
# Checks whose signals are more urgent while they are news.
FRESHENED = frozenset({"pending_work", "goal_progress", "knowledge_gaps", "decaying"})

_JOINTS = re.compile(r"[\s_-]+")


def effective(base: Tier, memories: Sequence[Memory], now: datetime, check: str) -> Tier:
    """``base``, changed by tags and by freshness: one step each, within the four tiers.

    One urgent memory is enough to raise; to lower, every memory has to be tagged so. A signal
    with both kinds of tag stays where it is. Fresh is what was made at most 30 minutes ago.
    """
    wanted = base + _by_tags(memories) - int(_is_fresh(memories, now, check))
    return Tier(min(Tier.LOW, max(Tier.IMMEDIATE, wanted)))


def _by_tags(memories: Sequence[Memory]) -> int:
    tags = [frozenset(map(_plain, memory.tags)) for memory in memories]
    raised = any(not own.isdisjoint(RAISING) for own in tags)
    lowered = bool(tags) and all(not own.isdisjoint(LOWERING) for own in tags)
    return int(lowered) - int(raised)


def _is_fresh(memories: Sequence[Memory], now: datetime, check: str) -> bool:
    return check in FRESHENED and any(now - memory.created_at <= FRESH for memory in memories)


def _plain(tag: str) -> str:
    """The tag in one width, case and way to join words."""
    return _JOINTS.sub("-", unicodedata.normalize("NFKC", tag).casefold().strip())
