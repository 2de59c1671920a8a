"""Test reports that changed and name failures."""

from datetime import datetime, timedelta

import pytest

from recalld.heartbeat.checks.failing_tests import CHECK
from recalld.heartbeat.model import State, Tier, Workspace
from support.snapshots import DAY, HOUR, INSTANT, MINUTE, NOW, a_memory, a_snapshot


def reported(*reports: tuple[str, int, datetime], root: str = "/code/app") -> Workspace:
    return Workspace(root=root, reports=reports)


def fires(failures: int = 1, age: timedelta = HOUR, acted: timedelta | None = None) -> bool:
    last = None if acted is None else State(at=NOW - acted, memories=0)
    workspace = reported(("junit.xml", failures, NOW - age))
    found = CHECK.find(a_snapshot(workspaces=(workspace,), last_state=last))
    return [signal.id for signal in found] == ["failing_tests:/code/app"]


@pytest.mark.parametrize(("failures", "expected"), [(0, False), (1, True), (99, True)])
def test_something_failed(failures: int, expected: bool):
    assert fires(failures) is expected


@pytest.mark.parametrize(
    ("age", "expected"),
    [(0 * HOUR, True), (DAY, True), (DAY + INSTANT, False), (-INSTANT, False)],
)
def test_within_a_day_and_not_in_the_future(age: timedelta, expected: bool):
    assert fires(age=age) is expected


@pytest.mark.parametrize(
    ("acted", "expected"),
    [(HOUR + INSTANT, True), (HOUR, False), (HOUR - INSTANT, False), (None, True)],
)
def test_only_what_changed_since_the_last_act(acted: timedelta | None, expected: bool):
    assert fires(age=HOUR, acted=acted) is expected


def test_a_workspace_speaks_once_for_all_its_reports():
    workspace = reported(
        ("target/TEST-a.xml", 2, NOW - HOUR),
        ("target/TEST-b.xml", 3, NOW - MINUTE),
        ("target/TEST-c.xml", 0, NOW),
    )
    (signal,) = CHECK.find(a_snapshot(workspaces=(workspace,)))
    assert (signal.title, signal.tier) == ("5 failing in app/target/TEST-b.xml", Tier.ELEVATED)
    assert signal.memories == ()
    assert signal.detail == {
        "workspace": "/code/app",
        "failures": 5,
        "reports": 2,
        "changed_at": (NOW - MINUTE).isoformat(),
        "paths": ["target/TEST-b.xml", "target/TEST-a.xml"],
    }


def test_it_speaks_the_users_language():
    workspace = reported(("junit.xml", 2, NOW))
    found = CHECK.find(a_snapshot(a_memory("m", "写测试"), workspaces=(workspace,)))
    assert found[0].title == "app/junit.xml 中有 2 个失败的测试"


def test_the_latest_change_comes_first_and_paths_are_bounded():
    many = tuple((f"TEST-{n:02d}.xml", 1, NOW - HOUR) for n in range(15))
    workspaces = (reported(*many, root="/a"), reported(("junit.xml", 1, NOW), root="/b"))
    first, second = CHECK.find(a_snapshot(workspaces=workspaces))
    assert (first.id, second.id) == ("failing_tests:/b", "failing_tests:/a")
    assert second.detail["paths"] == [f"TEST-{n:02d}.xml" for n in range(10)]
    assert second.detail["reports"] == 15
