"""A test report that changed and names failures."""

import posixpath
from datetime import datetime, timedelta
from operator import itemgetter
from typing import NamedTuple

from recalld.heartbeat.finding import Found, Label, stamp, told
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier, Workspace
from recalld.heartbeat.wording import prefers_chinese, title

LABEL = Label("failing_tests", Tier.ELEVATED)

# What has lain there for longer is no news, whoever has or has not heard of it.
RECENT = timedelta(hours=24)
MAX_NAMED = 10


class _Report(NamedTuple):
    path: str
    failures: int
    changed_at: datetime


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """One a workspace, without memories, the latest change first.

    Changed means: within a day, and since the last act, which named what had failed before it.
    """
    failing = [
        (workspace, reports)
        for workspace in snapshot.workspaces
        if (reports := _failing(snapshot, workspace))
    ]
    failing.sort(key=lambda pair: pair[0].root)
    failing.sort(key=lambda pair: pair[1][0].changed_at, reverse=True)
    found = [_found(snapshot, *pair) for pair in failing]
    return told(snapshot, LABEL, found)


def _failing(snapshot: Snapshot, workspace: Workspace) -> list[_Report]:
    """The latest first."""
    last = snapshot.last_state
    reports = sorted((_Report(*one) for one in workspace.reports), key=itemgetter(0))
    news = [
        one
        for one in reports
        if one.failures > 0
        and timedelta(0) <= snapshot.now - one.changed_at <= RECENT
        and (last is None or one.changed_at > last.at)
    ]
    return sorted(news, key=lambda one: one.changed_at, reverse=True)


def _found(snapshot: Snapshot, workspace: Workspace, reports: list[_Report]) -> Found:
    total = sum(one.failures for one in reports)
    where = posixpath.join(posixpath.basename(workspace.root), reports[0].path)
    return Found(
        key=workspace.root,
        title=title("failing", where, chinese=prefers_chinese(snapshot), count=total),
        detail={
            "workspace": workspace.root,
            "failures": total,
            "reports": len(reports),
            "changed_at": stamp(reports[0].changed_at),
            "paths": [one.path for one in reports[:MAX_NAMED]],
        },
    )


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
