"""A blocker that has stood in a workspace's checkpoint for more than a day."""

from datetime import datetime, timedelta

from recalld.heartbeat.finding import Found, Label, hours, stamp, told
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier, Workspace
from recalld.heartbeat.wording import quoted, title

LABEL = Label("blocker", Tier.ELEVATED)

OLD = timedelta(days=1)


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """One a workspace, without memories, the oldest blocker first."""
    blocked = [
        (one.blocker_since, one.root, one)
        for one in snapshot.workspaces
        if one.blocker.strip()
        and one.blocker_since is not None
        and snapshot.now - one.blocker_since > OLD
    ]
    blocked.sort(key=lambda each: each[:2])
    found = [_found(snapshot, one, since) for since, _, one in blocked]
    return told(snapshot, LABEL, found)


def _found(snapshot: Snapshot, workspace: Workspace, since: datetime) -> Found:
    return Found(
        key=workspace.root,
        title=title("blocked", workspace.blocker, span=snapshot.now - since),
        detail={
            "workspace": workspace.root,
            "blocker": quoted(workspace.blocker, 500),
            "since": stamp(since),
            "hours": hours(snapshot.now - since),
        },
    )


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
