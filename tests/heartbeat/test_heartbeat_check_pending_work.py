"""Pending work: what matters and goes on, never schedules or talk about work."""

from datetime import timedelta
from typing import Any

import pytest

from recalld.heartbeat.chatter import is_chatter
from recalld.heartbeat.checks.pending_work import CHECK
from recalld.heartbeat.model import Tier
from recalld.memories.model import MemoryState, MemoryType, Origin
from support.snapshots import DAY, HOUR, INSTANT, MINUTE, NOW, a_memory, a_snapshot

WORK = {MemoryType.PLAN, MemoryType.ACTIVITY}


def fires(name: str = "m", content: str = "Ship the importer", **changes: Any) -> bool:
    shown = changes.pop("surfaced", {})
    found = CHECK.find(a_snapshot(a_memory(name, content, **changes), surfaced=shown))
    return [signal.id for signal in found] == ["pending_work:m"]


@pytest.mark.parametrize("kind", MemoryType)
def test_only_plans_and_activities_are_work(kind: MemoryType):
    assert fires(type=kind) is (kind in WORK)


@pytest.mark.parametrize("state", MemoryState)
def test_only_what_is_active_is_pending(state: MemoryState):
    assert fires(state=state) is (state is MemoryState.ACTIVE)


@pytest.mark.parametrize("origin", Origin)
def test_a_heartbeats_own_words_are_no_work(origin: Origin):
    assert fires(origin=origin) is (origin is not Origin.HEARTBEAT)


def test_nor_is_somebody_elses():
    assert not fires(owner="other")


@pytest.mark.parametrize(("importance", "expected"), [(0.39, False), (0.4, True), (1.0, True)])
def test_it_matters(importance: float, expected: bool):
    assert fires(importance=importance) is expected


@pytest.mark.parametrize(("confidence", "expected"), [(0.49, False), (0.5, True), (0.0, True)])
def test_it_is_sure(confidence: float, expected: bool):
    assert fires(confidence=confidence) is expected


@pytest.mark.parametrize(
    ("untouched", "left", "expected"),
    [
        (7 * DAY, None, True),
        (7 * DAY + INSTANT, None, False),
        (300 * DAY, 14 * DAY, True),
        (300 * DAY, 14 * DAY + INSTANT, False),
        (300 * DAY, 0 * DAY, True),
        (300 * DAY, -INSTANT, False),
        (DAY, -300 * DAY, True),
    ],
)
def test_it_goes_on(untouched: timedelta, left: timedelta | None, expected: bool):
    date = None if left is None else NOW + left
    assert (
        fires(created_at=NOW - 400 * DAY, updated_at=NOW - untouched, expires_at=date) is expected
    )


@pytest.mark.parametrize(
    ("tag", "expected"), [("cron:daily", False), ("cron:dialy", True), ("cron", True)]
)
def test_a_schedule_comes_by_itself_and_a_misspelt_one_is_not_lost(tag: str, expected: bool):
    assert fires(tags=(tag,)) is expected


CHATTER = (
    *("Monitoring the deploy", "monitoring", "Syncing notes", "Cleanup of branches", "Standby"),
    *("standing by for input", "Preparing summary of the day", "Preparing planning doc"),
    *("preparing a summary", "Wrapping up the session", "Wrapping things up"),
    *("Finalizing cleanup", "finalising the cleanup", "Keeping an eye on CI", "Watching the logs"),
    *("Tracking progress on the migration", "tracking the progress of it", "- monitoring CI"),
    *("I am monitoring CI", "I'm still monitoring CI", "We’re watching the build"),
    *("the agent is syncing memory", "Currently monitoring CI"),
    *("持续监控部署", "正在监控日志", "继续关注上线情况", "密切关注 CI", "保持关注"),
    *("正在同步笔记", "同步中", "清理中", "正在收尾", "待命", "随时待命", "等待指示"),
    *("准备总结今天的工作", "准备规划下周", "正在汇总", "跟踪进度", "跟进进展", "盯着 CI"),
    *("我正在监控日志", "我们持续关注这个问题", "助手正在同步记忆", "仍在跟踪进度"),
    *("正在監控部署", "準備總結", "- 待命中"),
)
WORDS = (
    *("Monitor disk usage", "Write the monitoring guide", "Sync the clocks", "Clean up the parser"),
    *("Prepare the release", "Wrap the client", "Watch out for leaks", "Track shipments"),
    *("Stand up the staging server", "monitorings", "Synchronous API", "watchingly"),
    *("监控系统上线", "同步数据库到新机房", "清理旧分支", "总结会议纪要", "规划下季度"),
    *("关注点分离重构", "观察者模式重写", "收集反馈", "跟踪器升级", "修复监控告警"),
)


@pytest.mark.parametrize("text", CHATTER)
def test_talk_about_work_is_none(text: str):
    assert is_chatter(text)
    assert not fires(content=text)


@pytest.mark.parametrize("text", [*WORDS, "", "   "])
def test_work_that_sounds_like_it_is(text: str):
    assert not is_chatter(text)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [(-INSTANT, True), (0 * HOUR, False), (HOUR - INSTANT, False), (HOUR, True)],
)
def test_shown_within_the_hour_it_is_silent_even_alone(shown: timedelta, expected: bool):
    assert fires(surfaced={"m": NOW - shown}) is expected


@pytest.mark.parametrize(
    ("age", "tags", "tier"),
    [
        (HOUR, (), Tier.NORMAL),
        (30 * MINUTE, (), Tier.ELEVATED),
        (HOUR, ("紧急",), Tier.ELEVATED),
        (HOUR, ("低优先级",), Tier.LOW),
    ],
)
def test_its_tier(age: timedelta, tags: tuple[str, ...], tier: Tier):
    (signal,) = CHECK.find(a_snapshot(a_memory("m", created_at=NOW - age, tags=tags)))
    assert signal.tier is tier


def test_the_most_important_comes_first_then_the_newest_then_by_id():
    memories = [
        a_memory("d"),
        a_memory("a", importance=0.9),
        a_memory("c"),
        a_memory("b", created_at=NOW - HOUR),
    ]
    found = CHECK.find(a_snapshot(*memories))
    assert [signal.id[-1] for signal in found] == ["a", "b", "c", "d"]


def test_what_a_signal_says():
    memory = a_memory("m", "修复导入", expires_at=NOW + 2 * DAY)
    (signal,) = CHECK.find(a_snapshot(memory))
    assert signal.title == "待办：修复导入"
    assert signal.memories == (memory,)
    assert signal.detail == {
        "type": "PLAN",
        "importance": 0.5,
        "days_since_update": 1.0,
        "days_left": 2.0,
    }


def test_over_twenty_are_counted():
    found = CHECK.find(a_snapshot(*(a_memory(f"m{n}") for n in range(25))))
    assert (len(found), found[0].detail["left_out"]) == (20, 5)
