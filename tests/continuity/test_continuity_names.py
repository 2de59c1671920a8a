"""Names of archived checkpoints: UTC, in order of time, never one twice."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.continuity.names import archive_name, parse_name, to_cool, to_drop

AT = datetime(2026, 5, 4, 10, 0, 7, tzinfo=UTC)
FIRST = "2026-05-04_10-00-07.md"


def test_a_name_is_utc_with_seconds_s2_13():
    assert archive_name(AT, ()) == FIRST
    assert archive_name(AT.astimezone(timezone(timedelta(hours=8))), ()) == FIRST
    assert archive_name(AT.replace(tzinfo=None, microsecond=999_999), ()) == FIRST


def test_names_of_one_second_sort_in_the_order_they_were_made_s2_13():
    names: list[str] = []
    for _ in range(250):
        names.append(archive_name(AT, names))
    assert len(set(names)) == 250
    assert to_drop(reversed(names), 0) == names
    assert {parse_name(name) for name in names} == {AT}
    assert names[1] == "2026-05-04_10-00-07_02.md"


def test_a_gap_is_not_filled_for_that_would_sort_wrong():
    assert archive_name(AT, ["cold/2026-05-04_10-00-07_03.md"]) == "2026-05-04_10-00-07_04.md"


@given(st.lists(st.datetimes(), max_size=12))
def test_names_sort_by_time_and_tell_it(times: list[datetime]):
    names: list[str] = []
    for at in sorted(times):
        names.append(archive_name(at, names))
    assert to_drop(names, 0) == names
    assert [parse_name(name) for name in names] == [
        at.replace(microsecond=0, tzinfo=UTC) for at in sorted(times)
    ]


@pytest.mark.parametrize(
    "name",
    [
        "notes.md", "2026-05-04_10-00.md", "2026-02-30_10-00-07.md", "2026-05-04_10-00-07.md.tmp",
        "2026-05-04_10-00-07_2.md", "2026-05-04_10-00-07.MD", "x2026-05-04_10-00-07.md", "",
        "２０２６-05-04_10-00-07.md", "2026-05-04_10-00-07.md\n", "2026-05-04_25-00-07.md",
    ],
)  # fmt: skip
def test_other_names_are_not_ours_and_never_dropped_c6_8(name: str):
    assert parse_name(name) is None
    assert to_drop([name, FIRST], 0) == [FIRST]
    assert to_cool([name], AT + timedelta(days=999), 1) == []


def test_the_oldest_are_dropped():
    names = [archive_name(AT + timedelta(minutes=n), ()) for n in range(5)]
    assert to_drop([f"cold/{names[0]}", *names[3:], *names[1:3]], 2) == [
        f"cold/{names[0]}",
        *names[1:3],
    ]
    assert to_drop(names, 5) == []


def test_copies_cool_when_older_than_the_limit():
    names = [archive_name(AT + timedelta(days=n), ()) for n in range(4)]
    now = AT + timedelta(days=32)
    assert to_cool(names, now, 30) == names[:2]
    assert to_cool([f"cold/{names[0]}", names[1]], now, 30) == [names[1]]
