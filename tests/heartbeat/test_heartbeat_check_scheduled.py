"""Scheduled memories fire when their time has come, once, and late ones say so."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from recalld.heartbeat.checks.scheduled import CHECK
from recalld.heartbeat.cron import has_schedule
from recalld.heartbeat.model import Tier
from recalld.memories.model import Memory, MemoryState, MemoryType
from support.snapshots import DAY, HOUR, INSTANT, MINUTE, NOW, a_memory, a_snapshot

EVERY = ("cron:every:1h",)


def fired(*memories: Memory, **changes: Any) -> list[str]:
    found = CHECK.find(a_snapshot(*memories, **changes))
    return [signal.id for signal in found]


@pytest.mark.parametrize(
    ("age", "fires"),
    [(HOUR - INSTANT, False), (HOUR, True), (HOUR + INSTANT, True), (300 * DAY, True)],
)
def test_it_fires_once_its_time_has_come_since_it_was_last_used(age: timedelta, fires: bool):
    memory = a_memory("m", tags=EVERY, created_at=NOW - 400 * DAY, accessed_at=NOW - age)
    assert fired(memory) == (["scheduled:m"] if fires else [])


def test_a_daily_time_is_the_users_own():
    # 09:00 in Shanghai is 01:00 in UTC; used at 00:30 UTC, before it.
    memory = a_memory("m", tags=("cron:daily:09:00",), accessed_at=NOW - timedelta(hours=11.5))
    assert fired(memory, zone=ZoneInfo("Asia/Shanghai")) == ["scheduled:m"]
    assert fired(memory, zone=ZoneInfo("America/New_York")) == []


@pytest.mark.parametrize(
    ("state", "fires"),
    [
        (MemoryState.ACTIVE, True),
        (MemoryState.STALE, True),
        (MemoryState.RESOLVED, False),
        (MemoryState.ARCHIVED, False),
    ],
)
def test_a_schedule_that_was_closed_never_fires(state: MemoryState, fires: bool):
    assert bool(fired(a_memory("m", tags=EVERY, state=state))) is fires


@pytest.mark.parametrize("kind", MemoryType)
def test_any_type_may_be_scheduled(kind: MemoryType):
    assert fired(a_memory("m", tags=EVERY, type=kind)) == ["scheduled:m"]


@pytest.mark.parametrize(
    ("shown", "fires"),
    [(0 * MINUTE, False), (30 * MINUTE - INSTANT, False), (30 * MINUTE, True), (HOUR, True)],
)
def test_shown_within_half_an_hour_it_waits_and_no_other_filter_holds_it(
    shown: timedelta, fires: bool
):
    memory = a_memory("m", tags=EVERY)
    assert bool(fired(memory, surfaced={"m": NOW - shown})) is fires


@pytest.mark.parametrize(
    ("tag", "age", "missed"),
    [
        ("cron:every:1h", 3 * HOUR, False),
        ("cron:every:1h", 3 * HOUR + INSTANT, True),
        # Noon now: due at 12:00 yesterday is no more than a day late, the day before is.
        ("cron:daily:12:00", 24 * HOUR + INSTANT, False),
        ("cron:daily:11:59", 24 * HOUR + MINUTE + INSTANT, True),
    ],
)
def test_how_late_is_missed(tag: str, age: timedelta, missed: bool):
    (signal,) = CHECK.find(a_snapshot(a_memory("m", tags=(tag,), accessed_at=NOW - age)))
    assert signal.detail["missed"] is missed
    assert signal.title.startswith("Missed, was due" if missed else "Scheduled for now")


def test_a_missed_one_says_when_it_was_due_in_the_users_zone():
    memory = a_memory(
        "m",
        "备份数据库",
        tags=("cron:daily:09:00",),
        accessed_at=datetime.fromisoformat("2026-06-07T00:00Z"),
    )
    (signal,) = CHECK.find(a_snapshot(memory, zone=ZoneInfo("Asia/Shanghai")))
    assert signal.title == "已错过，原定 2026-06-07 09:00：备份数据库"
    assert signal.detail == {
        "schedule": "cron:daily:09:00",
        "due_at": "2026-06-07T01:00:00+00:00",
        "hours_late": 83.0,
        "missed": True,
        "once": False,
    }


ONCE = ("cron:once:2026-06-10T11:00:00Z",)


@pytest.mark.parametrize(
    ("accessed", "count", "fires"),
    [
        (NOW - DAY, 0, True),
        (NOW - DAY, 3, True),
        # Told after its time: a reminder asked for late is given late.
        (NOW - MINUTE, 0, True),
        # Acknowledged.
        (NOW - MINUTE, 1, False),
    ],
)
def test_a_single_time_fires_until_it_is_acknowledged(accessed: datetime, count: int, fires: bool):
    memory = a_memory("m", tags=ONCE, accessed_at=accessed, access_count=count)
    assert bool(fired(memory)) is fires
    assert fired(a_memory("m", tags=("cron:once:2026-06-10T12:00:01Z",))) == []


def test_of_several_schedules_the_first_due_one_speaks():
    memory = a_memory("m", tags=("cron:every:2h", "cron:every:1h", "cron:every:3w"))
    (signal,) = CHECK.find(a_snapshot(memory))
    assert signal.detail["schedule"] == "cron:every:1h"


def test_a_misspelt_schedule_never_fires_and_hides_nothing_else():
    assert fired(a_memory("m", tags=("cron:dialy", "cron:once:0001-01-01"))) == []
    assert not has_schedule(a_memory("m", tags=("cron:dialy",)))
    assert fired(a_memory("m", tags=("cron:dialy", *EVERY))) == ["scheduled:m"]


def test_the_longest_due_comes_first_and_the_rest_is_counted():
    memories = [
        a_memory(f"m{n:02d}", tags=EVERY, accessed_at=NOW - (n + 2) * HOUR) for n in range(23)
    ]
    found = CHECK.find(a_snapshot(*memories))
    assert [signal.id for signal in found[:2]] == ["scheduled:m22", "scheduled:m21"]
    assert len(found) == 20
    assert found[0].detail["left_out"] == 3
    assert all("left_out" not in signal.detail for signal in found[1:])


def test_doubt_does_not_silence_a_reminder_and_tags_change_its_tier():
    (signal,) = CHECK.find(a_snapshot(a_memory("m", tags=(*EVERY, "backlog"), confidence=0.1)))
    assert signal.tier is Tier.ELEVATED
