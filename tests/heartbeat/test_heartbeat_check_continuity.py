"""Interrupted work: a fresh checkpoint, else the newest context or activity."""

from datetime import timedelta
from typing import Any

import pytest

from recalld.heartbeat.checks.continuity import CHECK
from recalld.heartbeat.model import Signal, Tier, Workspace
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin
from support.snapshots import DAY, HOUR, INSTANT, MINUTE, NOW, a_memory, a_snapshot


def worked(name: str, age: timedelta, content: str = "", **changes: Any) -> Memory:
    usual: dict[str, Any] = {"type": MemoryType.ACTIVITY, "created_at": NOW - age}
    return a_memory(name, content or f"Did {name}", **(usual | changes))


def one(*memories: Memory, **changes: Any) -> Signal | None:
    found = CHECK.find(a_snapshot(*memories, **changes))
    assert len(found) <= 1
    return found[0] if found else None


@pytest.mark.parametrize(
    ("age", "fires"),
    [(0 * HOUR, True), (12 * HOUR - INSTANT, True), (12 * HOUR, False), (DAY, False)],
)
def test_within_half_a_day(age: timedelta, fires: bool):
    assert (one(worked("a", age)) is not None) is fires


@pytest.mark.parametrize("kind", MemoryType)
def test_context_and_activity_only(kind: MemoryType):
    fires = kind in {MemoryType.CONTEXT, MemoryType.ACTIVITY}
    assert (one(worked("a", HOUR, type=kind)) is not None) is fires


@pytest.mark.parametrize(
    "changes",
    [
        {"state": MemoryState.RESOLVED},
        {"state": MemoryState.ARCHIVED},
        {"origin": Origin.HEARTBEAT},
        {"owner": "other"},
        {"created_at": NOW + INSTANT},
    ],
)
def test_closed_foreign_and_own_words_are_no_work(changes: dict[str, Any]):
    assert one(worked("a", HOUR, **changes)) is None


def test_nothing_is_interrupted_while_the_user_talks():
    assert one(worked("a", HOUR), in_conversation=True) is None
    workspace = Workspace(root="/w", objective="Ship", checkpoint_at=NOW - HOUR)
    assert one(workspaces=(workspace,), in_conversation=True) is None


@pytest.mark.parametrize(
    ("apart", "topics"),
    [(2 * HOUR, ["Did b", "Did a"]), (2 * HOUR + INSTANT, ["Did b"])],
)
def test_two_hours_are_one_session(apart: timedelta, topics: list[str]):
    signal = one(worked("a", HOUR + apart), worked("b", HOUR))
    assert signal is not None
    assert signal.detail["topics"] == topics


def test_only_the_newest_ones_session_is_told():
    signal = one(
        worked("a", 3 * MINUTE, session="s2"),
        worked("b", 2 * MINUTE, session=None),
        worked("c", MINUTE, session="s1"),
    )
    assert signal is not None
    assert (signal.id, signal.detail["topics"]) == ("continuity:s1", ["Did c"])


def test_an_unknown_session_is_one_too():
    signal = one(worked("a", 2 * MINUTE, session=None), worked("b", MINUTE, session=None))
    assert signal is not None
    assert signal.detail == {
        "source": "memories",
        "session": None,
        "topics": ["Did b", "Did a"],
        "last_at": (NOW - MINUTE).isoformat(),
        "hours_idle": 0.02,
    }


def test_at_most_three_topics_of_eighty_characters_each_once():
    texts = ["x" * 80, "y" * 81, "z", "z", "q"]
    signal = one(*(worked(f"m{n}", n * MINUTE, text) for n, text in enumerate(texts)))
    assert signal is not None
    assert signal.detail["topics"] == ["x" * 80, "y" * 79 + "…", "z"]


def test_it_is_about_the_user_not_about_memories():
    signal = one(worked("a", 3 * HOUR, "重写导入流程"))
    assert signal is not None
    assert (signal.memories, signal.tier) == ((), Tier.ELEVATED)
    assert signal.title == "3 小时前中断：重写导入流程"


def test_more_work_in_the_same_session_is_the_same_signal():
    first = one(worked("a", 2 * HOUR))
    second = one(worked("a", 2 * HOUR), worked("b", HOUR))
    assert first is not None
    assert second is not None
    assert first.id == second.id


@pytest.mark.parametrize(
    ("age", "source"),
    [(12 * HOUR - INSTANT, "checkpoint"), (12 * HOUR, "memories"), (-HOUR, "checkpoint")],
)
def test_a_fresh_checkpoint_is_read_before_memories(age: timedelta, source: str):
    workspace = Workspace(
        root="/w", objective="Ship 1.0", next_action="Tag it", checkpoint_at=NOW - age
    )
    signal = one(worked("a", MINUTE), workspaces=(workspace,))
    assert signal is not None
    assert signal.detail["source"] == source


def test_what_a_checkpoint_says():
    workspace = Workspace(
        root="/w/导入", objective="完成导入", next_action="写测试", checkpoint_at=NOW - 2 * HOUR
    )
    signal = one(workspaces=(workspace,))
    assert signal is not None
    assert (signal.id, signal.title) == ("continuity:/w/导入", "2 小时前中断：完成导入；写测试")
    assert signal.detail == {
        "source": "checkpoint",
        "workspace": "/w/导入",
        "topics": ["完成导入", "写测试"],
        "last_at": (NOW - 2 * HOUR).isoformat(),
        "hours_idle": 2.0,
    }


@pytest.mark.parametrize(
    "workspace",
    [
        Workspace(root="/w", objective="", next_action="Tag", checkpoint_at=NOW),
        Workspace(root="/w", objective="Ship", checkpoint_at=None),
    ],
)
def test_a_checkpoint_without_work_or_time_is_none(workspace: Workspace):
    assert one(workspaces=(workspace,)) is None


def test_the_checkpoint_written_last_counts_and_a_tie_goes_by_name():
    def at(root: str, age: timedelta) -> Workspace:
        return Workspace(root=root, objective="Ship", checkpoint_at=NOW - age)

    signal = one(workspaces=(at("/c", HOUR), at("/b", MINUTE), at("/a", MINUTE)))
    assert signal is not None
    assert signal.id == "continuity:/a"
