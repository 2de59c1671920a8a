"""What holds for every check."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.heartbeat import checks
from recalld.heartbeat.checks import CHECKS
from recalld.heartbeat.finding import MAX_RESULTS
from recalld.heartbeat.lookups import asked, once
from recalld.heartbeat.model import Check, Snapshot, State, Tier, Workspace
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin, Similar
from support.snapshots import DAY, HOUR, NOW, a_memory, a_snapshot, near

TIERS = {
    Tier.IMMEDIATE: {"scheduled", "deadlines"},
    Tier.ELEVATED: {
        *("conflicts", "continuity", "stale_monitors", "memory_velocity"),
        *("failing_tests", "blocker"),
    },
    Tier.NORMAL: {"pending_work", "goal_progress", "knowledge_gaps", "positive_deltas", "git"},
    Tier.LOW: {"decaying", "sentiment", "relationship", "patterns"},
}


def test_there_are_fourteen_checks_and_three_for_developers_each_with_its_tier():
    assert {check.name: check.tier for check in CHECKS} == {
        name: tier for tier, names in TIERS.items() for name in names
    }
    assert len(CHECKS) == 17


def test_a_check_has_the_name_of_its_file():
    stems = {path.stem for path in Path(checks.__file__).parent.glob("[!_]*.py")}
    assert stems == {check.name for check in CHECKS}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_nothing_is_found_in_nothing(check: Check):
    assert check.find(a_snapshot()) == ()


TAGS = ("cron:daily:09:00", "cron:every:1h", "cron:nonsense", "monitor", "urgent", "backlog")
TEXTS = (
    "Ship the importer",
    "Why does it fail?",
    "部署为什么失败",
    "完成了导入测试",
    "Monitoring CI",
)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    number = draw(st.integers(0, 60))
    when = NOW - draw(st.integers(-3, 400)) * 7 * HOUR
    expires = draw(st.none() | st.integers(-40, 40).map(lambda days: NOW + days * DAY / 2))
    return a_memory(
        f"m{number:02d}",
        draw(st.sampled_from(TEXTS)),
        owner=draw(st.sampled_from(["default", "default", "other"])),
        type=draw(st.sampled_from(list(MemoryType))),
        state=draw(st.sampled_from(list(MemoryState))),
        origin=draw(st.sampled_from(list(Origin))),
        importance=draw(st.sampled_from([0.2, 0.4, 0.8, 1.0])),
        confidence=draw(st.sampled_from([0.0, 0.3, 0.5, 0.9])),
        tags=tuple(draw(st.lists(st.sampled_from(TAGS), max_size=3))),
        confidence_factors=tuple(draw(st.lists(st.just("conflict_flagged:m03"), max_size=1))),
        created_at=when,
        updated_at=when,
        accessed_at=when,
        expires_at=expires,
        session=draw(st.sampled_from([None, "s1", "s2"])),
    )


@st.composite
def workspaces(draw: st.DrawFn) -> Workspace:
    when = NOW - draw(st.integers(-2, 60)) * HOUR
    subjects = st.sampled_from(["Change", "Revert it", "回滚", ""])
    paths = st.lists(st.sampled_from(["importer", "the.py", "导入.md"]), max_size=2).map(tuple)
    commits = st.lists(
        st.tuples(st.sampled_from(["a" * 40, "b" * 40]), subjects, paths), max_size=4
    )
    return Workspace(
        root=draw(st.sampled_from(["/w", "/v"])),
        branch=draw(st.sampled_from([None, "main", "导入"])),
        seen_branch=draw(st.sampled_from([None, "main"])),
        commits=tuple(draw(commits)),
        reports=(("junit.xml", draw(st.integers(0, 3)), when),),
        blocker=draw(st.sampled_from(["", "CI\nis down"])),
        blocker_since=when,
        objective=draw(st.sampled_from(["", "完成导入"])),
        checkpoint_at=when,
    )


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    every = draw(st.lists(memories(), max_size=60, unique_by=lambda memory: memory.id))
    likeness = draw(st.sampled_from([0.1, 0.4, 0.6, 0.9]))
    found = {one.id: tuple((other, likeness) for other in every) for one in every}
    names = draw(st.sampled_from([(), ("Ann",), ("Ann", "北京")]))
    last = State(at=NOW - DAY, memories=2, goals={"m01": 0.0}, silent_days={"Ann": 30.0})
    return a_snapshot(
        *every,
        nearest=near(found),
        entities={one.id: names for one in every[::2]},
        last_state=draw(st.sampled_from([None, last])),
        workspaces=tuple(draw(st.lists(workspaces(), max_size=2, unique_by=lambda w: w.root))),
    )


@settings(max_examples=150, deadline=None)
@given(snapshots())
def test_signals_are_about_own_living_memories_unique_bounded_and_plain(snapshot: Snapshot):
    ids = []
    for check in CHECKS:
        found = check.find(snapshot)
        ids += [signal.id for signal in found]
        assert len(found) <= MAX_RESULTS
        assert check.find(snapshot) == found
        for signal in found:
            assert signal.id.startswith(f"{check.name}:")
            assert signal.check == check.name
            assert "\n" not in signal.title
            assert 0 < len(signal.title) <= 160
            assert json.loads(json.dumps(dict(signal.detail), allow_nan=False)) == signal.detail
            for memory in signal.memories:
                assert memory.owner == "default"
                assert memory.origin is not Origin.HEARTBEAT
                assert memory.state not in {MemoryState.DELETED, MemoryState.ARCHIVED}
                assert memory.created_at <= NOW
    assert len(ids) == len(set(ids))


@settings(max_examples=60, deadline=None)
@given(snapshots(), st.randoms(use_true_random=False))
def test_the_order_of_the_store_changes_nothing(snapshot: Snapshot, shuffle: object):
    every = list(snapshot.memories.values())
    shuffle.shuffle(every)  # type: ignore[attr-defined]
    other = a_snapshot(
        *every,
        nearest=snapshot.nearest,
        entities=snapshot.entities,
        last_state=snapshot.last_state,
        workspaces=snapshot.workspaces[::-1],
    )
    assert [check.find(other) for check in CHECKS] == [check.find(snapshot) for check in CHECKS]


@settings(max_examples=80, deadline=None)
@given(snapshots())
def test_every_search_that_a_check_asks_for_is_known_beforehand(snapshot: Snapshot):
    searched: list[str] = []

    def nearest(memory: Memory) -> tuple[Similar, ...]:
        searched.append(memory.id)
        return snapshot.nearest(memory)

    together = replace(snapshot, nearest=once(nearest))
    found = [check.find(together) for check in CHECKS]
    assert found == [check.find(snapshot) for check in CHECKS]
    assert len(searched) == len(set(searched)) <= 40
    assert set(searched) <= {memory.id for memory in asked(snapshot)}


@pytest.mark.parametrize("state", [MemoryState.RESOLVED, MemoryState.ARCHIVED])
@settings(max_examples=40, deadline=None)
@given(every=st.lists(memories(), max_size=40, unique_by=lambda memory: memory.id))
def test_what_is_done_or_put_away_is_never_work(state: MemoryState, every: list[Memory]):
    closed = [replace(one, state=state) for one in every]
    snapshot = a_snapshot(*closed)
    for check in CHECKS:
        if check.name != "patterns":  # about habits, whatever became of it
            assert check.find(snapshot) == (), check.name
