"""What happened in a workspace's repository: another branch, a planned file, a revert."""

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from recalld.heartbeat.finding import Found, Label, by_weight, live, told
from recalld.heartbeat.mentions import named_path, names_branch
from recalld.heartbeat.model import Check, Signal, Snapshot, Tier, Workspace
from recalld.heartbeat.wording import prefers_chinese, quoted, title
from recalld.memories.model import Memory, MemoryType

LABEL = Label("git", Tier.NORMAL)

_REVERT = re.compile(r"revert(?:s|ed|ing)?\b|(?:回滚|回滾|回退|撤销|撤銷|还原|還原)", re.IGNORECASE)
HASH_CHARS = 12


class _Commit(NamedTuple):
    hash: str
    subject: str
    paths: tuple[str, ...]


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """Reverts first, then plans whose files were changed, then branches; by workspace.

    A plan is named once, with its newest commit; a revert with the plans whose files it touches.
    """
    plans = by_weight(live(snapshot, MemoryType.PLAN)) if snapshot.workspaces else []
    workspaces = sorted(snapshot.workspaces, key=lambda one: one.root)
    found = [
        *(one for workspace in workspaces for one in _reverts(workspace, plans)),
        *_unique(one for workspace in workspaces for one in _touched(workspace, plans)),
        *(one for workspace in workspaces for one in _branch(snapshot, workspace, plans)),
    ]
    return told(snapshot, LABEL, found)


def _commits(workspace: Workspace, *, reverts: bool) -> list[_Commit]:
    every = (_Commit(*one) for one in workspace.commits)
    return [one for one in every if (_REVERT.match(one.subject) is not None) is reverts]


def _reverts(workspace: Workspace, plans: list[Memory]) -> Iterator[Found]:
    for commit in _commits(workspace, reverts=True):
        yield Found(
            key=f"revert:{commit.hash[:HASH_CHARS]}",
            title=title("reverted", commit.subject),
            memories=tuple(plan for plan, _ in _named(workspace, commit, plans)),
            detail={"event": "revert", **_about(workspace, commit)},
        )


def _touched(workspace: Workspace, plans: list[Memory]) -> Iterator[Found]:
    for commit in _commits(workspace, reverts=False):
        for plan, path in _named(workspace, commit, plans):
            yield Found(
                key=plan.id,
                title=title("touched", plan.content, path=path),
                memories=(plan,),
                detail={"event": "touched", "path": path, **_about(workspace, commit)},
            )


def _branch(snapshot: Snapshot, workspace: Workspace, plans: list[Memory]) -> Iterator[Found]:
    now, before = workspace.branch, workspace.seen_branch
    if now is None or before is None or now == before:
        return
    yield Found(
        key=f"branch:{workspace.root}:{now}",
        title=title("branch", now, chinese=prefers_chinese(snapshot), old=before),
        memories=tuple(plan for plan in plans if names_branch(plan.content, now)),
        detail={"event": "branch", "workspace": workspace.root, "branch": now, "before": before},
    )


def _named(
    workspace: Workspace, commit: _Commit, plans: list[Memory]
) -> Iterator[tuple[Memory, str]]:
    """Plans that name a file of the commit, with that file."""
    for plan in plans:
        path = named_path(plan.content, commit.paths, root=workspace.root)
        if path is not None:
            yield plan, path


def _unique(found: Iterator[Found]) -> Iterator[Found]:
    seen: set[str] = set()
    for one in found:
        if one.key not in seen:
            seen.add(one.key)
            yield one


def _about(workspace: Workspace, commit: _Commit) -> dict[str, object]:
    return {
        "workspace": workspace.root,
        "repository": posixpath.basename(workspace.root),
        "commit": commit.hash[:HASH_CHARS],
        "subject": quoted(commit.subject),
    }


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
