"""Blockers that have stood in a checkpoint for more than a day."""

from datetime import timedelta

import pytest

from recalld.heartbeat.checks.blocker import CHECK
from recalld.heartbeat.model import Tier, Workspace
from support.snapshots import DAY, HOUR, INSTANT, NOW, a_snapshot


def blocked(since: timedelta | None, text: str = "No access to CI", root: str = "/w") -> Workspace:
    at = None if since is None else NOW - since
    return Workspace(root=root, blocker=text, blocker_since=at)


@pytest.mark.parametrize(
    ("since", "fires"),
    [(0 * DAY, False), (DAY, False), (DAY + INSTANT, True), (90 * DAY, True), (None, False)],
)
def test_older_than_a_day(since: timedelta | None, fires: bool):
    found = CHECK.find(a_snapshot(workspaces=(blocked(since),)))
    assert [signal.id for signal in found] == (["blocker:/w"] if fires else [])


@pytest.mark.parametrize("text", ["", "  \n"])
def test_nothing_blocks(text: str):
    assert CHECK.find(a_snapshot(workspaces=(blocked(9 * DAY, text),))) == ()


def test_the_oldest_comes_first_then_by_workspace():
    workspaces = [
        blocked(2 * DAY, root="/c"),
        blocked(2 * DAY, root="/b"),
        blocked(3 * DAY, root="/d"),
    ]
    found = CHECK.find(a_snapshot(workspaces=tuple(workspaces)))
    assert [signal.id for signal in found] == ["blocker:/d", "blocker:/b", "blocker:/c"]


def test_what_a_signal_says():
    (signal,) = CHECK.find(a_snapshot(workspaces=(blocked(30 * HOUR, "等待\n测试环境权限"),)))
    assert (signal.title, signal.tier) == ("已受阻 30 小时：等待 测试环境权限", Tier.ELEVATED)
    assert signal.memories == ()
    assert signal.detail == {
        "workspace": "/w",
        "blocker": "等待 测试环境权限",
        "since": (NOW - 30 * HOUR).isoformat(),
        "hours": 30.0,
    }


def test_over_twenty_are_counted():
    many = tuple(blocked(2 * DAY, root=f"/w{n}") for n in range(21))
    found = CHECK.find(a_snapshot(workspaces=many))
    assert (len(found), found[0].detail["left_out"]) == (20, 1)
