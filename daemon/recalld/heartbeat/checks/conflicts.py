"""A memory that something else contradicts."""

from collections.abc import Iterable, Iterator
from functools import partial

from recalld.heartbeat.finding import Found, Label, by_weight, counts, noted, signals
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier
from recalld.heartbeat.wording import quoted, title
from recalld.memories.model import Memory

LABEL = Label("conflicts", Tier.ELEVATED)

# A confidence factor that starts so; the rest names the other memory, or says why.
FLAG = "conflict_flagged:"


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """One signal a memory, the most important first; doubted ones are just what is meant."""
    flagged = [memory for memory, _ in noted(snapshot, _flagged)]
    return signals(snapshot, LABEL, by_weight(flagged), partial(_found, snapshot))


def _flagged(memories: Iterable[Memory]) -> Iterator[tuple[Memory, None]]:
    return ((one, None) for one in memories if one.confidence_factors and _flags(one))


def _flags(memory: Memory) -> tuple[str, ...]:
    return tuple(
        factor[len(FLAG) :].strip()
        for factor in memory.confidence_factors
        if factor.startswith(FLAG)
    )


def _found(snapshot: Snapshot, memory: Memory) -> Found:
    named = [snapshot.memories.get(flag) for flag in dict.fromkeys(_flags(memory))]
    others = tuple(
        other for other in named if other and other.id != memory.id and counts(snapshot, other)
    )
    return Found(
        key=memory.id,
        title=title("conflict", " ↔ ".join(one.content for one in (memory, *others[:1]))),
        memories=(memory, *others),
        detail={"reasons": [quoted(flag) for flag in _flags(memory)]},
    )


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
