"""Which of an owner's memories a tick looks at, in order, kept from one tick to the next. Pure."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, compress
from operator import attrgetter, is_not
from typing import Any, TypeVar

from recalld.memories.model import Memory, MemoryState, MemoryType, Origin

# What has not come to an end, and is not put away.
LIVE = frozenset({MemoryState.ACTIVE, MemoryState.STALE})
# For more changes than that it is quicker to look at all memories again.
MOST_CHANGES = 1_024

T = TypeVar("T")
Some = tuple[Memory, ...]
# Those of some memories that it is about, each judged by itself, with what is to be known of it.
Choose = Callable[[Iterable[Memory]], Iterable[tuple[Memory, T]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """Of one owner at one moment. ``said``: those that were there and are no heartbeat's own
    words, by ``created_at``, then id; ``live``: those of them that are active or stale, by type,
    in the same order. ``is_ahead``: whether a memory, of whomever, is from after that moment.
    ``notes``: what was noted of the live ones, by whoever asked and by id."""

    owner: str
    now: datetime
    memories: Mapping[str, Memory]
    said: Some
    live: Mapping[MemoryType, Some]
    is_ahead: bool
    notes: dict[Choose[Any], dict[str, tuple[Memory, Any]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def of(cls, memories: Mapping[str, Memory], *, owner: str, now: datetime) -> "Roster":
        """By a look at all of them."""
        said = [
            memory
            for memory in memories.values()
            if memory.created_at <= now
            and memory.state is not MemoryState.DELETED
            and memory.origin is not Origin.HEARTBEAT
            and memory.owner == owner
        ]
        # Stores give them by id, and ids grow with time: both sorts find most of it done.
        said.sort(key=attrgetter("id"))
        said.sort(key=attrgetter("created_at"))
        live: dict[MemoryType, list[Memory]] = {kind: [] for kind in MemoryType}
        for memory in said:
            if memory.state in LIVE:
                live[memory.type].append(memory)
        return cls(
            owner=owner,
            now=now,
            memories=memories,
            said=tuple(said),
            live={kind: tuple(some) for kind, some in live.items()},
            is_ahead=any(memory.created_at > now for memory in memories.values()),
        )

    def at(self, memories: Mapping[str, Memory], *, owner: str, now: datetime) -> "Roster":
        """The same as ``of``: by a look at what changed, where that is little.

        While nothing here is yet to come, time alone changes nothing. ``memories`` that are the
        very same object are the same, and so is each of them.
        """
        if self.owner != owner or self.is_ahead or now < self.now:
            return Roster.of(memories, owner=owner, now=now)
        if memories is self.memories:
            return self
        gone, come = _differences(self.memories, memories)
        if len(gone) + len(come) > MOST_CHANGES:
            return Roster.of(memories, owner=owner, now=now)
        leave = [one for one in gone if counts(one, owner)]
        enter = [one for one in come if counts(one, owner) and one.created_at <= now]
        left, entered = [one.id for one in leave], [one for one in enter if one.state in LIVE]
        return Roster(
            owner=owner,
            now=now,
            memories=memories,
            said=_changed(self.said, leave, enter),
            live={
                kind: _changed(some, _live(leave, kind), _live(enter, kind))
                for kind, some in self.live.items()
            },
            is_ahead=any(one.created_at > now for one in come),
            notes={
                choose: _without(known, left) | _noted(choose, entered)
                for choose, known in self.notes.items()
            },
        )

    def noted(self, choose: Choose[T]) -> Collection[tuple[Memory, T]]:
        """Those of the live ones that ``choose`` gives, in no order.

        It is asked of each once, for as long as nothing changes of it: what time changes is not
        for it to judge.
        """
        if choose not in self.notes:
            self.notes[choose] = _noted(choose, chain.from_iterable(self.live.values()))
        return self.notes[choose].values()


def _differences(
    before: Mapping[str, Memory], after: Mapping[str, Memory]
) -> tuple[list[Memory], list[Memory]]:
    """Those that are not there any more as they were, and those that are there anew."""
    # Without a step of Python's own for each memory: there are many, and few change.
    come = list(compress(after.items(), map(is_not, map(before.get, after), after.values())))
    gone = [before[key] for key, _ in come if key in before]
    if len(before) - len(gone) != len(after) - len(come):
        gone += [before[key] for key in before.keys() - after.keys()]
    return gone, [memory for _, memory in come]


def counts(memory: Memory, owner: str) -> bool:
    """Whether it is looked at once its time has come."""
    return (
        memory.state is not MemoryState.DELETED
        and memory.origin is not Origin.HEARTBEAT
        and memory.owner == owner
    )


def _live(memories: Iterable[Memory], kind: MemoryType) -> list[Memory]:
    return [one for one in memories if one.type is kind and one.state in LIVE]


def _changed(some: Some, leave: Sequence[Memory], enter: Sequence[Memory]) -> Some:
    """``some``, in their order, without the ones and with the others."""
    if not leave and not enter:
        return some
    kept = list(some)
    for memory in leave:
        del kept[bisect_left(kept, _place(memory), key=_place)]
    for memory in enter:
        kept.insert(bisect_left(kept, _place(memory), key=_place), memory)
    return tuple(kept)


def _noted(choose: Choose[T], memories: Iterable[Memory]) -> dict[str, tuple[Memory, T]]:
    return {memory.id: (memory, noted) for memory, noted in choose(memories)}


def _without(known: dict[str, tuple[Memory, T]], ids: Iterable[str]) -> dict[str, tuple[Memory, T]]:
    rest = known.copy()
    for gone in ids:
        rest.pop(gone, None)
    return rest


def _place(memory: Memory) -> tuple[datetime, str]:
    return memory.created_at, memory.id
