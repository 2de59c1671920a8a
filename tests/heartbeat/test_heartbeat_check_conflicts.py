"""Contradicted memories."""

import pytest

from recalld.heartbeat.checks.conflicts import CHECK
from recalld.memories.model import MemoryState, Origin
from support.snapshots import NOW, a_memory, a_snapshot


@pytest.mark.parametrize(
    ("factors", "fires"),
    [
        ((), False),
        (("repeated",), False),
        (("conflict_flagged:",), True),
        (("conflict_flagged: port was 8080",), True),
        (("repeated", "conflict_flagged:x"), True),
        (("a conflict_flagged:x",), False),
        (("Conflict_flagged:x",), False),
        (("conflict_flagged",), False),
    ],
)
def test_a_flag_fires(factors: tuple[str, ...], fires: bool):
    found = CHECK.find(a_snapshot(a_memory("m", confidence_factors=factors)))
    assert [signal.id for signal in found] == (["conflicts:m"] if fires else [])


@pytest.mark.parametrize("state", MemoryState)
def test_closed_conflicts_are_over(state: MemoryState):
    memory = a_memory("m", confidence_factors=("conflict_flagged:x",), state=state)
    fires = state in {MemoryState.ACTIVE, MemoryState.STALE}
    assert bool(CHECK.find(a_snapshot(memory))) is fires


def test_doubt_is_no_reason_to_be_silent_here():
    memory = a_memory("m", confidence_factors=("conflict_flagged:x",), confidence=0.1)
    assert CHECK.find(a_snapshot(memory))


def test_the_other_memory_is_named_where_it_is_the_owners():
    flagged = a_memory(
        "m",
        "The port is 8080",
        confidence_factors=tuple(
            f"conflict_flagged:{n}" for n in ("o", "m", "x", "h", "gone", "o")
        ),
    )
    other = a_memory("o", "The port is 9090")
    foreign = a_memory("x", "The port is 1", owner="other")
    own_words = a_memory("h", "The port is 2", origin=Origin.HEARTBEAT)
    (signal,) = CHECK.find(a_snapshot(flagged, other, foreign, own_words))
    assert [memory.id for memory in signal.memories] == ["m", "o"]
    assert signal.title == "Contradicted: The port is 8080 ↔ The port is 9090"


def test_a_reason_in_words_is_told():
    memory = a_memory("m", "端口是 8080", confidence_factors=("conflict_flagged: 之前说是 9090",))
    (signal,) = CHECK.find(a_snapshot(memory))
    assert signal.title == "互相矛盾：端口是 8080"
    assert signal.detail == {"reasons": ["之前说是 9090"]}


def test_order_and_limit():
    memories = [
        a_memory(f"m{n:02d}", confidence_factors=("conflict_flagged:x",), importance=n / 100)
        for n in range(30)
    ]
    found = CHECK.find(a_snapshot(*memories, now=NOW))
    assert [signal.id for signal in found[:2]] == ["conflicts:m29", "conflicts:m28"]
    assert (len(found), found[0].detail["left_out"]) == (20, 10)
