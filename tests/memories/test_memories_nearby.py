"""What is kept of a search from change to change is what a search from scratch finds."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.memories.board import Vector
from recalld.memories.library import Library, View
from recalld.memories.model import Memory, MemoryState, MemoryType, Similar, Visibility, Wanted
from recalld.memories.nearby import FLOOR, MOST_KEPT, MOST_MOVED, SPARE, Nearby
from support.memory_world import memory

DIMENSION = 8
LIMIT = 3
LIVING = frozenset(MemoryState) - {MemoryState.DELETED}
# Few of them: equal vectors, and opposite ones, are what is hard.
ROWS = np.random.default_rng(3).standard_normal((9, DIMENSION)).astype(np.float32)
ROWS /= np.linalg.norm(ROWS, axis=1, keepdims=True)
ROWS[8] = -ROWS[7]


def from_scratch(view: View, limit: int, asked: Memory) -> tuple[Similar, ...]:
    wanted = Wanted(states=LIVING, exclude_ids=frozenset({asked.id}))
    vector = view.vector(asked.id)
    return view.nearest(vector, asked.content, wanted, limit=limit, floor=FLOOR)


def assert_same(nearby: Nearby, view: View, asked: Memory, limit: int = LIMIT) -> None:
    found, wanted = nearby.nearest(view, limit, asked), from_scratch(view, limit, asked)
    assert found == wanted
    assert all(one.memory is other.memory for one, other in zip(found, wanted, strict=True))


NAMES = st.integers(0, 40).map("m{:02d}".format)
PLACES = st.integers(0, len(ROWS) - 1)
CHANGES = st.one_of(
    st.tuples(st.just("add"), NAMES, PLACES | st.none()),
    st.tuples(st.just("add"), NAMES, PLACES),
    st.tuples(st.just("use"), NAMES, st.none()),
    st.tuples(st.just("say otherwise"), NAMES, PLACES | st.none()),
    st.tuples(st.just("embed"), NAMES, PLACES),
    st.tuples(st.just("close"), NAMES, st.none()),
    st.tuples(st.just("delete"), NAMES, st.none()),
    st.tuples(st.just("share"), NAMES, st.none()),
    st.tuples(st.just("forget"), NAMES, st.none()),
)
STEPS = st.lists(st.lists(CHANGES, max_size=4), min_size=1, max_size=12)


def change(library: Library, what: str, name: str, place: int | None) -> None:
    """One of what the writer and the upkeep do."""
    row = None if place is None else ROWS[place]
    known = library.get(name)
    if what == "add" and known is None:
        kinds = list(MemoryType)
        made = memory(id=name, content=f"the {name} of {place}", type=kinds[int(name[1:]) % 8])
        library.put([made], {name: row})
    elif known is None:
        return
    elif what == "forget":
        library.drop([name])
    elif what == "use":
        library.put([replace(known, access_count=known.access_count + 1)])
    elif what == "say otherwise":
        library.put([replace(known, content=f"other {name} of {place}")], {name: row})
    elif what == "embed":
        library.put([known], {name: row})
    elif what in {"close", "delete"}:
        state = MemoryState.RESOLVED if what == "close" else MemoryState.DELETED
        library.put([replace(known, state=state)])
    elif what == "share":
        library.put([replace(known, visibility=Visibility.GLOBAL)])


def filled(count: int, row: Callable[[int], Vector]) -> Library:
    library = Library(DIMENSION)
    names = [f"m{at:02d}" for at in range(count)]
    made = [memory(id=name, content=f"the {name}") for name in names]
    library.put(made, {name: row(at) for at, name in enumerate(names)})
    return library


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 40), STEPS)
def test_after_any_changes_the_same_is_found_as_from_scratch(start: int, steps):
    library, nearby = filled(start, lambda at: ROWS[at % len(ROWS)]), Nearby()
    views = [library.snapshot("ann")]
    for step in steps:
        for what, name, place in step:
            change(library, what, name, place)
        views.append(library.snapshot("ann"))
        for asked in list(views[-1].memories.values())[:8]:
            assert_same(nearby, views[-1], asked)
    # Who still holds an earlier moment is answered as of that.
    for view in views:
        for asked in list(view.memories.values())[:4]:
            assert_same(nearby, view, asked)


@settings(max_examples=100, deadline=None)
@given(STEPS, st.randoms(use_true_random=False))
def test_also_where_no_two_are_equally_near(steps, random):
    """As engines' vectors are; and whatever the number asked for."""
    rows = np.random.default_rng(random.randrange(99)).standard_normal((41, DIMENSION))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    library, nearby = filled(41, lambda at: rows[at]), Nearby()
    for step in steps:
        view = library.snapshot("ann")
        for asked in list(view.memories.values())[:6]:
            for limit in (LIMIT, LIMIT + 2):
                assert_same(nearby, view, asked, limit)
        for what, name, place in step:
            change(library, what, name, place)


def spread(count: int = 400) -> Library:
    """Each farther from the first one than the one before, also as a half float."""

    def row(at: int) -> Vector:
        vector = np.zeros(DIMENSION, np.float32)
        vector[:2] = 1.0 - 0.002 * at, np.sqrt(1.0 - (1.0 - 0.002 * at) ** 2)
        return vector

    return filled(count, row)


def followed(changes: Sequence[tuple[str, str, int | None]]) -> bool:
    """Whether they took no scan."""
    library, nearby = spread(), Nearby()
    asked = library.snapshot("ann").memories["m00"]
    assert_same(nearby, library.snapshot("ann"), asked)
    for what, name, place in changes:
        change(library, what, name, place)
    assert_same(nearby, library.snapshot("ann"), asked)
    return nearby.scans == 1


@pytest.mark.parametrize(
    "changes",
    [
        [("use", "m01", None), ("use", "m00", None)],
        [("add", "m999", 0)],
        [("close", "m02", None)],
        [("delete", "m02", None)],
        [("forget", "m01", None)],
        [("say otherwise", "m01", 4)],
        [("say otherwise", "m300", 4)],
    ],
    ids=lambda changes: changes[0][0],
)
def test_a_change_takes_no_scan_of_what_did_not_change(changes):
    assert followed(changes)


@pytest.mark.parametrize(
    "changes",
    [
        [("say otherwise", "m00", 4)],
        [("use", f"m{at:02d}", None) for at in range(3)] + [("embed", "m00", 2)],
        [("close", f"m{at:02d}", None) for at in range(1, MOST_MOVED + 2)],
    ],
    ids=["of the one asked for", "of its vector", "of very many"],
)
def test_these_changes_take_one(changes):
    assert not followed(changes)


def test_as_many_may_go_as_are_spare():
    library, nearby = spread(), Nearby()
    asked = library.snapshot("ann").memories["m00"]
    for at in range(1, SPARE + 4):
        assert_same(nearby, library.snapshot("ann"), asked)
        library.drop([f"m{at:02d}"])
        assert_same(nearby, library.snapshot("ann"), asked)
    first = nearby.nearest(library.snapshot("ann"), LIMIT, asked)
    assert [one.memory.id for one in first] == [f"m{SPARE + 4 + at:02d}" for at in range(LIMIT)]


def test_what_is_far_is_not_put_before_what_was_never_looked_at():
    """All but three of what was found are gone; what comes is farther than what was left out."""
    far = sorted((at for at in range(len(ROWS)) if ROWS[at][0] > 0), key=lambda at: ROWS[at][0])
    gone = [("forget", f"m{at:02d}", None) for at in range(1, LIMIT + SPARE - 1)]
    assert not followed([*gone, ("add", "m998", far[0]), ("add", "m999", far[1])])


def test_what_was_left_out_is_not_taken_for_nothing():
    """Few at first, so that all of them are known; then more than are kept; then few of those."""
    library, nearby = spread(), Nearby()
    every = dict(library.snapshot("ann").memories)
    rows = {name: library.vector(name) for name in every}
    names = list(every)
    library.drop(names[5:])
    asked = library.snapshot("ann").memories["m00"]
    assert_same(nearby, library.snapshot("ann"), asked)
    library.put([every[name] for name in names[5:60]], rows)
    assert_same(nearby, library.snapshot("ann"), asked)
    assert nearby.scans == 1
    library.drop(names[1 : LIMIT + SPARE])
    assert_same(nearby, library.snapshot("ann"), asked)


def test_what_is_kept_is_bounded_and_holds_no_words():
    library, nearby = spread(MOST_KEPT + 40), Nearby()
    view = library.snapshot("ann")
    for asked in view.memories.values():
        nearby.nearest(view, LIMIT, asked)
    kept = vars(nearby)["_found"]
    assert list(kept) == list(view.memories)[-MOST_KEPT:]
    assert "the m" not in repr(kept)
