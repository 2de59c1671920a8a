"""Whether a new memory says what is remembered already. Pure.

Two messages become one only where nothing of either is lost: same owner, type and kind of
moment, and the same words but for fillers. Everything else is a memory of its own; one too many
costs a line, one too few costs a fact.
"""

from datetime import timedelta

from recalld.memories.decay import CRON
from recalld.memories.gist import gist, same, turned
from recalld.memories.model import Memory, MemoryState, MemoryType
from recalld.memories.scale import NEAR, SEMANTIC, Scale

# Something that happened happens again another day, and is another memory then.
MOMENTARY = frozenset({MemoryType.EVENT, MemoryType.ACTIVITY})
ONE_MOMENT = timedelta(days=1)
# What may still be added to; a plan that is resolved can be made anew.
OPEN = frozenset({MemoryState.ACTIVE, MemoryState.STALE})
# How much of the doubt a repetition takes away.
SURER = 0.25


def may_repeat(new: Memory, old: Memory) -> bool:
    """Whether ``new`` could be ``old`` again, whatever the two say."""
    return (
        new.owner == old.owner
        and new.type is old.type
        and (old.state in OPEN if new.state is MemoryState.ACTIVE else old.state is new.state)
        and new.visibility is old.visibility
        and new.expires_at in (None, old.expires_at)
        and schedule_tags(new) <= schedule_tags(old)
        and (new.type not in MOMENTARY or abs(new.created_at - old.created_at) < ONE_MOMENT)
    )


def repeats(new: str, old: str, cosine: float | None, scale: Scale) -> bool:
    """Whether two texts are one message. ``cosine`` is the engine's; None where it has none yet.

    ``NEAR`` is enough for the same words in the same order, ``SEMANTIC`` where two parts of the
    sentence changed places. Without a cosine only the former.
    """
    one, other = gist(new), gist(old)
    near = None if cosine is None else scale.common(cosine)
    if same(one, other):
        return near is None or near >= NEAR
    return near is not None and near >= SEMANTIC and turned(one, other)


def surer(confidence: float) -> float:
    """The confidence in what was said once more."""
    return confidence + SURER * (1.0 - confidence)


def schedule_tags(memory: Memory) -> frozenset[str]:
    """Its schedules, good ones or not."""
    tags = (tag.casefold() for tag in memory.tags)
    return frozenset(tag for tag in tags if tag.startswith(CRON))
