"""What the developer's checks want to know of a workspace, read without changing anything."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from recalld.heartbeat import report_files, repository
from recalld.heartbeat.model import Seen, Standing, Workspace
from recalld.heartbeat.report_files import ReportLimits, readable
from recalld.heartbeat.repository import GitLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What is read of a workspace, and what that may cost. ``reports``: globs, as in a
    ``.gitignore``."""

    reports: tuple[str, ...] = ()
    git_limits: GitLimits = field(default_factory=GitLimits)
    report_limits: ReportLimits = field(default_factory=ReportLimits)


WITHOUT_REPORTS = Scope()
# Reports that changed longer ago are no news.
RECENT = timedelta(hours=24)


async def read(
    root: Path,
    *,
    now: datetime,
    seen: Seen | None = None,
    standing: Standing | None = None,
    scope: Scope = WITHOUT_REPORTS,
) -> Workspace:
    """The workspace at ``root`` as it is now. Never raises for what it finds there.

    ``seen``: where it stood when an act last told of it; None: nothing is news yet.
    ``standing``: what its checkpoint says. What could not be read is left out and named in
    ``problems``.
    """
    found = await repository.read(root, seen, scope.git_limits)
    reports, problems = await report_files.find(
        root, scope.reports, now - RECENT, scope.report_limits
    )
    said = standing or Standing()
    return Workspace(
        root=readable(str(root)),
        branch=found.branch,
        head=found.head,
        seen_branch=None if seen is None else seen.branch,
        seen_head=None if seen is None else seen.head,
        commits=found.commits,
        reports=reports,
        blocker=said.blocker,
        blocker_since=said.blocker_since,
        objective=said.objective,
        next_action=said.next_action,
        checkpoint_at=said.updated_at,
        problems=(*found.problems, *problems),
    )


def seen_now(workspace: Workspace, now: datetime) -> Seen:
    """To be kept with the first reading, and with each act that told of the workspace."""
    return Seen(at=now, branch=workspace.branch, head=workspace.head)
