"""Which memories a tick's signals are enriched for, and what may be related to them. Pure.

asked = pick(decision.signals)
for each: found = the memories nearest to asked.memory, by ``wanted``, ``OVER_FETCH`` of them
          related.relate(asked, found, ...)
merge(...)
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recalld.heartbeat.model import Related, Signal, Tier
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin, Similar, Wanted

MAX_ASKED = 3
EACH = 3
IN_ALL = MAX_ASKED * EACH
# As many are fetched for one signal memory, so that rules which only fit some leave enough.
OVER_FETCH = 50

TYPES = frozenset({MemoryType.ACTIVITY, MemoryType.PLAN, MemoryType.EVENT})
# A matter that is resolved is what helps most when it comes up again.
STATES = frozenset({MemoryState.ACTIVE, MemoryState.STALE, MemoryState.RESOLVED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A signal memory that related ones are looked for. ``excluded``: every memory of every
    signal of the tick, which nothing may be related to; its own id is among them."""

    memory: Memory
    signal_id: str
    tier: Tier
    excluded: frozenset[str]


def pick(signals: Sequence[Signal]) -> tuple[Asked, ...]:
    """The three signal memories that matter most, in any order of ``signals``.

    By tier, then importance, then the newer, then id. A memory of several signals counts once,
    for the one with the best tier; equal ones by signal id. Signals without memories ask nothing.
    """
    excluded = signal_memories(signals)
    best: dict[str, tuple[Tier, str, Memory]] = {}
    for signal in signals:
        for memory in signal.memories:
            mine = (signal.tier, signal.id, memory)
            held = best.get(memory.id)
            if held is None or mine[:2] < held[:2]:
                best[memory.id] = mine
    ordered = sorted(best.values(), key=lambda one: (one[0], *_rank(one[2])))
    return tuple(
        Asked(memory=memory, signal_id=signal_id, tier=tier, excluded=excluded)
        for tier, signal_id, memory in ordered[:MAX_ASKED]
    )


def signal_memories(signals: Iterable[Signal]) -> frozenset[str]:
    """The ids of all memories that the signals are about."""
    return frozenset(memory.id for signal in signals for memory in signal.memories)


def wanted(asked: Asked) -> Wanted:
    """What to search for it: everything that can be ruled out before the nearest are cut."""
    return Wanted(types=TYPES, states=STATES, exclude_ids=asked.excluded | {asked.memory.id})


def eligible(asked: Asked, found: Iterable[Similar]) -> tuple[Similar, ...]:
    """What of ``found`` may be related, each memory once with its highest similarity, by id.

    Ruled out: itself, every signal memory of the tick, other types and states, what heartbeats
    said, and the same session. A session that is not known on one side is not the same.
    """
    best: dict[str, Similar] = {}
    for one in found:
        held = best.get(one.memory.id)
        if _may_relate(asked, one.memory) and (held is None or one.similarity > held.similarity):
            best[one.memory.id] = one
    return tuple(best[key] for key in sorted(best))


def merge(found: Sequence[Sequence[Related]]) -> tuple[Related, ...]:
    """The related of all signals: three each, each memory once with its best score, nine in all.

    Best first; equal scores in the order of ``found``, then by the newer, then by id.
    """
    best: dict[str, tuple[Related, int]] = {}
    for place, several in enumerate(found[:MAX_ASKED]):
        for one in several[:EACH]:
            held = best.get(one.memory.id)
            if held is None or one.score > held[0].score:
                best[one.memory.id] = (one, place)
    ordered = sorted(
        best.values(), key=lambda one: (-one[0].score, one[1], *newest_first(one[0].memory))
    )
    return tuple(one for one, _ in ordered[:IN_ALL])


def newest_first(memory: Memory) -> tuple[float, str]:
    """A key that sorts newer memories before older ones, equal ones by id."""
    return -memory.created_at.timestamp(), memory.id


def _rank(memory: Memory) -> tuple[float, float, str]:
    return -memory.importance, *newest_first(memory)


def _may_relate(asked: Asked, memory: Memory) -> bool:
    return (
        memory.id != asked.memory.id
        and memory.id not in asked.excluded
        and memory.type in TYPES
        and memory.state in STATES
        and memory.origin is not Origin.HEARTBEAT
        and (asked.memory.session is None or memory.session != asked.memory.session)
    )
