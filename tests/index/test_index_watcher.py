"""The watcher's supervision, with watches that fail or are scripted in place of watchfiles."""

from pathlib import Path

import anyio
import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.counters import Counters
from recalld.index.flow import IndexSettings
from recalld.index.model import Dirty, WatchState
from recalld.index.policy import IndexPolicy
from recalld.index.watch import Events, Watch, Watcher
from support.indexing import World, converged, eventually, open_world, put, watching


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    put(folder / "a.md", "before")
    return folder


class BrokenWatch:
    """Starts as often as asked; ends by ``fault`` each time, at once."""

    def __init__(self, fault: Exception | None) -> None:
        self.fault = fault
        self.starts = 0

    async def __call__(self, roots: tuple[str, ...], stop: anyio.Event) -> Events:
        self.starts += 1
        if self.fault is not None:
            raise self.fault
        yield set()


FAULTS = [
    OSError(24, "inotify instances used up"),
    RuntimeError("Unable to decode path"),
    ExceptionGroup("watch", [RuntimeError("inside a group")]),
    None,
]


@pytest.mark.parametrize("fault", FAULTS, ids=["oserror", "runtime", "group", "ends quietly"])
async def test_a_watcher_that_keeps_dying_is_replaced_by_polling(
    root: Path, tmp_path: Path, fault: Exception | None
) -> None:
    watch = BrokenWatch(fault)
    options = IndexSettings(policy=IndexPolicy(rescan_s=3_600.0, poll_s=0.2), watch=watch)
    async with (
        open_world(root, tmp_path, settings=options) as world,
        trio.open_nursery() as nursery,
    ):
        await nursery.start(world.indexer.run)
        await eventually(lambda: in_state(world, WatchState.POLLING))
        put(root / "polled.md", "seen by polling")
        await converged(world, root, tmp_path, "polling")
        (status,) = await world.indexer.status()
        assert status.degraded == ("watch: polling",)
        assert watch.starts == world.counters.get("index.watch_deaths") == 5
        nursery.cancel_scope.cancel()


async def in_state(world: World, state: WatchState) -> bool:
    (status,) = await world.indexer.status()
    return status.watch is state


async def silent_watch(roots: tuple[str, ...], stop: anyio.Event) -> Events:
    """Runs, and loses every event, as a kernel queue that overflows does."""
    yield set()
    await stop.wait()


async def test_lost_events_are_made_good_by_the_rescan(root: Path, tmp_path: Path) -> None:
    options = IndexSettings(policy=IndexPolicy(rescan_s=0.5), watch=silent_watch)
    async with watching(root, tmp_path, options=options) as world:
        put(root / "lost.md", "no event told of this")
        await converged(world, root, tmp_path, "rescan")


class Scripted:
    """A watch whose events the test sends; virtual time, nothing on disk but the roots."""

    def __init__(self) -> None:
        self.send, self.receive = trio.open_memory_channel[set[tuple[int, str]]](100)
        self.roots: list[tuple[str, ...]] = []

    async def __call__(self, roots: tuple[str, ...], stop: anyio.Event) -> Events:
        self.roots.append(roots)
        yield set()
        while not stop.is_set():
            with trio.move_on_after(0.05):
                yield await self.receive.receive()


def watcher_of(watch: Watch, reports: list[tuple[str, Dirty]], *, burst_events: int) -> Watcher:
    return Watcher(
        watch=watch,
        policy=IndexPolicy(burst_events=burst_events),
        counters=Counters(),
        report=lambda root, dirty: reports.append((root, dirty)),
    )


async def test_events_go_to_the_innermost_root_and_bursts_become_a_look_everywhere(
    tmp_path: Path,
) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    outer, inner = str(tmp_path / "a"), str(tmp_path / "a/b")
    reports: list[tuple[str, Dirty]] = []
    watch = Scripted()
    watcher = watcher_of(watch, reports, burst_events=2)
    watcher.set_roots([outer, inner])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watcher.run)
        await eventually(lambda: is_true(watcher.state is WatchState.WATCH))
        assert reports == [(outer, Dirty(everything=True)), (inner, Dirty(everything=True))]
        reports.clear()
        await watch.send.send({(1, f"{outer}/x.md"), (1, f"{inner}/y.md"), (1, "/elsewhere")})
        await eventually(lambda: is_true(len(reports) == 2))
        assert sorted(reports, key=str) == sorted(
            [(outer, Dirty(paths={"x.md"})), (inner, Dirty(paths={"y.md"}))], key=str
        )
        reports.clear()
        await watch.send.send({(1, f"{outer}/{n}.md") for n in range(3)})
        await eventually(lambda: is_true(reports))
        assert reports == [(outer, Dirty(everything=True))]
        watcher.set_roots([outer])
        await eventually(lambda: is_true(watch.roots[-1] == (outer,)))
        nursery.cancel_scope.cancel()


async def is_true(value: object) -> bool:
    return bool(value)


@given(st.sets(st.text(alphabet="ab/", min_size=1, max_size=6), max_size=8))
@settings(max_examples=50)
def test_dirty_paths_join_without_loss(paths: set[str]) -> None:
    dirty = Dirty(paths={"x"})
    dirty.add(Dirty(paths=set(paths)))
    assert dirty.paths == paths | {"x"}
    assert bool(dirty)
    assert not Dirty()
