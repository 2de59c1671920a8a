"""One look at all transcripts: which row is whose file now, and what each of them needs."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from recalld.index.model import Skip, Stamp, Workspace
from recalld.index.names import label_of
from recalld.index.transcripts import host_named
from recalld.index.transcripts.blocks import Origin, origin_of
from recalld.index.transcripts.model import Followed, Host, KnownTranscript, Place, Written
from recalld.index.transcripts.paths import SeenTranscript, absolute_path, home_of, stored_path
from recalld.index.transcripts.pipeline import Caught, Following, Kit

NO_WORKSPACE = "no workspace"


class Round:
    """One look at all files."""

    def __init__(
        self,
        kit: Kit,
        workspaces: tuple[Workspace, ...],
        *,
        moved: bool,
        homeless: dict[str, Stamp],
    ) -> None:
        self._kit = kit
        self._workspaces = workspaces
        self._by_id = {workspace.id: workspace for workspace in workspaces}
        # With other workspaces than before, a file may belong elsewhere.
        self._moved = moved
        self._homeless = homeless
        self._lost: set[int] = set()
        self.skips: list[Skip] = []
        self.changed_workspaces: set[int] = set()
        self.followed = Followed()
        self.complete = True

    async def run(self, files: tuple[SeenTranscript, ...], rows: Iterable[KnownTranscript]) -> None:
        mine = [row for row in rows if row.workspace_id in self._by_id]
        matched = self._match(files, mine)
        kept = {row.file_id for row in matched.values()}
        for row in mine:
            if row.file_id not in kept:
                await self._remove(row)
        # Before a new file takes the name of a renamed one.
        for path, row in matched.items():
            matched[path] = await self._renamed(path, row)
        # Rotated files last: a copy knows the lines of what it was copied from.
        for file in sorted(files, key=lambda file: (not file.path.endswith(".jsonl"), file.path)):
            await self._one(file, matched.get(file.path), anew=False)
        for file in files if self._lost else ():
            copier = matched.get(file.path)
            if copier is not None and copier.workspace_id in self._lost and _has_copies(copier):
                await self._one(file, copier, anew=True)

    def _match(
        self, files: Iterable[SeenTranscript], rows: Iterable[KnownTranscript]
    ) -> dict[str, KnownTranscript]:
        """The row of each path: by its inode where the file was renamed, else by its path."""
        by_path = {self._absolute(row): row for row in rows}
        inodes = {file.stamp.inode: file.path for file in files}
        seen = {file.path: file.stamp.inode for file in files}
        matched: dict[str, KnownTranscript] = {}
        for path, row in by_path.items():
            moved_to = inodes.get(row.stamp.inode)
            if moved_to is not None and seen.get(path) != row.stamp.inode:
                matched[moved_to] = row
        taken = {row.file_id for row in matched.values()}
        for path, row in by_path.items():
            if path in seen and path not in matched and row.file_id not in taken:
                matched[path] = row
        return matched

    async def _renamed(self, path: str, row: KnownTranscript) -> KnownTranscript:
        stored = stored_path(path, self._by_id[row.workspace_id])
        if stored == row.path:
            return row
        self._kit.counters.add("transcripts.renamed")
        await self._kit.store.rename(row.file_id, path=stored, stamp=row.stamp)
        self.changed_workspaces.add(row.workspace_id)
        return replace(row, path=stored)

    def _absolute(self, row: KnownTranscript) -> str:
        return absolute_path(row.path, self._by_id[row.workspace_id])

    async def _one(self, file: SeenTranscript, row: KnownTranscript | None, *, anew: bool) -> None:
        if self._is_settled(file, row) and not anew and not self._moved:
            return
        if self._homeless.get(file.path) == file.stamp and not self._moved:
            self._skip(file)
            return
        try:
            await self._read(file, row, anew=anew)
        except OSError as error:
            self._kit.counters.add("transcripts.unreadable")
            self.skips.append(Skip(path=_label(file.path), why=f"unreadable: {error.strerror}"))
            self.complete = False
        # A line that the text rules give up on must not cost the other files.
        except (ValueError, LookupError, RecursionError, MemoryError) as error:
            self._kit.counters.add("transcripts.failed")
            self.skips.append(Skip(path=_label(file.path), why=f"failed: {type(error).__name__}"))

    async def _read(self, file: SeenTranscript, row: KnownTranscript | None, *, anew: bool) -> None:
        origin = await self._kit.step(partial(origin_of, file.path))
        if origin is not None:
            await self._settle(file, row, origin, anew=anew)
        elif row is not None and row.progress is not None:
            # Emptied, or begun anew with half a line.
            known = host_named(row.progress.host)
            if known is not None:
                await self._follow(file, row, self._by_id[row.workspace_id], known, anew=anew)

    def _is_settled(self, file: SeenTranscript, row: KnownTranscript | None) -> bool:
        """Whether the file is as it was when it was read, under the same name."""
        same = row is not None and row.stamp == file.stamp
        return same and row is not None and self._absolute(row) == file.path

    async def _settle(
        self, file: SeenTranscript, row: KnownTranscript | None, origin: Origin, *, anew: bool
    ) -> None:
        home = home_of(file.path, origin.cwd, self._workspaces)
        if row is not None and (home is None or home.id != row.workspace_id):
            await self._remove(row)
            row = None
        if home is None:
            self._homeless[file.path] = file.stamp
            self._skip(file)
            return
        if origin.host is None:
            await self._leave_out(file, home, row, origin.why)
            return
        if (
            self._is_settled(file, row)
            and row is not None
            and row.progress is not None
            and not anew
        ):
            return
        await self._follow(file, row, home, origin.host, anew=anew)

    async def _follow(
        self,
        file: SeenTranscript,
        row: KnownTranscript | None,
        home: Workspace,
        host: Host,
        *,
        anew: bool,
    ) -> None:
        caught = await Following(self._kit, file, home).catch_up(row, host, anew=anew)
        if caught is Caught.REWRITTEN:
            self._lost.add(home.id)
        if caught is not Caught.UNCHANGED or row is None:
            self._note(home.id, added=row is None, changed=row is not None)

    async def _leave_out(
        self, file: SeenTranscript, home: Workspace, row: KnownTranscript | None, why: str
    ) -> None:
        if row is not None and row.skipped == why and row.stamp == file.stamp:
            return
        self._kit.counters.add(f"transcripts.skipped.{why.replace(' ', '_')}")
        await self._kit.store.write(
            home.id,
            Written(
                path=stored_path(file.path, home),
                stamp=file.stamp,
                progress=None,
                keep=Place(),
                skipped=why,
            ),
        )

    async def _remove(self, row: KnownTranscript) -> None:
        await self._kit.store.remove(row.workspace_id, row.file_id)
        self._lost.add(row.workspace_id)
        self._note(row.workspace_id, removed=True)

    def _skip(self, file: SeenTranscript) -> None:
        self.skips.append(Skip(path=_label(file.path), why=NO_WORKSPACE))

    def _note(
        self,
        workspace_id: int,
        *,
        added: bool = False,
        changed: bool = False,
        removed: bool = False,
    ) -> None:
        self.changed_workspaces.add(workspace_id)
        self.followed = Followed(
            added=self.followed.added + added,
            changed=self.followed.changed + changed,
            removed=self.followed.removed + removed,
        )


def _has_copies(row: KnownTranscript) -> bool:
    return row.progress is not None and row.progress.copied > 0


def _label(path: str) -> str:
    return label_of(path.encode("utf-8", "surrogateescape"))
