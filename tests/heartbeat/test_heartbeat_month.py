"""A month of ticks every five minutes: nobody is nagged, and nothing is silenced for ever."""

import itertools
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from recalld.heartbeat.cooldown import PACES
from recalld.heartbeat.model import (
    Act,
    ActState,
    Autonomy,
    Period,
    Reason,
    Tier,
)
from recalld.memories.model import Origin
from support.heartbeat_month import POLICY, SNOOZE, SNOOZED, TICK, Tick, month
from support.month_report import report
from support.month_world import BROKEN, DAYS, ZONE, at
from support.snapshots import DAY, HOUR, MINUTE

HALF_HOUR = 30 * MINUTE
# The whole month as most people have it; of the others the days with the most deadlines.
RUNS = {Autonomy.SUGGEST: DAYS, Autonomy.ACT: 8, Autonomy.OBSERVE: 8}


class Run:
    """The ticks of a month, and what was said in it."""

    def __init__(self, autonomy: Autonomy, days: int) -> None:
        self.autonomy = autonomy
        self.pace = PACES[autonomy]
        self.ticks = month(autonomy, days=days)
        self.spoken = [tick for tick in self.ticks if tick.act is not None]

    def heard(self) -> list[tuple[Tick, Act]]:
        return [
            (tick, tick.act)
            for tick in self.spoken
            if tick.act is not None and tick.act.state is ActState.DELIVERED
        ]

    def tellings(self, name: str) -> list[datetime]:
        return [tick.at for tick, act in self.heard() if name in act.signal_ids]

    def first_rest(self, tier: Tier) -> timedelta:
        return HALF_HOUR if tier is Tier.IMMEDIATE else 2 * self.pace.normal


@cache
def run_of(autonomy: Autonomy) -> Run:
    return Run(autonomy, RUNS[autonomy])


@pytest.fixture(params=list(RUNS), ids=str)
def run(request: pytest.FixtureRequest) -> Run:
    return run_of(request.param)


@pytest.fixture
def whole() -> Run:
    """The run that is a whole month."""
    return run_of(Autonomy.SUGGEST)


def gaps(times: list[datetime]) -> list[timedelta]:
    return [later - earlier for earlier, later in itertools.pairwise(times)]


def test_no_set_of_signals_is_told_twice_within_its_window(run: Run):
    last: dict[str, datetime] = {}
    repeated = 0
    for tick, act in run.heard():
        if act.fingerprint in last:
            repeated += 1
            assert tick.at - last[act.fingerprint] >= run.first_rest(act.tier)
        if act.fingerprint:
            last[act.fingerprint] = tick.at
    assert repeated > 0


def test_no_signal_is_told_twice_within_its_window(run: Run):
    tiers = {one.id: one.tier for tick in run.ticks for one in tick.found}
    told: dict[str, list[datetime]] = defaultdict(list)
    for tick, act in run.heard():
        for name in act.signal_ids:
            told[name].append(tick.at)
    for name, times in told.items():
        assert all(gap >= run.first_rest(tiers[name]) for gap in gaps(times)), name


def test_no_words_are_said_twice_within_half_an_hour(run: Run):
    said: dict[str, datetime] = {}
    for tick, act in run.heard():
        if act.summary_hash:
            before = said.get(act.summary_hash)
            assert before is None or tick.at - before >= HALF_HOUR
            said[act.summary_hash] = tick.at


def test_an_overdue_item_backs_off_and_is_never_given_up(whole: Run):
    due = at(2, "12:00")
    times = [when for when in whole.tellings("deadlines:passport") if when >= due - HOUR]
    by_day = Counter((when - due) // DAY for when in times)
    # The day it falls due, with the hour before; then once a day, or once more beside others.
    assert by_day[-1] + by_day[0] <= 8
    assert all(count <= 2 for day, count in by_day.items() if day >= 1)
    # Eight times without an answer rest for a week; with answers it goes on.
    assert max(gaps(times)) <= 7 * DAY + 10 * HOUR
    assert whole.ticks[-1].at - times[-1] <= 7 * DAY + 10 * HOUR
    assert len(times) >= 12


def test_what_was_done_is_not_told_again(whole: Run):
    for name, done in (("invoice", at(7, "10:05")), ("migration", at(23, "15:00"))):
        about = [
            tick.at
            for tick, act in whole.heard()
            if any(one.endswith(f":{name}") for one in act.signal_ids)
        ]
        assert about
        assert max(about) < done


def test_what_was_held_back_comes_back(run: Run):
    """However it is held back: too soon, told already, at night, while talking, by the rhythm."""
    longest: dict[str, timedelta] = defaultdict(timedelta)
    since: dict[str, datetime] = {}
    seen: dict[str, datetime] = {}
    for tick in run.ticks:
        told = tick.act.signal_ids if tick.act is not None else ()
        for one in tick.found:
            if one.tier is Tier.LOW or _is_put_off(tick, one.id):
                since.pop(one.id, None)
                continue
            # Shown a moment ago it is not found for an hour.
            if tick.at - seen.get(one.id, tick.at) > 2 * HOUR:
                since.pop(one.id, None)
            seen[one.id] = tick.at
            begun = since.setdefault(one.id, tick.at)
            longest[one.id] = max(longest[one.id], tick.at - begun)
            if one.id in told:
                since[one.id] = tick.at
    # A rest of a day at most, the night after it, and an hour when the user is there.
    assert len(longest) > 10
    assert {name: wait for name, wait in longest.items() if wait > 40 * HOUR} == {}


def _is_put_off(tick: Tick, name: str) -> bool:
    put_off = {key for key in tick.snoozed if name.endswith(f":{key}")}
    return bool(put_off) or name in tick.decision.dropped


def test_the_caps_hold(run: Run):
    days: dict[object, list[Act]] = defaultdict(list)
    for tick, act in run.heard():
        days[tick.at.astimezone(ZONE).date()].append(act)
    for acts in days.values():
        assert len(acts) <= POLICY.max_messages_per_day
        nudges = sum(act.reason is Reason.NUDGE for act in acts)
        assert nudges <= run.pace.nudges_per_day


def test_every_quiet_tick_has_its_reason_and_only_what_is_immediate_passes(run: Run):
    quiet = [tick for tick in run.ticks if tick.decision.period is Period.QUIET]
    assert len(quiet) >= 7 * 95
    passed = set()
    for tick in quiet:
        if tick.act is not None:
            assert {one.tier for one in tick.decision.signals} == {Tier.IMMEDIATE}
            night = (tick.at - 12 * HOUR).date()
            for name in tick.act.signal_ids:
                assert (night, name) not in passed
                passed.add((night, name))
        elif tick.found:
            assert tick.decision.reason is Reason.SUPPRESS_TIME_PERIOD
    assert passed


def test_a_schedule_keeps_its_time_of_the_clock_when_the_clocks_change(whole: Run):
    local = [when.astimezone(ZONE) for when in whole.tellings("scheduled:door")]
    assert [f"{when:%H:%M}" for when in local] == ["23:30"] * DAYS
    standup = [when.astimezone(ZONE) for when in whole.tellings("scheduled:standup")]
    assert {f"{when:%H:%M}" for when in standup} == {"09:15"}
    assert not {when.weekday() for when in standup} & {5, 6}


def test_nothing_small_interrupts_a_talk(run: Run):
    talking = [tick for tick in run.ticks if tick.talking]
    assert any(tick.decision.reason is Reason.SUPPRESS_CONVERSATION_LOW for tick in talking)
    for tick in talking:
        busy = any(one.check == "memory_velocity" for one in tick.found)
        least = Tier.NORMAL if busy else Tier.ELEVATED
        if tick.act is not None:
            assert all(one.tier <= least for one in tick.decision.signals)


def test_what_the_user_put_off_is_silent_until_then_and_comes_back(whole: Run):
    put_off = [tick for tick in whole.ticks if SNOOZED in tick.snoozed]
    assert put_off
    for tick in put_off:
        names = tick.act.signal_ids if tick.act is not None else ()
        assert not any(one.endswith(f":{SNOOZED}") for one in names)
    again = [when for when in whole.tellings(f"pending_work:{SNOOZED}") if when > put_off[0].at]
    assert SNOOZE - TICK <= min(again) - put_off[0].at <= SNOOZE + HOUR


def test_what_failed_comes_back_when_delivery_works_again(whole: Run):
    begin, end = at(*BROKEN[0]), at(*BROKEN[1])
    failed = [tick for tick in whole.spoken if begin <= tick.at < end]
    assert failed
    assert {tick.act.state for tick in failed if tick.act} == {ActState.FAILED}
    rested = [tick for tick in whole.ticks if tick.decision.reason is Reason.DELIVERY_SUSPENDED]
    assert rested
    assert all(begin <= tick.at < end + 6 * HOUR for tick in rested)
    last = failed[-1].act
    after = [act for tick, act in whole.heard() if end <= tick.at < end + 6 * HOUR]
    assert last is not None
    assert after
    assert set(last.signal_ids) <= {name for act in after for name in act.signal_ids}


def test_a_heartbeats_own_words_are_never_a_signal(run: Run):
    origins = {
        memory.origin
        for tick in run.ticks
        for one in tick.decision.signals
        for memory in one.memories
    }
    assert Origin.HEARTBEAT not in origins
    nudged = {tick.decision.nudge.origin for tick in run.ticks if tick.decision.nudge}
    assert Origin.HEARTBEAT not in nudged


def test_a_month_is_bearable(run: Run):
    days = RUNS[run.autonomy]
    assert 2 <= len(run.heard()) / days <= 10


def test_the_next_tick_is_never_below_a_minute_or_above_thirty(run: Run):
    assert all(60 <= tick.interval_s <= 1_800 for tick in run.ticks)
    assert len({tick.interval_s for tick in run.ticks}) > 5


def test_the_month_is_drawn(whole: Run, tmp_path: Path):
    picture = tmp_path / "heartbeat-month.txt"
    picture.write_text(report(whole.ticks), encoding="utf-8")
    print(f"{picture}\n{picture.read_text(encoding='utf-8')}")
    rows = [line for line in picture.read_text(encoding="utf-8").splitlines() if "  |" in line]
    assert len(rows) == DAYS
    strips = [row.partition("|")[2].partition("|")[0] for row in rows]
    assert {len(strip) for strip in strips} == {48}
    # The hour that the clocks leave out.
    assert [number for number, strip in enumerate(strips) if strip[4:6] == "  "] == [13]
    assert sum(" said" in row for row in rows) == DAYS


def test_the_same_month_is_the_same_every_time():
    assert report(month(days=1)) == report(month(days=1))
