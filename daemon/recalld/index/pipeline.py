"""One workspace made equal to its folder: look, plan, read, write."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import anyio

from recalld.counters import Counters
from recalld.index import scan
from recalld.index.batch import Batch, BatchReader
from recalld.index.ignore import Rules
from recalld.index.model import (
    INDEX_VERSION,
    Changes,
    Dirty,
    FileRecord,
    IndexStore,
    KnownFile,
    Progress,
    Skip,
    Workspace,
)
from recalld.index.names import is_below, label_of
from recalld.index.plan import Plan, plan_of, prefixes_of
from recalld.index.policy import IndexPolicy
from recalld.index.prepare import content_hash
from recalld.index.scan_model import Seen, Walk
from recalld.index.schedule import Turns

# A file that is gone or changes while it is read is looked at again this often.
ROUNDS = 3


@dataclass(slots=True, kw_only=True)
class Tally:
    """Files that a reconcile added, changed and removed."""

    added: int = 0
    changed: int = 0
    removed: int = 0

    def add(self, other: "Tally") -> None:
        self.added += other.added
        self.changed += other.changed
        self.removed += other.removed


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What every workspace's pipeline works with."""

    store: IndexStore
    policy: IndexPolicy
    counters: Counters
    turns: Turns


def recipe_of(workspace: Workspace, policy: IndexPolicy) -> str:
    """What the rows depend on beside the files' bytes."""
    parts = (
        INDEX_VERSION,
        (policy.max_file_bytes, policy.max_chunk_chars, policy.max_line_chars),
        (workspace.memory, workspace.wiki, workspace.documents),
    )
    return content_hash(repr(parts).encode()).hex()


class Reconciler:
    """One workspace; one reconcile at a time, others wait. Safe to cancel anywhere.

    ``skips`` are the paths that the last looks left out, without those the store remembers.
    """

    def __init__(self, workspace: Workspace, rules: Rules, *, kit: Kit, recipe: str) -> None:
        self.workspace = workspace
        self.rules = rules
        self.skips: dict[str, Skip] = {}
        self.reconciled_at: str | None = None
        self.root_missing = False
        self.done = 0
        self.total = 0
        self.lane = kit.turns.lane(workspace.root)
        self._kit = kit
        self._lock = anyio.Lock()
        self._stored_recipe = recipe
        self._linked = False
        self.retired = False
        self._reader = BatchReader(
            workspace.root, rules.sources, policy=kit.policy, counters=kit.counters
        )

    async def reconcile(self, dirty: Dirty, *, progress: Progress, changed: Progress) -> Tally:
        """Everything that was on disk at the call, of what ``dirty`` names, is in the store.

        ``progress`` gets files done and to do; ``changed`` files put and removed, after each
        commit.
        """
        async with self._lock:
            tally = Tally()
            for number in range(0 if self.retired else ROUNDS):
                if number:
                    await anyio.sleep(self._kit.policy.grace_ms / 1_000)
                again = await self._round(dirty, tally, progress=progress, changed=changed)
                if dirty.everything:
                    await self._note(tally)
                if not again:
                    break
                self._kit.counters.add("index.files_looked_at_again", len(again))
                dirty = Dirty(paths=again)
            return tally

    async def retire(self) -> None:
        """Write nothing from now on; returns when a reconcile that runs has ended.

        Whoever awaits that reconcile lets go of one that hangs; see ``Indexer``.
        """
        self.retired = True
        async with self._lock:
            return

    async def _round(
        self, dirty: Dirty, tally: Tally, *, progress: Progress, changed: Progress
    ) -> set[str]:
        anew = dirty.everything and self._stored_recipe != self._recipe
        plan, known = await self._plan(dirty, anew=anew)
        again: set[str] = set()
        at, last = 0, False
        try:
            while not last:
                self.done, self.total = at, len(plan.read)
                progress(self.done, self.total)
                batch = await self._batch(plan.read[at:], known, anew=anew)
                at += batch.used
                last = at == len(plan.read)
                # Removed with the last of what is new: a renamed file is never found nowhere.
                gone = plan.gone if last else ()
                await self._write(batch, gone, known, tally)
                if batch.put or gone:
                    changed(len(batch.put), len(gone))
                again |= batch.again
        finally:
            self.done = self.total = 0
        progress(len(plan.read), len(plan.read))
        return again

    @property
    def _recipe(self) -> str:
        return recipe_of(self.workspace, self._kit.policy)

    async def _plan(self, dirty: Dirty, *, anew: bool) -> tuple[Plan, Mapping[str, KnownFile]]:
        """What to do, seen twice when a file is gone: an editor may be about to put it back."""
        prefixes = prefixes_of(dirty)
        walk = await self._walk(prefixes)
        if prefixes is not None and (walk.linked or self._linked):
            prefixes = None
            walk = await self._walk(None)
        labels = None if prefixes is None else tuple(_label(prefix) for prefix in prefixes)
        known = await self._kit.store.files(self.workspace.id, labels)
        named = frozenset(labels or ())
        plan = plan_of(walk, known, named=named, anew=anew)
        if plan.suspicious:
            await anyio.sleep(self._kit.policy.grace_ms / 1_000)
            walk = await self._walk(prefixes)
            plan = plan_of(walk, known, named=named, anew=anew)
        self._remember(walk, labels)
        return plan, known

    async def _walk(self, prefixes: tuple[str, ...] | None) -> Walk:
        look = partial(scan.walk, self.workspace.root, self.rules, prefixes=prefixes)
        return await self._kit.turns.step(self.lane, look)

    def _remember(self, walk: Walk, labels: tuple[str, ...] | None) -> None:
        if labels is None:
            kept = {}
            self._linked = walk.linked
            self.root_missing = walk.root_missing
        else:
            kept = {
                path: skip
                for path, skip in self.skips.items()
                if not any(is_below(path, label) for label in labels)
            }
        found = {skip.path: skip for skip in walk.skipped}
        for path, skip in found.items():
            if self.skips.get(path) != skip:
                self._kit.counters.add(f"index.skipped.{skip.why.split(':')[0].replace(' ', '_')}")
        self.skips = kept | found

    async def _batch(
        self, files: tuple[Seen, ...], known: Mapping[str, KnownFile], *, anew: bool
    ) -> Batch:
        if not files:
            return Batch()
        read = partial(self._reader.read, files, known, anew=anew)
        return await self._kit.turns.step(self.lane, read)

    async def _write(
        self,
        batch: Batch,
        gone: tuple[KnownFile, ...],
        known: Mapping[str, KnownFile],
        tally: Tally,
    ) -> None:
        removed = tuple(row.id for row in gone)
        if batch.put or batch.touched or removed:
            changes = Changes(put=tuple(batch.put), touched=tuple(batch.touched), removed=removed)
            await self._kit.store.apply(self.workspace.id, changes)
        changed = sum(record.path in known for record in batch.put)
        tally.changed += changed
        tally.added += len(batch.put) - changed
        tally.removed += len(removed)
        self._count(batch.put, len(removed))

    def _count(self, put: list[FileRecord], removed: int) -> None:
        add = self._kit.counters.add
        for name, n in (("index.files_put", len(put)), ("index.files_removed", removed)):
            if n:
                add(name, n)
        for record in put:
            if record.skipped:
                add(f"index.skipped.{record.skipped.split(':')[0]}")
            if record.warning:
                add("index.files_with_warning")
            for kind in record.redacted:
                add(f"index.redacted.{kind}")

    async def _note(self, tally: Tally) -> None:
        """A look that changed nothing writes nothing: an idle daemon leaves the disk alone."""
        first = self.reconciled_at is None
        self.reconciled_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        unchanged = not (tally.added or tally.changed or tally.removed)
        if unchanged and not first and self._stored_recipe == self._recipe:
            return
        await self._kit.store.reconciled(
            self.workspace.id, at=self.reconciled_at, recipe=self._recipe
        )
        self._stored_recipe = self._recipe


def _label(prefix: str) -> str:
    return label_of(os.fsencode(prefix))
