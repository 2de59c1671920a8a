"""Schedules in tags: what they mean, and that none is ever early, doubled or lost."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.heartbeat import cron

UTC_ZONE = ZoneInfo("UTC")
BERLIN = ZoneInfo("Europe/Berlin")
SHANGHAI = ZoneInfo("Asia/Shanghai")

# A month whose clocks change, one without, zones of half hours and of a lost day.
ZONES = (
    *("UTC", "Europe/Berlin", "America/New_York", "Asia/Shanghai", "Australia/Lord_Howe"),
    *("Asia/Kathmandu", "Pacific/Apia", "America/Sao_Paulo", "Africa/Casablanca"),
)
TAGS = (
    *("cron:hourly", "cron:daily", "cron:daily:09:00", "cron:daily:02:30", "cron:daily:00:00"),
    *("cron:daily:23:59:Asia/Tokyo", "cron:weekly", "cron:weekly:sun:02:30", "cron:weekdays:08:15"),
    *("cron:monthly", "cron:monthly:31:09:00", "cron:monthly:1:00:00", "cron:every:90m"),
    *("cron:every:1h30m", "cron:once:2026-03-29T02:30:00"),
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def next_of(tag: str, last: str, zone: ZoneInfo = UTC_ZONE) -> datetime | None:
    return cron.next_after(cron.parse(tag), at(last), zone)


@pytest.mark.parametrize(
    ("tag", "last", "zone", "expected"),
    [
        ("cron:hourly", "2026-06-10T12:10Z", UTC_ZONE, "2026-06-10T13:10Z"),
        ("cron:daily", "2026-06-10T12:10Z", UTC_ZONE, "2026-06-11T12:10Z"),
        ("cron:weekly", "2026-06-10T12:10Z", UTC_ZONE, "2026-06-17T12:10Z"),
        ("cron:monthly", "2026-06-10T12:10Z", UTC_ZONE, "2026-07-10T12:10Z"),
        ("cron:every:90s", "2026-06-10T12:00Z", UTC_ZONE, "2026-06-10T12:01:30Z"),
        ("cron:every:1h30m", "2026-06-10T12:00Z", UTC_ZONE, "2026-06-10T13:30Z"),
        ("cron:every:2w", "2026-06-10T12:00Z", UTC_ZONE, "2026-06-24T12:00Z"),
        # The very moment is no later one.
        ("cron:daily:09:00", "2026-06-10T08:59:59Z", UTC_ZONE, "2026-06-10T09:00Z"),
        ("cron:daily:09:00", "2026-06-10T09:00Z", UTC_ZONE, "2026-06-11T09:00Z"),
        ("cron:daily:9:00", "2026-06-10T08:00Z", UTC_ZONE, "2026-06-10T09:00Z"),
        # The user's zone, unless the tag names one.
        ("cron:daily:09:00", "2026-06-10T00:30Z", SHANGHAI, "2026-06-10T01:00Z"),
        ("cron:daily:09:00:Asia/Shanghai", "2026-06-10T00:30Z", BERLIN, "2026-06-10T01:00Z"),
        ("cron:weekdays:08:30", "2026-06-12T09:00Z", UTC_ZONE, "2026-06-15T08:30Z"),
        ("cron:weekly:mon:09:00", "2026-06-10T12:00Z", UTC_ZONE, "2026-06-15T09:00Z"),
        ("cron:weekly:Wednesday:09:00", "2026-06-10T09:00Z", UTC_ZONE, "2026-06-17T09:00Z"),
        ("cron:weekly:周一:09:00", "2026-06-10T12:00Z", UTC_ZONE, "2026-06-15T09:00Z"),
        ("cron:weekly:星期日:09:00", "2026-06-10T12:00Z", UTC_ZONE, "2026-06-14T09:00Z"),
        ("CRON:WEEKLY：礼拜天：09：00", "2026-06-10T12:00Z", UTC_ZONE, "2026-06-14T09:00Z"),
        # Ends of months.
        ("cron:monthly:31:09:00", "2026-01-31T10:00Z", UTC_ZONE, "2026-02-28T09:00Z"),
        ("cron:monthly:31:09:00", "2028-02-01T00:00Z", UTC_ZONE, "2028-02-29T09:00Z"),
        ("cron:monthly:30:09:00", "2026-02-28T09:00Z", UTC_ZONE, "2026-03-30T09:00Z"),
        ("cron:monthly:31:09:00", "2026-04-30T08:59Z", UTC_ZONE, "2026-04-30T09:00Z"),
        ("cron:monthly:15:12:00", "2026-12-15T12:00Z", UTC_ZONE, "2027-01-15T12:00Z"),
        # Clocks go forward on 29 March at 02:00, back on 25 October at 03:00.
        ("cron:daily:09:00", "2026-03-28T12:00Z", BERLIN, "2026-03-29T07:00Z"),
        ("cron:daily:09:00", "2026-03-27T12:00Z", BERLIN, "2026-03-28T08:00Z"),
        ("cron:daily:02:30", "2026-03-28T12:00Z", BERLIN, "2026-03-29T01:30Z"),
        ("cron:daily:02:30", "2026-03-29T01:30Z", BERLIN, "2026-03-30T00:30Z"),
        ("cron:daily:02:30", "2026-10-24T12:00Z", BERLIN, "2026-10-25T00:30Z"),
        ("cron:daily:02:30", "2026-10-25T00:30Z", BERLIN, "2026-10-26T01:30Z"),
        ("cron:every:1d", "2026-03-28T12:00Z", BERLIN, "2026-03-29T12:00Z"),
        # Samoa had no 30 December 2011; what fell into it comes once.
        ("cron:daily:09:00", "2011-12-29T20:00Z", ZoneInfo("Pacific/Apia"), "2011-12-30T19:00Z"),
        ("cron:daily:09:00", "2011-12-30T19:00Z", ZoneInfo("Pacific/Apia"), "2011-12-31T19:00Z"),
        ("cron:once:2026-03-01T08:00:00Z", "2026-02-01T00:00Z", BERLIN, "2026-03-01T08:00Z"),
        ("cron:once:2026-03-01T08:00", "2026-02-01T00:00Z", BERLIN, "2026-03-01T07:00Z"),
        ("cron:once:2026-03-01T08:00+08:00", "2026-02-01T00:00Z", BERLIN, "2026-03-01T00:00Z"),
        ("cron:once:2026-03-01", "2026-02-01T00:00Z", SHANGHAI, "2026-02-28T16:00Z"),
        ("cron:once:2026-03-01T08:00:00Z", "2026-03-01T08:00Z", BERLIN, None),
    ],
)
def test_the_next_time(tag: str, last: str, zone: ZoneInfo, expected: str | None):
    assert next_of(tag, last, zone) == (None if expected is None else at(expected))


@pytest.mark.parametrize(
    "tag",
    [
        *("cron:", "cron:yearly", "cron:daily:25:00", "cron:daily:08:60", "cron:daily:8"),
        *("cron:daily:09:00:Mars/Olympus", "cron:daily:09:00:../etc/passwd", "cron:daily:09:00:"),
        *("cron:daily:09:00:America", "cron:weekly:xyz:09:00", "cron:weekly:monday"),
        *("cron:weekdays", "cron:monthly:0:09:00", "cron:monthly:32:09:00", "cron:monthly:5"),
        *(
            "cron:every:",
            "cron:every:0s",
            "cron:every:59s",
            "cron:every:9999999w",
            "cron:every:-4h",
        ),
        *("cron:every:4", "cron:once:", "cron:once:soon", "cron:once:2026-13-01"),
        *("daily:09:00", "cron:daily:09:00x", "cron：daily"),
    ],
)
def test_what_is_no_schedule_is_refused_and_says_why(tag: str):
    with pytest.raises(cron.BadSchedule) as caught:
        cron.parse(tag)
    assert repr(tag) in str(caught.value)
    assert cron.problem(tag) == (str(caught.value) if cron.is_schedule(tag) else None)


@pytest.mark.parametrize("tag", [*TAGS, "cron: daily \n", "monitor", "紧急", ""])
def test_good_tags_and_other_tags_have_no_problem(tag: str):
    assert cron.problem(tag) is None


@pytest.mark.parametrize(
    ("tag", "now", "due", "missed"),
    [
        ("cron:daily:09:00", "2026-06-10T08:59:59Z", False, False),
        ("cron:daily:09:00", "2026-06-10T09:00Z", True, False),
        ("cron:daily:09:00", "2026-06-11T09:00Z", True, False),
        ("cron:daily:09:00", "2026-06-11T09:00:01Z", True, True),
        ("cron:hourly", "2026-06-10T00:59:59Z", False, False),
        ("cron:hourly", "2026-06-10T01:00Z", True, False),
        ("cron:hourly", "2026-06-10T03:00Z", True, False),
        ("cron:hourly", "2026-06-10T03:00:01Z", True, True),
        ("cron:every:1d", "2026-06-13T00:00Z", True, False),
        ("cron:every:1d", "2026-06-13T00:00:01Z", True, True),
        ("cron:once:2026-06-10T06:00Z", "2026-06-10T06:00Z", True, False),
        ("cron:once:2026-06-10T06:00Z", "2026-06-11T06:00:01Z", True, True),
    ],
)
def test_due_and_missed_on_both_sides_of_their_limits(tag: str, now: str, due: bool, missed: bool):
    found = cron.due(cron.parse(tag), at("2026-06-10T00:00Z"), at(now), UTC_ZONE)
    assert (found is not None, found is not None and found.missed) == (due, missed)


moments = st.datetimes(
    min_value=datetime(2005, 1, 1),  # noqa: DTZ001 - the strategy adds the zone
    max_value=datetime(2045, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


@given(st.sampled_from(TAGS), st.sampled_from(ZONES), moments)
def test_the_next_time_is_always_later(tag: str, zone: str, last: datetime):
    found = cron.next_after(cron.parse(tag), last, ZoneInfo(zone))
    assert found is not None or tag.startswith("cron:once:")
    assert found is None or (found > last and found.tzinfo is UTC)


@given(st.sampled_from(TAGS), st.sampled_from(ZONES), moments, moments)
def test_who_looks_later_never_hears_of_an_earlier_time(
    tag: str, zone: str, one: datetime, other: datetime
):
    first, second = sorted((one, other))
    schedule = cron.parse(tag)
    early = cron.next_after(schedule, first, ZoneInfo(zone))
    late = cron.next_after(schedule, second, ZoneInfo(zone))
    assert late is None or (early is not None and early <= late)


@given(st.sampled_from(ZONES), moments, st.integers(0, 23), st.integers(0, 59))
def test_a_daily_time_comes_once_on_every_day_of_the_calendar(
    zone: str, last: datetime, hour: int, minute: int
):
    where = ZoneInfo(zone)
    schedule = cron.parse(f"cron:daily:{hour:02d}:{minute:02d}")
    times = [cron.next_after(schedule, last, where)]
    for _ in range(9):
        before = times[-1]
        assert before is not None
        times.append(cron.next_after(schedule, before, where))
    days = [found.astimezone(where).date() for found in times if found is not None]
    assert len(days) == len(set(days)) == 10
    assert (days[-1] - days[0]).days in (9, 10)  # 10: over a day that a zone left out


@given(st.sampled_from(ZONES), moments, st.integers(1, 31))
def test_a_day_of_the_month_comes_in_every_month(zone: str, last: datetime, day: int):
    where = ZoneInfo(zone)
    schedule = cron.parse(f"cron:monthly:{day}:12:00")
    found = cron.next_after(schedule, last, where)
    assert found is not None
    following = cron.next_after(schedule, found, where)
    assert following is not None
    one, other = found.astimezone(where), following.astimezone(where)
    assert (other.year * 12 + other.month) - (one.year * 12 + one.month) == 1


@given(st.sampled_from(TAGS), st.sampled_from(ZONES), moments, st.timedeltas(timedelta(0)))
def test_due_is_a_time_between_the_last_one_and_now(
    tag: str, zone: str, last: datetime, later: timedelta
):
    now = last + min(later, timedelta(days=400))
    found = cron.due(cron.parse(tag), last, now, ZoneInfo(zone))
    assert found is None or last < found.at <= now


def test_the_end_of_the_calendar_is_no_error():
    last = datetime.max.replace(tzinfo=UTC)
    for tag in TAGS:
        assert cron.next_after(cron.parse(tag), last, BERLIN) is None
