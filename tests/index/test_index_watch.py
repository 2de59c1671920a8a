"""The index follows the disk: the real watcher, the real store, real time.

Real time because watchfiles and the store run in threads. Nothing asserts a duration; each wait
prints the latency it saw.
"""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
import trio

from recalld.index.model import Workspace
from support.indexing import World, converged, eventually, put, settled, watching


def in_place(root: Path) -> None:
    with (root / "a.md").open("r+") as file:
        file.write("AFTER")


def temp_and_rename(root: Path) -> None:
    put(root / ".a.md.tmp", "after by rename")
    (root / ".a.md.tmp").rename(root / "a.md")


def backup_and_rename(root: Path) -> None:
    (root / "a.md").rename(root / "a.md~")
    put(root / "a.md", "after with backup")


def truncate_and_write(root: Path) -> None:
    os.truncate(root / "a.md", 0)
    with (root / "a.md").open("a") as file:
        file.write("after truncation")


def unlink_and_create(root: Path) -> None:
    (root / "a.md").unlink()
    put(root / "a.md", "after unlinking")


def append(root: Path) -> None:
    with (root / "a.md").open("a") as file:
        file.write("\n\n# More\nappended\n")


def rename(root: Path) -> None:
    (root / "a.md").rename(root / "b.md")


def case_only_rename(root: Path) -> None:
    (root / "a.md").rename(root / "A.md")


def delete(root: Path) -> None:
    (root / "a.md").unlink()


def directory_moved_in(root: Path) -> None:
    put(root.parent / "outside/deep/x.md", "moved in")
    put(root.parent / "outside/y.md", "moved in too")
    (root.parent / "outside").rename(root / "moved")


def directory_moved_out(root: Path) -> None:
    (root / "folder").rename(root.parent / "taken")


def make_folders_and_write(root: Path) -> None:
    put(root / "new/folders/below/z.md", "deep in new folders")


PATTERNS = [
    in_place, temp_and_rename, backup_and_rename, truncate_and_write, unlink_and_create, append,
    rename, case_only_rename, delete, directory_moved_in, directory_moved_out,
    make_folders_and_write,
]  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    put(folder / "a.md", "before the save")
    put(folder / "folder/b.md", "in a folder")
    put(folder / "folder/deep/c.md", "deep in a folder")
    return folder


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.__name__)
async def test_after_a_save_the_index_equals_the_disk(
    root: Path, tmp_path: Path, pattern: Callable[[Path], None]
) -> None:
    async with watching(root, tmp_path) as world:
        before = await world.contents()
        pattern(root)
        await converged(world, root, tmp_path, pattern.__name__)
        assert await world.contents() != before


@pytest.mark.parametrize(
    "pattern", [temp_and_rename, backup_and_rename, truncate_and_write, unlink_and_create]
)
async def test_while_an_editor_saves_the_file_is_never_gone(
    root: Path, tmp_path: Path, pattern: Callable[[Path], None]
) -> None:
    async with watching(root, tmp_path) as world:
        gone: list[float] = []

        async def look() -> None:
            while True:
                if not [path for path, *_ in await world.chunks() if path == "a.md"]:
                    gone.append(trio.current_time())
                await trio.sleep(0.005)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(look)
            pattern(root)
            await world.indexer.sync()
            await converged(world, root, tmp_path, pattern.__name__)
            nursery.cancel_scope.cancel()
        assert gone == []


async def test_a_name_that_is_no_text_ends_neither_the_watching_nor_the_index(
    root: Path, tmp_path: Path
) -> None:
    async with watching(root, tmp_path) as world:
        bad = os.fsdecode(bytes(root) + b"/bad\xff.md")
        Path(bad).touch()
        put(root / "after.md", "written after the bad name")
        await converged(world, root, tmp_path, "bad name")
        await eventually(lambda: settled(world))
        put(root / "later.md", "written later")
        await converged(world, root, tmp_path, "after bad name")
        assert world.counters.get("index.watch_deaths") >= 1
        assert await world.hits("later") == ["later.md"]


@pytest.mark.parametrize("pause_s", [0.0, 1.5])
async def test_a_root_that_is_replaced_is_watched_again(
    root: Path, tmp_path: Path, pause_s: float
) -> None:
    async with watching(root, tmp_path) as world:
        shutil.rmtree(root)
        await trio.sleep(pause_s)
        put(root / "new.md", "in the new root")
        await converged(world, root, tmp_path, f"root replaced after {pause_s} s")
        await eventually(lambda: rearmed(world))
        put(root / "second.md", "events come again")
        await converged(world, root, tmp_path, "events in the replaced root")


async def rearmed(world: World) -> bool:
    return world.counters.get("index.watch_rearmed") > 0 and await settled(world)


async def test_a_root_that_goes_away_has_nothing_indexed_until_it_is_back(
    root: Path, tmp_path: Path
) -> None:
    async with watching(root, tmp_path) as world:
        root.rename(tmp_path / "away")
        await eventually(lambda: empty(world))
        (tmp_path / "away").rename(root)
        await converged(world, root, tmp_path, "root back again")


async def empty(world: World) -> bool:
    return await world.contents() == []


async def test_writes_through_a_link_out_of_the_workspace_are_not_indexed(
    root: Path, tmp_path: Path
) -> None:
    put(tmp_path / "outside/secret.md", "outside words")
    (root / "link").symlink_to(tmp_path / "outside")
    async with watching(root, tmp_path) as world:
        put(tmp_path / "outside/secret.md", "other outside words")
        put(tmp_path / "outside/new.md", "new outside words")
        put(root / "inside.md", "inside")
        await converged(world, root, tmp_path, "link out")
        assert await world.hits("outside words") == []


async def test_a_changed_gitignore_is_followed(root: Path, tmp_path: Path) -> None:
    async with watching(root, tmp_path) as world:
        put(root / ".gitignore", "folder/\n")
        await converged(world, root, tmp_path, "gitignore")
        assert await world.hits("folder") == []
        (root / ".gitignore").unlink()
        await converged(world, root, tmp_path, "gitignore removed")
        assert len(await world.hits("folder")) == 2


@pytest.mark.slow_step
async def test_a_burst_of_files_arrives_whole(root: Path, tmp_path: Path) -> None:
    async with watching(root, tmp_path) as world:
        for number in range(1_200):
            put(root / f"burst/{number % 7}/{number}.md", f"burst file {number}")
        await converged(world, root, tmp_path, "burst of 1,200")


async def test_a_workspace_that_is_added_while_running_is_followed(
    root: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    put(other / "o.md", "zebra words")
    async with watching(root, tmp_path) as world:
        (first,) = world.indexer.workspaces
        await world.indexer.set_workspaces([first, Workspace(root=str(other.resolve()))])
        await eventually(lambda: found(world, "zebra", ["o.md"], 2))
        await eventually(lambda: settled(world))
        put(other / "p.md", "more zebra words")
        await eventually(lambda: found(world, "zebra", ["o.md", "p.md"], 2))
        await world.indexer.set_workspaces([first])
        put(root / "still.md", "giraffe here")
        await eventually(lambda: found(world, "giraffe", ["still.md"], 1))
        assert await world.contents(2) == []


async def found(world: World, query: str, paths: list[str], workspace_id: int) -> bool:
    return await world.hits(query, workspace_id) == paths


WORDS = ["alpha", "beta", "gamma", "# Title", "## Al, 2024-05-01", "\n\n", "delta. "]


def random_step(root: Path, dice: random.Random) -> None:
    names = ["a.md", "b.md", "d/a.md", "d/e/c.md", "f/x.md", "A.md", "skip.txt"]
    target = root / dice.choice(names)
    match dice.randrange(8):
        case 0 | 1 | 2:
            if not target.parent.is_file():
                put(target, "\n".join(dice.choices(WORDS, k=dice.randrange(1, 6))))
        case 3:
            target.unlink(missing_ok=True)
        case 4:
            if target.exists():
                other = root / dice.choice(names)
                other.parent.mkdir(parents=True, exist_ok=True)
                target.rename(other)
        case 5:
            shutil.rmtree(root / dice.choice(["d", "d/e", "f"]), ignore_errors=True)
        case 6:
            if (root / "d").exists() and not (root / "g").exists():
                (root / "d").rename(root / "g")
        case 7:
            if target.exists():
                os.truncate(target, 0)


@pytest.mark.parametrize("seed", range(4))
async def test_after_random_steps_the_index_equals_the_disk(
    root: Path, tmp_path: Path, seed: int
) -> None:
    dice = random.Random(seed)
    async with watching(root, tmp_path) as world:
        for number in range(3):
            for _ in range(12):
                random_step(root, dice)
                await trio.sleep(dice.choice([0, 0, 0.03]))
            await converged(world, root, tmp_path, f"random {seed}.{number}")


async def test_cancelling_the_real_watcher_sets_its_stop_event(root: Path, tmp_path: Path) -> None:
    """awatch left alone takes 4.7 s; the companion makes it the length of one step."""
    with anyio.fail_after(30):
        async with watching(root, tmp_path):
            pass
