"""The index kept equal to the workspaces' folders: at start, on events, on request, by rescan."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial

import anyio
from anyio.abc import TaskGroup, TaskStatus

from recalld.counters import Counters
from recalld.errors import NotFound, Unavailable
from recalld.index.ignore import Rules, rules_of
from recalld.index.model import (
    Dirty,
    IndexStore,
    Progress,
    Skip,
    SyncReport,
    WatchState,
    Workspace,
    WorkspaceStatus,
)
from recalld.index.names import label_of
from recalld.index.pipeline import Kit, Reconciler, Tally
from recalld.index.policy import IndexPolicy
from recalld.index.schedule import TURN_S, Turns, unless_hung
from recalld.index.watch import Watch, Watcher, watchfiles_watch
from recalld.index.workspaces import inner_roots

# After the store or the disk failed, the whole workspace is looked at again.
RETRY_S = 2.0
# A disk that does not answer for so long is not waited for; nor, for longer than the second, by
# a workspace that is no longer configured.
HUNG_S = 30.0
LEAVE_S = 1.0
NO_ANSWER = "the disk does not answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """``never`` are paths relative to any workspace that are not indexed: the trace files. It
    holds until ``set_workspaces`` names others.

    ``watch`` None: watchfiles.
    """

    policy: IndexPolicy = field(default_factory=IndexPolicy)
    never: tuple[str, ...] = ()
    watch: Watch | None = None


@dataclass(slots=True)
class _Tended:
    """A workspace with what waits to be looked at."""

    reconciler: Reconciler
    pending: Dirty = field(default_factory=lambda: Dirty(everything=True))
    wake: anyio.Event = field(default_factory=anyio.Event)
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    trouble: str | None = None

    @property
    def workspace(self) -> Workspace:
        return self.reconciler.workspace

    def poke(self, dirty: Dirty) -> None:
        self.pending.add(dirty)
        self.wake.set()

    def take(self) -> Dirty:
        dirty, self.pending, self.wake = self.pending, Dirty(), anyio.Event()
        return dirty

    def patience_s(self) -> float:
        """How long a disk that does not answer is waited for."""
        return LEAVE_S if self.reconciler.retired else HUNG_S

    async def end(self) -> None:
        self.scope.cancel()
        await self.reconciler.retire()


class Indexer:
    """``set_workspaces`` first, then ``run``; ``sync`` works with and without ``run``.

    ``on_change`` is called with the workspace's id after each commit that changed its chunks.
    """

    def __init__(
        self,
        store: IndexStore,
        *,
        settings: IndexSettings,
        counters: Counters,
        on_change: Callable[[int], None],
    ) -> None:
        self._store = store
        self._settings = settings
        self.never = settings.never
        self._counters = counters
        self._on_change = on_change
        self._turns = Turns(counters)
        self._kit = Kit(store=store, policy=settings.policy, counters=counters, turns=self._turns)
        self._tended: dict[str, _Tended] = {}
        self._nest: TaskGroup | None = None
        self._watcher = Watcher(
            watch=settings.watch or watchfiles_watch(settings.policy),
            policy=settings.policy,
            counters=counters,
            report=self._report,
        )

    @property
    def workspaces(self) -> tuple[Workspace, ...]:
        """With their ids, for ``resolve``."""
        return tuple(tended.workspace for tended in self._tended.values())

    async def set_workspaces(
        self, workspaces: Iterable[Workspace], *, never: tuple[str, ...] | None = None
    ) -> None:
        """Index exactly these; the rows of any other workspace are dropped.

        With other ``never`` paths than before, every workspace is looked at anew.
        """
        self.never = self.never if never is None else never
        wanted = {workspace.root: workspace for workspace in workspaces}
        stored = {row.root: row for row in await self._store.workspaces()}
        for root in [root for root in self._tended if root not in wanted]:
            await self._tended.pop(root).end()
        for root, row in stored.items():
            if root not in wanted:
                await self._store.drop_workspace(row.id)
                self._on_change(row.id)
        for root, workspace in wanted.items():
            key = stored[root].id if root in stored else await self._store.add_workspace(root)
            recipe = stored[root].recipe if root in stored else ""
            named = replace(workspace, id=key)
            never_here = (*self.never, *inner_roots(named, wanted.values()))
            rules = rules_of(named, self._settings.policy, never=never_here)
            await self._keep(named, rules, recipe)
        self._tended = {root: self._tended[root] for root in wanted}
        self._watcher.set_roots(wanted)

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Keep every workspace current until cancelled. Started before the first look ends.

        May be run again after it broke; everything is looked at anew then.
        """
        async with anyio.create_task_group() as nest:
            self._nest = nest
            try:
                for tended in self._tended.values():
                    # After a run that broke, the old scope is spent: each opens only once.
                    tended.scope = anyio.CancelScope()
                    tended.poke(Dirty(everything=True))
                    nest.start_soon(self._tend, tended)
                nest.start_soon(self._turns.run)
                nest.start_soon(self._watcher.run)
                nest.start_soon(self._rescan)
                task_status.started()
                await anyio.sleep_forever()
            finally:
                self._nest = None

    async def sync(
        self,
        workspace_id: int | None = None,
        *,
        wait: bool = True,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Reconcile now; with ``wait`` everything on disk at the call is in the store.

        None is every workspace. ``NotFound`` for an unknown id; ``Unavailable`` when the store
        fails. Without ``wait`` the report holds the totals as they are. A workspace whose disk
        hangs is skipped under its own root.
        """
        total = Tally()
        chosen = self._chosen(workspace_id)
        skipped: list[Skip] = []
        for tended in sorted(chosen, key=lambda each: each.reconciler.lane.stuck_s):
            if not wait:
                tended.poke(Dirty(everything=True))
                continue
            tally = await unless_hung(
                partial(self._reconcile, tended, Dirty(everything=True), progress),
                lane=tended.reconciler.lane,
                patience_s=tended.patience_s,
            )
            if tally is None:
                skipped.append(Skip(path=tended.workspace.root, why=NO_ANSWER))
                continue
            total.add(tally)
        files = chunks = 0
        for tended in chosen:
            counts = await self._store.counts(tended.workspace.id)
            files, chunks = files + counts.files, chunks + counts.chunks
            skipped += [*await self._store.skipped(tended.workspace.id)]
            skipped += tended.reconciler.skips.values()
        return SyncReport(
            files=files,
            chunks=chunks,
            added=total.added,
            changed=total.changed,
            removed=total.removed,
            skipped=tuple(skipped),
        )

    async def status(self, workspace_id: int | None = None) -> tuple[WorkspaceStatus, ...]:
        """Of one workspace or all. ``NotFound`` for an unknown id."""
        return tuple([await self._status(tended) for tended in self._chosen(workspace_id)])

    async def _status(self, tended: _Tended) -> WorkspaceStatus:
        reconciler = tended.reconciler
        counts = await self._store.counts(tended.workspace.id)
        watch = self._watcher.state if self._nest is not None else WatchState.DOWN
        degraded = [] if watch is WatchState.WATCH else [f"watch: {watch}"]
        degraded += ["root: missing"] if reconciler.root_missing else []
        degraded += [tended.trouble] if tended.trouble else []
        degraded += [NO_ANSWER] if reconciler.lane.stuck_s > TURN_S else []
        return WorkspaceStatus(
            id=tended.workspace.id,
            root=tended.workspace.root,
            files=counts.files,
            chunks=counts.chunks,
            skipped=counts.skipped + len(reconciler.skips),
            watch=watch,
            reconciled_at=reconciler.reconciled_at,
            degraded=tuple(degraded),
            done=reconciler.done,
            total=reconciler.total,
        )

    def _chosen(self, workspace_id: int | None) -> list[_Tended]:
        chosen = [
            tended
            for tended in self._tended.values()
            if workspace_id is None or tended.workspace.id == workspace_id
        ]
        if not chosen and workspace_id is not None:
            raise NotFound(f"workspace {workspace_id}")
        return chosen

    async def _keep(self, workspace: Workspace, rules: Rules, recipe: str) -> None:
        old = self._tended.get(workspace.root)
        if old is not None:
            if old.workspace == workspace and old.reconciler.rules == rules:
                return
            await old.end()
        tended = _Tended(Reconciler(workspace, rules, kit=self._kit, recipe=recipe))
        self._tended[workspace.root] = tended
        if self._nest is not None:
            self._nest.start_soon(self._tend, tended)

    async def _tend(self, tended: _Tended) -> None:
        tended.wake.set()
        with tended.scope:
            while True:
                await tended.wake.wait()
                dirty = tended.take()
                try:
                    await self._reconcile(tended, dirty, None)
                except Unavailable as error:
                    self._counters.add("index.reconcile_failed")
                    tended.trouble = str(error)
                    tended.poke(Dirty(everything=True))
                    await anyio.sleep(RETRY_S)

    async def _reconcile(self, tended: _Tended, dirty: Dirty, progress: Progress | None) -> Tally:
        tally = await tended.reconciler.reconcile(
            dirty,
            progress=progress or _ignore,
            changed=lambda *_: self._on_change(tended.workspace.id),
        )
        tended.trouble = None
        return tally

    async def _rescan(self) -> None:
        while True:
            await anyio.sleep(self._settings.policy.rescan_s)
            for tended in self._tended.values():
                tended.poke(Dirty(everything=True))

    def _report(self, root: str, dirty: Dirty) -> None:
        tended = self._tended.get(root)
        if tended is None:
            return
        rules = tended.reconciler.rules
        paths = {path for path in dirty.paths if rules.may_matter(label_of(os.fsencode(path)))}
        rules_changed = any(path.rsplit("/", 1)[-1] == ".gitignore" for path in paths)
        if dirty.everything or rules_changed:
            tended.poke(Dirty(everything=True))
        elif paths:
            tended.poke(Dirty(paths=paths))


def _ignore(done: int, total: int) -> None:
    """Nobody watches the progress."""
