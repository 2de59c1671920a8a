"""What happened in a workspace's repository: another branch, a planned file, a revert."""

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from recalld.heartbeat.finding import Found, Label, by_weight, live, told
from recalld.heartbeat.mentions import indexed, named_paths, names_branch
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


class _Named(NamedTuple):
    plan: Memory
    paths: frozenset[str]


def _find(snapshot: Snapshot) -> tuple[Signal, ...]:
    """Reverts first, then plans whose files were changed, then branches; by workspace.

    A plan is named once, with its newest commit; a revert with the plans whose files it touches.
    """
    plans = by_weight(live(snapshot, MemoryType.PLAN)) if snapshot.workspaces else []
    rooms = [
        (workspace, _named(workspace, plans))
        for workspace in sorted(snapshot.workspaces, key=lambda one: one.root)
    ]
    found = [
        *(one for workspace, named in rooms for one in _reverts(workspace, named)),
        *(one for workspace, named in rooms for one in _touched(workspace, named)),
        *(one for workspace, _ in rooms for one in _branch(snapshot, workspace, plans)),
    ]
    # Two workspaces may be one repository.
    unique: dict[str, Found] = {}
    for one in found:
        unique.setdefault(one.key, one)
    return told(snapshot, LABEL, list(unique.values()))


def _named(workspace: Workspace, plans: list[Memory]) -> list[_Named]:
    """Plans with the files they name, of those that were committed."""
    touched = (path for _, _, paths in workspace.commits for path in paths)
    paths = indexed(touched, root=workspace.root)
    every = (_Named(plan, named_paths(plan.content, paths)) for plan in plans if workspace.commits)
    return [one for one in every if one.paths]


def _commits(workspace: Workspace, *, reverts: bool) -> list[_Commit]:
    every = (_Commit(*one) for one in workspace.commits)
    return [one for one in every if (_REVERT.match(one.subject) is not None) is reverts]


def _reverts(workspace: Workspace, named: list[_Named]) -> Iterator[Found]:
    for commit in _commits(workspace, reverts=True):
        yield Found(
            key=f"revert:{commit.hash[:HASH_CHARS]}",
            title=title("reverted", commit.subject),
            memories=tuple(one.plan for one in named if not one.paths.isdisjoint(commit.paths)),
            detail={"event": "revert", **_about(workspace, commit)},
        )


def _touched(workspace: Workspace, named: list[_Named]) -> Iterator[Found]:
    told_of: set[str] = set()
    for commit in _commits(workspace, reverts=False):
        for plan, paths in named:
            if plan.id not in told_of and not paths.isdisjoint(commit.paths):
                told_of.add(plan.id)
                path = next(path for path in commit.paths if path in paths)
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


def _about(workspace: Workspace, commit: _Commit) -> dict[str, object]:
    return {
        "workspace": workspace.root,
        "repository": posixpath.basename(workspace.root),
        "commit": commit.hash[:HASH_CHARS],
        "subject": quoted(commit.subject),
    }


CHECK = Check(name=LABEL.name, tier=LABEL.tier, find=_find)
