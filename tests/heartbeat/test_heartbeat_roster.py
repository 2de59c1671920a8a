"""What is kept of the memories from tick to tick is what a look at all of them gives."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from random import Random
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.heartbeat.checks import CHECKS
from recalld.heartbeat.model import Snapshot
from recalld.heartbeat.roster import MOST_CHANGES, Roster
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin
from support.snapshots import DAY, HOUR, INSTANT, MINUTE, NOW, a_memory, a_snapshot

Memories = Mapping[str, Memory]
Values = dict[str, dict[str, object]]
Change = tuple[str, str, dict[str, object]]


class Counting(dict[str, Memory]):
    """Memories that know how often all of them were looked at one by one."""

    looks = 0

    def values(self):
        self.looks += 1
        return super().values()


@st.composite
def contents(draw: st.DrawFn) -> dict[str, object]:
    """What a change may make of a memory, a time that is yet to come among it."""
    return {
        "content": draw(st.sampled_from(["Ship it", "Why does it fail?", "完成了导入"])),
        "type": draw(st.sampled_from(list(MemoryType))),
        "state": draw(st.sampled_from(list(MemoryState))),
        "origin": draw(st.sampled_from([Origin.USER, Origin.USER, Origin.HEARTBEAT])),
        "owner": draw(st.sampled_from(["default", "default", "default", "other"])),
        "importance": draw(st.sampled_from([0.2, 0.5, 0.9])),
        "created_at": NOW + draw(st.integers(-40, 4)) * 6 * HOUR,
        "accessed_at": NOW - draw(st.integers(0, 90)) * DAY,
    }


NAMES = st.integers(0, 12).map("m{:02d}".format)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("put"), NAMES, contents()),
        st.tuples(st.just("use"), NAMES, st.just({})),
        st.tuples(st.just("drop"), NAMES, st.just({})),
        st.tuples(st.just("mix"), NAMES, st.just({})),
    ),
    max_size=6,
)
# Clocks are set back, too.
STEPS = st.lists(st.tuples(CHANGES, st.sampled_from([0, 1, 20, 60 * 24, -1])), max_size=8)
STARTS = st.dictionaries(NAMES, contents())


def changed(memories: Memories, changes: list[Change]) -> Memories:
    """Another mapping, in another order now and then; the very same where nothing changes."""
    if not changes:
        return memories
    after = dict(memories)
    for what, name, made in changes:
        if what == "put":
            after[name] = a_memory(name, **made)  # type: ignore[arg-type]
        elif what == "use" and name in after:
            after[name] = replace(after[name], access_count=after[name].access_count + 1)
        elif what == "drop":
            after.pop(name, None)
        elif what == "mix":
            every = list(after.items())
            Random(len(every)).shuffle(every)
            after = dict(every)
    return MappingProxyType(after)


def moments(start: Values, steps: list[tuple[list[Change], int]]) -> Iterator[tuple[Snapshot, ...]]:
    """Each snapshot, kept on from the one before, and the same from scratch."""
    memories = {name: a_memory(name, **made) for name, made in start.items()}  # type: ignore[arg-type]
    now, kept = NOW, a_snapshot(*memories.values())
    current: Memories = memories
    for changes, minutes in steps:
        current, now = changed(current, changes), now + minutes * MINUTE
        fresh = replace(kept, memories=current, now=now)
        kept = replace(fresh, like=kept)
        yield kept, fresh


@settings(max_examples=400, deadline=None)
@given(STARTS, STEPS)
def test_a_snapshot_that_is_kept_on_is_the_one_made_from_scratch(start, steps):
    for kept, fresh in moments(start, steps):
        assert [id(one) for one in kept.said] == [id(one) for one in fresh.said]
        assert kept.live.keys() == fresh.live.keys()
        for kind, some in fresh.live.items():
            assert [id(one) for one in kept.live[kind]] == [id(one) for one in some]
        ahead = any(one.created_at > kept.now for one in kept.memories.values())
        # Once nothing is yet to come time changes nothing, so an earlier roster still stands.
        assert kept.roster.is_ahead == fresh.roster.is_ahead == ahead
        assert all(one.created_at <= kept.now for one in kept.said)


def plans(memories: Iterable[Memory]) -> Iterator[tuple[Memory, float]]:
    """Some of them, with what goes with one."""
    return ((one, one.importance) for one in memories if one.type is MemoryType.PLAN)


def every(memories: Iterable[Memory]) -> Iterator[tuple[Memory, int]]:
    return ((one, one.access_count) for one in memories)


@settings(max_examples=200, deadline=None)
@given(STARTS, STEPS, st.booleans())
def test_what_is_noted_of_memories_is_kept_on(start, steps, late):
    for at, (kept, fresh) in enumerate(moments(start, steps)):
        for choose in (plans, every):
            if late and not at:
                continue
            notes = {one.id: (id(one), note) for one, note in kept.roster.noted(choose)}
            wanted = {one.id: (id(one), note) for one, note in fresh.roster.noted(choose)}
            assert notes == wanted
            assert len(kept.roster.noted(choose)) == len(wanted)


def test_it_is_asked_only_of_those_that_changed():
    asked: list[list[str]] = []

    def choose(memories: Iterable[Memory]) -> Iterator[tuple[Memory, None]]:
        asked.append(sorted(one.id for one in memories))
        return iter(())

    before = {name: a_memory(name) for name in ("a", "b", "c")}
    snapshot = a_snapshot(*before.values())
    after = before | {
        "b": replace(before["b"], importance=0.9),
        "c": replace(before["c"], state=MemoryState.RESOLVED),
        "d": a_memory("d"),
    }
    for memories in (before, after, after):
        snapshot = replace(snapshot, memories=memories, like=snapshot)
        snapshot.roster.noted(choose)
        snapshot.roster.noted(choose)
    assert asked == [["a", "b", "c"], ["b", "d"]]


def test_what_several_ask_of_a_snapshot_is_made_once():
    made: list[Snapshot] = []
    snapshot = a_snapshot(a_memory("m"))

    def make(one: Snapshot) -> int:
        made.append(one)
        return len(one.said)

    assert [snapshot.once(make), snapshot.once(make)] == [1, 1]
    assert len(made) == 1
    assert replace(snapshot, memories={}).once(make) == 0


@settings(max_examples=60, deadline=None)
@given(STARTS, STEPS)
def test_checks_find_the_same_in_it(start, steps):
    for kept, fresh in moments(start, steps):
        for check in CHECKS:
            assert check.find(kept) == check.find(fresh), check.name


def many(count: int) -> dict[str, Memory]:
    return {f"m{at:04d}": a_memory(f"m{at:04d}") for at in range(count)}


@pytest.mark.parametrize(("changes", "looks"), [(0, 0), (1, 1), (MOST_CHANGES // 2, 1)])
def test_few_changes_need_no_look_at_every_memory(changes: int, looks: int):
    """One pass compares the two mappings; a look from scratch takes two."""
    before = Counting(many(2 * MOST_CHANGES))
    roster = Roster.of(before, owner="default", now=NOW)
    after = before
    if changes:
        after = Counting(before)
        for name in list(after)[:changes]:
            after[name] = replace(after[name], access_count=1)
    before.looks = after.looks = 0
    kept = roster.at(after, owner="default", now=NOW + MINUTE)
    assert after.looks == looks
    assert kept.said == tuple(after[one.id] for one in roster.said)
    assert (kept is roster) == (not changes)


def test_many_changes_are_a_look_at_every_memory():
    before = many(MOST_CHANGES + 1)
    after = {name: replace(one, access_count=1) for name, one in before.items()}
    roster = Roster.of(before, owner="default", now=NOW)
    again = roster.at(after, owner="default", now=NOW)
    assert again == Roster.of(after, owner="default", now=NOW)


@pytest.mark.parametrize(
    ("owner", "later"),
    [("other", timedelta(0)), ("default", -INSTANT)],
    ids=["of another owner", "by a clock that was set back"],
)
def test_what_was_made_for_something_else_is_not_kept(owner: str, later: timedelta):
    memories = {"m": a_memory("m", created_at=NOW), "o": a_memory("o", owner="other")}
    roster = Roster.of(memories, owner="default", now=NOW)
    kept = roster.at(memories, owner=owner, now=NOW + later)
    assert kept == Roster.of(memories, owner=owner, now=NOW + later)
    assert kept.said != roster.said
