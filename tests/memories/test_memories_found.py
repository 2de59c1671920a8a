"""Finding: exact, filtered, ranked, and never what another owner keeps for itself."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.errors import BadRequest
from recalld.memories.board import FIRST_ROWS, Board, Filter, Vector
from recalld.memories.decay import accessed
from recalld.memories.library import Library
from recalld.memories.listing import matching, page
from recalld.memories.model import Memory, MemoryState, MemoryType, Visibility, Wanted
from recalld.memories.owners import may_see, team_of
from recalld.memories.score import balanced, ranked, recency
from support.memory_world import AT, memory

DIMENSION = 16
EVERY_STATE = frozenset(MemoryState)


def vectors(count: int, seed: int = 0) -> Vector:
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def some(count: int, start: int = 0) -> list[Memory]:
    kinds, states = list(MemoryType), list(MemoryState)
    return [
        memory(id=f"m{at:05d}", type=kinds[at % len(kinds)], state=states[at % len(states)])
        for at in range(start, start + count)
    ]


def by_hand(
    asked: Vector, memories: Iterable[Memory], known: dict[str, Vector], passing: Filter
) -> list[str]:
    found = [
        (-float(known[one.id].astype(np.float16).astype(np.float32) @ asked), one.id)
        for one in memories
        if one.id in known
        and (not passing.types or one.type in passing.types)
        and (not passing.states or one.state in passing.states)
    ]
    return [id_ for _, id_ in sorted(found)]


@pytest.mark.parametrize("count", [1, FIRST_ROWS, FIRST_ROWS + 1, 1_500, 17_000])
@pytest.mark.parametrize(
    "passing",
    [
        Filter(),
        Filter(types=frozenset({MemoryType.PLAN})),
        Filter(types=frozenset({MemoryType.PLAN, MemoryType.EVENT}), states=EVERY_STATE),
        Filter(states=frozenset({MemoryState.RESOLVED})),
    ],
)
def test_the_nearest_are_those_of_a_scan_by_hand(count: int, passing: Filter):
    memories, rows = some(count), vectors(count)
    known = {one.id: row for one, row in zip(memories, rows, strict=True)}
    board = Board(dimension=DIMENSION)
    for start in range(0, count, 700):
        board = board.put(memories[start : start + 700], known)
    asked = vectors(1, seed=9)[0]
    found = board.nearest(asked, passing=passing, limit=10, min_similarity=-1.0)
    wanted = by_hand(asked, memories, known, passing)[:10]
    assert [id_ for id_, _ in found] == wanted
    floor = found[2][1] if len(found) > 2 else 2.0
    least = board.nearest(asked, passing=passing, limit=10, min_similarity=floor)
    assert least == [pair for pair in found if pair[1] >= floor]


def test_a_board_that_was_looked_at_never_changes():
    memories, rows = some(1_029), vectors(1_029)
    known = {one.id: row for one, row in zip(memories, rows, strict=True)}
    before = Board(dimension=DIMENSION).put(memories, known)
    asked = rows[3]
    seen = before.nearest(asked, passing=Filter(), limit=20, min_similarity=-1.0)
    after = before.put([replace(memories[3], state=MemoryState.DELETED)], {memories[3].id: rows[9]})
    after = after.put(some(5, start=1_029), {}).without([memories[4].id])
    assert before.nearest(asked, passing=Filter(), limit=20, min_similarity=-1.0) == seen
    assert after.nearest(asked, passing=Filter(), limit=20, min_similarity=-1.0) != seen
    assert after.vector(memories[4].id) is None


def test_without_a_vector_a_memory_is_in_no_scan_and_can_get_one():
    one, row = memory(), vectors(1)[0]
    board = Board(dimension=DIMENSION).put([one], {})
    assert board.vector(one.id) is None
    assert board.nearest(row, passing=Filter(), limit=5, min_similarity=-1.0) == []
    board = board.put([one], {one.id: row})
    assert board.nearest(row, passing=Filter(), limit=5, min_similarity=-1.0)[0][0] == one.id
    board = board.put([one], {one.id: None})
    assert board.nearest(row, passing=Filter(), limit=5, min_similarity=-1.0) == []


OWNERS = st.sampled_from(["ann", "acme/ann", "acme/bob", "globex/eve", "/odd", "acme"])
KEPT = st.lists(
    st.tuples(OWNERS, st.sampled_from(list(Visibility)), st.sampled_from(list(MemoryState))),
    max_size=30,
)


@settings(deadline=None, max_examples=100)
@given(KEPT, OWNERS, st.booleans())
def test_nobody_ever_finds_what_another_keeps_for_itself(
    kept: list[tuple[str, Visibility, MemoryState]], viewer: str, has_vectors: bool
):
    library = Library(DIMENSION)
    rows = vectors(len(kept))
    memories = [
        memory(id=f"m{at:03d}", owner=owner, visibility=visibility, state=state, content="a key")
        for at, (owner, visibility, state) in enumerate(kept)
    ]
    known = {one.id: row for one, row in zip(memories, rows, strict=True)} if has_vectors else {}
    library.put(memories, known)
    wanted = Wanted(states=EVERY_STATE)
    view = library.view(viewer)
    asked = vectors(1, seed=5)[0]
    found = [
        *(each.memory for each in view.nearest(asked, "key", wanted, limit=99, floor=-1.0)),
        *(each.memory for each in view.nearest(None, "key", wanted, limit=99, floor=0.0)),
        *page(view, wanted, limit=99, cursor=None).memories,
    ]
    allowed = {one.id for one in memories if may_see(viewer, one)}
    assert {one.id for one in found} == allowed
    for one in found:
        assert one.owner == viewer or one.visibility is not Visibility.PRIVATE
    assert set(library.snapshot(viewer).memories) == {
        one.id for one in memories if one.owner == viewer and one.state is not MemoryState.DELETED
    }
    assert all(one.owner == viewer for one in matching(tuple(memories), viewer, "key"))


def test_a_team_is_what_stands_before_the_slash():
    assert [team_of(owner) for owner in ("acme/ann", "ann", "/ann", "a/b/c")] == [
        "acme",
        "",
        "",
        "a",
    ]
    shared = memory(owner="acme/ann", visibility=Visibility.TEAM)
    assert may_see("acme/bob", shared)
    assert not may_see("globex/bob", shared)
    assert not may_see("acme", shared)
    assert not may_see("bob", memory(owner="ann", visibility=Visibility.TEAM))
    assert may_see("bob", memory(owner="ann", visibility=Visibility.GLOBAL))


def test_the_balanced_score_weighs_as_told():
    fresh = memory(importance=1.0, confidence=1.0)
    assert balanced(fresh, 1.0, AT) == pytest.approx(1.0)
    assert balanced(fresh, 0.0, AT) == pytest.approx(0.65)
    assert balanced(fresh, -0.5, AT) == pytest.approx(0.65)
    assert balanced(replace(fresh, importance=0.0), 1.0, AT) == pytest.approx(0.80)
    assert balanced(replace(fresh, confidence=0.0), 1.0, AT) == pytest.approx(0.95)
    long_after = AT + timedelta(days=100_000)
    assert balanced(fresh, 1.0, long_after) == pytest.approx(0.6 + 0.2 * recency(fresh, long_after))


def test_what_lies_behind_the_nearest_counts_less_by_itself():
    fresh = memory(importance=1.0, confidence=1.0)
    assert ranked(fresh, 0.6, 0.6, AT) == balanced(fresh, 0.6, AT)
    assert ranked(fresh, 0.3, 0.6, AT) == pytest.approx(0.35 * 0.3 + 0.65 / 4)
    assert ranked(fresh, 0.0, 0.6, AT) == ranked(fresh, -0.2, 0.6, AT) == 0.0
    # Where nothing is near, nothing lies behind.
    assert ranked(fresh, 0.0, 0.0, AT) == ranked(fresh, -0.5, -0.2, AT) == pytest.approx(0.65)


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1), st.integers(0, 9_000))
def test_the_score_is_a_share_and_falls_by_waiting(
    similarity: float, importance: float, confidence: float, days: int
):
    one = accessed(memory(importance=importance, confidence=confidence), AT)
    now, later = AT + timedelta(days=days), AT + timedelta(days=days + 1)
    assert 0.0 <= balanced(one, similarity, later) <= balanced(one, similarity, now) <= 1.0


def test_pages_hold_everything_once_whatever_is_forgotten_between_them():
    library = Library(DIMENSION)
    library.put([memory(id=f"m{at}", created_at=AT + timedelta(hours=at // 3)) for at in range(9)])
    first = page(library.view("ann"), Wanted(), limit=4, cursor=None)
    assert [one.id for one in first.memories] == ["m8", "m7", "m6", "m5"]
    library.drop(["m5", "m4"])
    second = page(library.view("ann"), Wanted(), limit=4, cursor=first.cursor)
    assert [one.id for one in second.memories] == ["m3", "m2", "m1", "m0"]
    assert second.cursor is None
    for cursor in ("", "m5", "yesterday~m5", "2026-03-01T10:00:00~m5"):
        with pytest.raises(BadRequest):
            page(library.view("ann"), Wanted(), limit=4, cursor=cursor)


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        (Wanted(), {"a", "s", "r"}),
        (Wanted(states=EVERY_STATE), {"a", "s", "r", "x", "d"}),
        (Wanted(types=frozenset({MemoryType.EVENT})), {"s"}),
        (Wanted(tags=frozenset({"work"})), {"a", "s"}),
        (Wanted(tags=frozenset({"work", "home"})), {"s"}),
        (Wanted(session="s1"), {"r"}),
        (Wanted(since=AT), {"a", "r"}),
        (Wanted(until=AT), {"s"}),
        (Wanted(exclude_ids=frozenset({"a", "r"})), {"s"}),
    ],
)
def test_filters_leave_what_was_asked_for(wanted: Wanted, ids: set[str]):
    library = Library(DIMENSION)
    rows = vectors(5)
    kept = [
        memory(id="a", tags=("work",)),
        memory(
            id="s",
            state=MemoryState.STALE,
            type=MemoryType.EVENT,
            tags=("home", "work"),
            created_at=AT - timedelta(seconds=1),
        ),
        memory(id="r", state=MemoryState.RESOLVED, session="s1"),
        memory(id="x", state=MemoryState.ARCHIVED, created_at=AT - timedelta(days=1)),
        memory(id="d", state=MemoryState.DELETED, created_at=AT - timedelta(days=1)),
    ]
    library.put(kept, {one.id: row for one, row in zip(kept, rows, strict=True)})
    view = library.view("ann")
    assert {one.id for one in page(view, wanted, limit=9, cursor=None).memories} == ids
    near = view.nearest(rows[0], "", wanted, limit=9, floor=-1.0)
    assert {each.memory.id for each in near} == ids


def test_a_query_to_forget_by_finds_its_words_in_any_state_and_nothing_else():
    every = (
        memory(id="1", content="The door code is 4711", created_at=AT - timedelta(days=1)),
        memory(id="2", content="Codes of doors: 4711 and 0815", state=MemoryState.ARCHIVED),
        memory(id="3", content="The door is green"),
        memory(id="4", content="The door code is 4711", owner="bob"),
        memory(id="5", content="门禁密码是 4711"),
    )
    assert [one.id for one in matching(every, "ann", "DOOR  code")] == ["1", "2"]
    assert [one.id for one in matching(every, "ann", "门禁密码")] == ["5"]
    assert [one.id for one in matching(every, "ann", "the")] == ["1", "3"]
    assert matching(every, "ann", "%") == ()
