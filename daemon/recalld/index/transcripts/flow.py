"""Transcripts followed while they grow: at start, every few seconds, on request."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import anyio
from pathspec import GitIgnoreSpec

from recalld.errors import Unavailable
from recalld.index.model import Skip, Stamp, Workspace
from recalld.index.schedule import unless_hung
from recalld.index.transcripts import disk
from recalld.index.transcripts.looking import Round
from recalld.index.transcripts.model import Followed, KnownTranscript
from recalld.index.transcripts.paths import (
    FOLDER,
    absolute_path,
)
from recalld.index.transcripts.pipeline import Kit

# A file that is gone for so long is gone; a rotation makes the new one within that.
GRACE_S = 0.2
# A disk that does not answer for so long is not waited for.
HUNG_S = 30.0
NO_ANSWER = "the disk does not answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """``workspaces`` as they are configured now; ``patterns`` are absolute globs of files.

    ``never`` are paths relative to any workspace that are no transcripts. A disk that does not
    answer for ``patience_s`` is not waited for.
    """

    workspaces: Callable[[], Iterable[Workspace]]
    patterns: tuple[str, ...] = ()
    never: Callable[[], Iterable[str]] = tuple
    patience_s: float = HUNG_S


class Follower:
    """``look`` brings everything up to date; ``run`` does so until cancelled.

    ``on_change`` is told the ids of workspaces whose turns changed. ``skips`` are files that
    belong to no workspace.
    """

    def __init__(
        self, kit: Kit, surroundings: Surroundings, *, on_change: Callable[[int], None]
    ) -> None:
        self.kit = kit
        self._around = surroundings
        self._on_change = on_change
        self._lock = anyio.Lock()
        self._homeless: dict[str, Stamp] = {}
        self._settled: tuple[tuple[Workspace, ...], Mapping[str, Stamp]] | None = None
        self.skips: tuple[Skip, ...] = ()

    async def run(self) -> None:
        while True:
            try:
                await self.look()
            except Unavailable:
                self.kit.counters.add("transcripts.look_failed")
            await anyio.sleep(self.kit.policy.follow_s)

    async def look(self) -> Followed:
        """Everything on disk at the call is in the store, unless the disk does not answer.

        ``Unavailable`` with the store.
        """
        followed = await unless_hung(self._look, lane=self.kit.lane, patience_s=self._patience_s)
        if followed is None:
            self.kit.counters.add("transcripts.hung")
            self.skips = (Skip(path=FOLDER, why=NO_ANSWER),)
        return followed or Followed()

    def _patience_s(self) -> float:
        return self._around.patience_s

    async def _look(self) -> Followed:
        async with self._lock:
            workspaces = tuple(self._around.workspaces())
            found = await self._find(workspaces)
            stamps = {file.path: file.stamp for file in found.files}
            if self._settled == (workspaces, stamps):
                return Followed()
            moved = self._settled is None or self._settled[0] != workspaces
            self._settled = None
            round_ = Round(self.kit, workspaces, moved=moved, homeless=self._homeless)
            rows = await self.kit.store.known()
            if _missing(rows, workspaces, stamps):
                await anyio.sleep(GRACE_S)
                found = await self._find(workspaces)
            await round_.run(found.files, rows)
            self.skips = (*found.skipped, *round_.skips)
            self._settled = (workspaces, stamps) if round_.complete else None
            for workspace_id in sorted(round_.changed_workspaces):
                self._on_change(workspace_id)
            return round_.followed

    async def _find(self, workspaces: tuple[Workspace, ...]) -> disk.Found:
        ignored = GitIgnoreSpec.from_lines(self.kit.policy.ignore)
        never = tuple(self._around.never())

        def takes(_: str, path: str) -> bool:
            return not ignored.match_file(path) and path not in never

        roots = [workspace.root for workspace in workspaces]
        work = partial(disk.find, roots, self._around.patterns, takes=takes)
        return await self.kit.step(work)


def _missing(
    rows: Iterable[KnownTranscript], workspaces: Iterable[Workspace], stamps: Mapping[str, Stamp]
) -> bool:
    by_id = {workspace.id: workspace for workspace in workspaces}
    return any(
        row.workspace_id in by_id and absolute_path(row.path, by_id[row.workspace_id]) not in stamps
        for row in rows
    )
