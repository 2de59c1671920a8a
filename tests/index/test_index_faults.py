"""Cancels, a failing store and hostile bytes leave the index usable and true."""

import os
import random
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.counters import Counters
from recalld.errors import Corrupt, Unavailable
from recalld.index.chunking import Limits
from recalld.index.flow import Indexer, IndexSettings
from recalld.index.model import Changes, KnownFile, Stamp, Workspace
from recalld.index.policy import IndexPolicy
from recalld.index.prepare import prepare
from recalld.index.watch import Events
from recalld.search.model import Source
from recalld.store.bridge import Database, Job
from recalld.store.index_write import CANCEL_GRACE_S, IndexWriter
from support.indexing import converged, eventually, fresh_contents, open_world, put

T = TypeVar("T")
STAMP = Stamp(size=1, mtime_ns=1, inode=1)
LIMITS = Limits(max_chunk_chars=200, max_line_chars=1_000)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    for number in range(150):
        put(folder / f"{number % 5}/{number}.md", f"# File {number}\n\nwords of it\n\n## More\nx\n")
    return folder


@pytest.mark.parametrize("seed", range(3))
async def test_a_sync_cancelled_anywhere_leaves_nothing_half_done(
    root: Path, tmp_path: Path, seed: int
) -> None:
    dice = random.Random(seed)
    async with open_world(root, tmp_path) as world:
        for number in range(12):
            put(root / f"{dice.randrange(5)}/{dice.randrange(150)}.md", f"version {number}\n# T\n")
            with trio.move_on_after(dice.random() * 0.12):
                await world.indexer.sync()
            await world.check()
        await world.indexer.sync()
        assert await world.contents() == await fresh_contents(root, tmp_path / "fresh")


class Stuck(Database):
    """A database whose writes never end, as on a disk that hangs."""

    def __init__(self) -> None:
        """Nothing is opened."""

    async def write(self, job: Job[T]) -> T:
        await trio.sleep_forever()
        return await self.read(job)


async def test_a_cancelled_write_waits_for_its_end_but_not_for_a_hung_disk(
    autojump_clock: trio.testing.MockClock,
) -> None:
    with trio.move_on_after(5.0) as limit:
        await IndexWriter(Stuck()).apply(1, Changes())
    assert limit.cancelled_caught
    assert trio.current_time() == pytest.approx(5.0 + CANCEL_GRACE_S)


async def test_the_faults_of_a_write_arrive_as_they_are(root: Path, tmp_path: Path) -> None:
    async with open_world(root, tmp_path) as world:
        (tmp_path / "index.db").rename(tmp_path / "moved.db")
        with pytest.raises(Unavailable, match="moved or deleted"):
            await world.indexer.sync()


class FailingStore(IndexWriter):
    """A store whose first ``failures`` writes of files fail as a full disk does."""

    failures = 2

    async def apply(self, workspace_id: int, changes: Changes) -> None:
        if self.failures:
            self.failures -= 1
            raise Unavailable("store", "the disk is full")
        await super().apply(workspace_id, changes)


async def quiet_watch(roots: tuple[str, ...], stop: object) -> Events:
    yield set()
    await trio.sleep_forever()


async def test_a_store_that_fails_is_tried_again_and_status_says_so(
    root: Path, tmp_path: Path
) -> None:
    async with open_world(root, tmp_path) as world, trio.open_nursery() as nursery:
        counters = Counters()
        indexer = Indexer(
            FailingStore(world.database),
            settings=IndexSettings(policy=IndexPolicy(rescan_s=3_600), watch=quiet_watch),
            counters=counters,
            on_change=lambda _: None,
        )
        await indexer.set_workspaces([Workspace(root=str(root.resolve()))])
        await nursery.start(indexer.run)

        async def troubled() -> bool:
            (status,) = await indexer.status()
            return "store: the disk is full" in status.degraded

        async def mended() -> bool:
            (status,) = await indexer.status()
            return not status.degraded and status.files == 150

        await eventually(troubled)
        await eventually(mended)
        await converged(world, root, tmp_path, "after a full disk")
        assert counters.get("index.reconcile_failed") == 2
        nursery.cancel_scope.cancel()


class BrokenOnce(IndexWriter):
    """A store whose first write of files fails as nobody foresaw."""

    broken = True

    async def apply(self, workspace_id: int, changes: Changes) -> None:
        if self.broken:
            self.broken = False
            raise Corrupt("index.db: malformed")
        await super().apply(workspace_id, changes)


async def test_an_indexer_that_broke_can_be_run_again(root: Path, tmp_path: Path) -> None:
    async with open_world(root, tmp_path) as world, trio.open_nursery() as nursery:
        indexer = Indexer(
            BrokenOnce(world.database),
            settings=IndexSettings(policy=IndexPolicy(rescan_s=3_600), watch=quiet_watch),
            counters=Counters(),
            on_change=lambda _: None,
        )
        await indexer.set_workspaces([Workspace(root=str(root.resolve()))])
        with pytest.RaisesGroup(Corrupt, flatten_subgroups=True):
            await indexer.run()
        await nursery.start(indexer.run)
        await converged(world, root, tmp_path, "after a restart")
        nursery.cancel_scope.cancel()


# What 64 bits of nanoseconds cannot say; some file systems can.
@pytest.mark.parametrize("year", [1600, 2400])
async def test_a_file_of_a_far_century_is_indexed_like_any_other(tmp_path: Path, year: int) -> None:
    put(tmp_path / "w/far.md", "words\n")
    put(tmp_path / "w/near.md", "words\n")
    seconds = (year - 1970) * 31_556_952
    os.utime(tmp_path / "w/far.md", (seconds, seconds))
    async with open_world(tmp_path / "w", tmp_path) as world:
        first = await world.indexer.sync()
        again = await world.indexer.sync()
        assert await world.hits("words") == ["far.md", "near.md"]
    assert (first.added, again.changed) == (2, 0)


class Paused(IndexWriter):
    """Holds the first look at the rows until ``go``."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.arrived, self.go = trio.Event(), trio.Event()

    async def files(
        self, workspace_id: int, prefixes: tuple[str, ...] | None
    ) -> Mapping[str, KnownFile]:
        rows = await super().files(workspace_id, prefixes)
        self.arrived.set()
        await self.go.wait()
        return rows


async def test_a_workspace_removed_during_a_sync_is_removed_for_good(
    root: Path, tmp_path: Path
) -> None:
    async with open_world(root, tmp_path) as world, trio.open_nursery() as nursery:
        store = Paused(world.database)
        indexer = Indexer(
            store, settings=IndexSettings(), counters=Counters(), on_change=lambda _: None
        )
        await indexer.set_workspaces([Workspace(root=str(root.resolve()))])
        nursery.start_soon(indexer.sync, 1)
        await store.arrived.wait()
        nursery.start_soon(indexer.set_workspaces, ())
        await trio.testing.wait_all_tasks_blocked(0.05)
        store.go.set()
        await eventually(lambda: no_rows(indexer))
    assert indexer.workspaces == ()


async def no_rows(indexer: Indexer) -> bool:
    return await indexer._store.workspaces() == ()


HEADS = st.sampled_from([b"", b"---\n", b"# T\n", b"```\n", b"\xef\xbb\xbf", b"\xff\xfe", b"> - "])


@given(HEADS, st.binary(max_size=300), st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_no_bytes_stop_the_preparation(head: bytes, data: bytes, text: str) -> None:
    for content in (head + data, head + text.encode("utf-8", "surrogatepass")):
        record = prepare("a.md", content, source=Source.MEMORY, stamp=STAMP, limits=LIMITS)
        assert (record.skipped is None) or not record.chunks
        for chunk in record.chunks:
            chunk.chunk.text.encode()
            assert "\0" not in chunk.chunk.text
            assert all(
                0 <= p.start_char < p.end_char <= len(chunk.chunk.text) for p in chunk.passages
            )
