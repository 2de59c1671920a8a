"""Hours and days are those of the user's clock."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from recalld.heartbeat.model import Act, Message, Period, Reason, Tier
from recalld.heartbeat.periods import HABITS, day, is_between, is_unusual_hour, period
from recalld.heartbeat.policy import HeartbeatPolicy, QuietPolicy
from support.heartbeat_scene import a_deadline, a_signal, an_act, at_hour, decided
from support.snapshots import DAY, HOUR, MINUTE, NOW

BERLIN, TOKYO, LORD_HOWE = (
    ZoneInfo(name) for name in ("Europe/Berlin", "Asia/Tokyo", "Australia/Lord_Howe")
)
OFF, NIGHT = QuietPolicy(), QuietPolicy(enabled=True)
LATE = QuietPolicy(enabled=True, start="22:00", end="07:30")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("clock", "quiet", "expected"),
    [
        ("06:59", OFF, Period.LATE_NIGHT),
        ("07:00", OFF, Period.MORNING),
        ("09:59", OFF, Period.MORNING),
        ("10:00", OFF, Period.WORKING),
        ("16:59", OFF, Period.WORKING),
        ("17:00", OFF, Period.EVENING),
        ("20:59", OFF, Period.EVENING),
        ("21:00", OFF, Period.LATE_NIGHT),
        ("23:00", OFF, Period.LATE_NIGHT),
        ("03:00", OFF, Period.LATE_NIGHT),
        ("22:59", NIGHT, Period.LATE_NIGHT),
        ("23:00", NIGHT, Period.QUIET),
        ("00:00", NIGHT, Period.QUIET),
        ("06:59", NIGHT, Period.QUIET),
        ("07:00", NIGHT, Period.MORNING),
        ("07:29", LATE, Period.QUIET),
        ("07:30", LATE, Period.MORNING),
    ],
)
def test_b2_the_day_has_its_periods(clock: str, quiet: QuietPolicy, expected: Period):
    assert period(utc(f"2026-06-10T{clock}"), ZoneInfo("UTC"), quiet) is expected


def test_b2_every_period_has_its_least_tier_and_its_pace():
    assert {name: (one.minimum, one.slower) for name, one in HABITS.items()} == {
        Period.MORNING: (Tier.LOW, 0.5),
        Period.WORKING: (Tier.LOW, 1.0),
        Period.EVENING: (Tier.NORMAL, 1.5),
        Period.LATE_NIGHT: (Tier.ELEVATED, 3.0),
        Period.QUIET: (Tier.IMMEDIATE, 3.0),
    }


@pytest.mark.parametrize(
    ("start", "end", "inside", "outside"),
    [
        ("12:00", "13:30", ("12:00", "13:29"), ("11:59", "13:30", "00:00")),
        ("22:00", "06:00", ("22:00", "00:00", "05:59"), ("06:00", "21:59")),
        ("00:00", "06:00", ("00:00", "05:59"), ("23:59", "06:00")),
        ("22:00", "00:00", ("22:00", "23:59"), ("00:00", "21:59")),
        ("09:00", "09:00", (), ("08:59", "09:00", "21:00")),
    ],
)
def test_a_span_has_its_start_and_not_its_end(start, end, inside, outside):
    clock = {one: datetime.fromisoformat(f"2026-01-01T{one}").time() for one in inside + outside}
    assert all(is_between(clock[one], start, end) for one in inside)
    assert not any(is_between(clock[one], start, end) for one in outside)


def test_quiet_hours_end_by_the_users_clock_on_the_days_the_clocks_change():
    # Berlin: 2026-03-29 loses the hour from two to three, 2026-10-25 has it twice.
    for moment, expected in (
        ("2026-03-29T04:59", Period.QUIET),
        ("2026-03-29T05:00", Period.MORNING),
        ("2026-10-25T00:30", Period.QUIET),
        ("2026-10-25T01:30", Period.QUIET),
        ("2026-10-25T05:59", Period.QUIET),
        ("2026-10-25T06:00", Period.MORNING),
    ):
        assert period(utc(moment), BERLIN, NIGHT) is expected


@pytest.mark.parametrize(
    ("zone", "first", "hours"),
    [
        (BERLIN, "2026-03-28T23:00", 23),
        (BERLIN, "2026-10-24T22:00", 25),
        (LORD_HOWE, "2026-04-04T13:00", 24.5),
        (TOKYO, "2026-03-28T15:00", 24),
    ],
)
def test_a_day_is_as_long_as_it_is_on_the_users_calendar(zone, first, hours):
    begin = utc(first)
    end = begin + timedelta(hours=hours)
    assert day(begin, zone) == day(end - MINUTE, zone)
    assert day(begin - MINUTE, zone) == day(begin, zone) - timedelta(days=1)
    assert day(end, zone) == day(begin, zone) + timedelta(days=1)


def test_the_days_messages_are_counted_on_the_users_calendar():
    policy = HeartbeatPolicy(max_messages_per_day=1)
    other, due = a_signal("pending_work", "o"), a_deadline("x", -DAY)
    # Half past midnight in Tokyo; an hour ago it was yesterday there.
    now = utc("2026-06-10T15:30")
    acts = [an_act(NOW - (now - HOUR), other)]
    assert day(now, TOKYO) == date(2026, 6, 11)
    assert decided(due, acts=acts, policy=policy, now=now, zone=TOKYO).act
    at_home = decided(due, acts=acts, policy=policy, now=now)
    assert at_home.reason is Reason.SUPPRESS_DAILY_CAP


@pytest.mark.parametrize("quiet_enabled", [True, False])
def test_bc_18_quiet_hours_run_over_midnight_in_the_users_zone(quiet_enabled):
    quiet = QuietPolicy(enabled=quiet_enabled, start="22:00", end="07:30")
    policy = HeartbeatPolicy(quiet=quiet, timezone="Asia/Tokyo")
    stuck = a_signal("conflicts", "c")
    ticks = ("12:59", "13:00", "18:00", "22:29", "22:30")
    reasons = [
        decided(stuck, policy=policy, now=utc(f"2026-02-01T{tick}"), zone=TOKYO).reason
        for tick in ticks
    ]
    held = Reason.SUPPRESS_TIME_PERIOD if quiet_enabled else Reason.ACT
    assert reasons == [Reason.ACT, held, held, held, Reason.ACT]


def test_bc_18_what_is_due_is_not_repeated_in_quiet_hours():
    policy = HeartbeatPolicy(quiet=LATE, timezone="Asia/Tokyo")
    ticks = [utc(f"2026-02-01T{tick}") for tick in ("12:59", "13:00", "18:00", "22:29", "22:30")]
    due = a_deadline("x", ticks[0] - HOUR - NOW)
    acts: list[Act] = []
    reasons = []
    for now in ticks:
        decision = decided(due, acts=acts, policy=policy, now=now, zone=TOKYO)
        reasons.append(decision.reason)
        acts = [an_act(NOW - now, due), *acts] if decision.act else acts
    held = Reason.SUPPRESS_TIME_PERIOD
    fires = Reason.ACT_DEADLINE_CRITICAL
    assert reasons == [fires, held, held, held, fires]


def spread(count: int, hours: range) -> tuple[Message, ...]:
    """So many messages over these hours of yesterday, evenly, oldest first."""
    begin = (NOW - DAY).replace(hour=0)
    moments = [begin + hours[one % len(hours)] * HOUR + one * MINUTE / 9 for one in range(count)]
    return tuple(Message(at=at, session="s") for at in sorted(moments))


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (spread(100, range(5)), True),
        (spread(99, range(5)), False),
        (spread(100, range(4)), False),
        # Two of a hundred are at noon, and one of a hundred.
        ((*spread(98, range(5)), *spread(2, range(12, 13))), False),
        ((*spread(99, range(5)), *spread(1, range(12, 13))), True),
        ((), False),
    ],
)
def test_b3_2b_an_hour_is_unusual_with_less_than_two_in_a_hundred(messages, expected):
    assert is_unusual_hour(messages, NOW, ZoneInfo("UTC")) is expected


def test_b3_2b_messages_older_than_two_weeks_say_nothing():
    old = tuple(Message(at=one.at - 13 * DAY, session="s") for one in spread(100, range(5)))
    assert not is_unusual_hour(old, NOW, ZoneInfo("UTC"))
    assert not is_unusual_hour((), NOW, BERLIN)


def test_waits_are_counted_in_real_hours_where_the_clocks_change():
    # From half past one to half past three is one hour that night; late, half an hour is three.
    now = utc("2026-03-29T01:30")
    told = an_act(HOUR, a_signal("pending_work", "o"))
    for minutes, reason in ((60, Reason.SUPPRESS_COOLDOWN), (90, Reason.ACT)):
        act = replace(told, at=(now - minutes * MINUTE).astimezone(BERLIN))
        local = now.astimezone(BERLIN)
        decision = decided(a_signal("conflicts", "c"), acts=[act], now=local, zone=BERLIN)
        assert decision.reason is reason


@pytest.mark.parametrize(
    ("signal", "hour", "quiet", "reason"),
    [
        # Half past nine in the evening, told an hour or more before.
        ("overdue", 21, False, Reason.SUPPRESS_TIME_PERIOD),
        ("ahead", 21, False, Reason.ACT_DEADLINE_CRITICAL),
        ("conflict", 21, False, Reason.SUPPRESS_TIME_PERIOD),
        ("overdue", 20, False, Reason.ACT_DEADLINE_CRITICAL),
        ("overdue", 3, False, Reason.SUPPRESS_TIME_PERIOD),
        ("overdue", 3, True, Reason.SUPPRESS_TIME_PERIOD),
        ("ahead", 3, True, Reason.SUPPRESS_TIME_PERIOD),
        ("overdue", 7, True, Reason.ACT_DEADLINE_CRITICAL),
    ],
)
def test_at_night_nothing_is_repeated_but_a_deadline_ahead(signal, hour, quiet, reason):
    now = at_hour(hour, 30)
    found = {
        "overdue": a_deadline("x", now - DAY - NOW),
        "ahead": a_deadline("x", now + 15 * MINUTE - NOW),
        "conflict": a_signal("conflicts", "x"),
    }[signal]
    ago = 40 * MINUTE if signal == "ahead" else 5 * HOUR
    policy = HeartbeatPolicy(quiet=QuietPolicy(enabled=quiet))
    told = an_act(NOW - now + ago, found)
    assert decided(found, acts=[told], now=now, policy=policy).reason is reason


def test_what_is_new_passes_the_night_once():
    now = at_hour(3)
    for policy in (HeartbeatPolicy(), HeartbeatPolicy(quiet=NIGHT)):
        assert decided(a_deadline("x", now - DAY - NOW), now=now, policy=policy).act
