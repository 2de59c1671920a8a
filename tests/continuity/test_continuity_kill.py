"""kill -9 at every step and at random: the old file or the new one, and nothing left over."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from recalld.continuity.checkpoint import parse
from recalld.continuity.disk import Workbench, draft_of
from recalld.continuity.model import Checkpoint
from support.checkpoint_disk import (
    AT,
    NEW,
    OLD,
    copies_in,
    live,
    put,
    sha_of,
    temporary_files,
)
from support.checkpoint_process import AFTER_DAYS, COPIES, KEEP, LONG_AFTER, numbered

KILLS = 12


def program(role: str, root: Path, *rest: str) -> list[str]:
    return [sys.executable, "-m", "support.checkpoint_process", role, str(root), *rest]


def killed_at_each_step(root: Path, work: str) -> list[Path]:
    """The folders in which the process died, by step, and last that in which it got through."""
    ran = subprocess.run(
        program("steps", root, work), stdout=subprocess.PIPE, text=True, check=True
    )
    word, steps, exit_code = ran.stdout.split()
    assert (word, exit_code) == ("through", "0")
    return [root / str(number) for number in range(int(steps) + 1)]


async def assert_old_or_new(root: Path, allowed: list[bytes | None], *, was: Checkpoint) -> None:
    """And that the next write works and leaves nothing of the killed one."""
    found = live(root).read_bytes() if live(root).exists() else None
    assert found in allowed
    if found is not None:
        assert parse(found.decode()).checkpoint in (NEW, was)
    assert len(temporary_files(root)) <= 1
    bench = Workbench(str(root))
    assert await bench.write(numbered(1), expected_sha=await sha_of(bench)) is not None
    assert temporary_files(root) == []
    assert live(root).read_bytes() == draft_of(numbered(1)).data


@pytest.mark.parametrize(("work", "steps"), [("first", 18), ("replace", 14)])
async def test_killed_at_any_step_of_a_write_the_file_is_old_or_new(
    tmp_path: Path, work: str, steps: int
):
    folders = killed_at_each_step(tmp_path, work)
    assert len(folders) >= steps
    old = None if work == "first" else draft_of(OLD).data
    new = draft_of(NEW).data
    found = [live(each).read_bytes() if live(each).exists() else None for each in folders]
    # Old up to the rename, new from there on.
    assert sorted(found, key=lambda data: data == new) == found
    assert {found[0], found[-1]} == {old, new}
    assert any(temporary_files(folder) for folder in folders)
    for folder in folders:
        await assert_old_or_new(folder, [old, new], was=OLD)


async def test_killed_at_any_step_of_archiving_there_is_a_whole_copy_or_none(tmp_path: Path):
    folders = killed_at_each_step(tmp_path, "archive")
    whole = draft_of(OLD).data
    for folder in folders:
        assert live(folder).read_bytes() == whole
        copies = {name: data for name, data in copies_in(folder).items() if name.endswith(".md")}
        assert set(copies.values()) <= {whole}
        again = await Workbench(str(folder)).archive(AT)
        assert again == "memory/session_archive/2026-03-01_10-00-05.md"
        assert copies_in(folder) == {"2026-03-01_10-00-05.md": whole}
    assert len(folders) > 15


async def test_killed_at_any_step_of_pruning_no_copy_is_lost_that_was_to_stay(tmp_path: Path):
    folders = killed_at_each_step(tmp_path, "prune")
    kept = {f"cold/{name}": name.encode() for name in COPIES[-KEEP:]}
    assert copies_in(folders[-1]) == kept
    for folder in folders:
        found = copies_in(folder)
        names = [name.removeprefix("cold/") for name in found]
        assert len(names) == len(set(names))
        assert set(COPIES[-KEEP:]) <= set(names) <= set(COPIES)
        await Workbench(str(folder)).prune(LONG_AFTER, keep=KEEP, after_days=AFTER_DAYS)
        assert copies_in(folder) == kept
    assert len(folders) > 10


def written_until_killed(root: Path, *, after: int) -> tuple[int, int]:
    """The last number that was begun, and the last that was acknowledged, or -1 for none."""
    with subprocess.Popen(program("loop", root), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(after)]
        process.kill()
        lines += process.stdout.readlines()
    assert process.returncode == -9
    numbers: dict[str, int] = {"done": -1}
    for line in lines:
        word, number = line.split()
        numbers[word] = int(number)
    return numbers["begin"], numbers["done"]


async def test_killed_at_any_moment_the_file_is_the_acknowledged_one_or_the_next(tmp_path: Path):
    chance = random.Random(20_260_301)
    put(tmp_path, OLD)
    for _ in range(KILLS):
        before = live(tmp_path).read_bytes()
        begun, done = written_until_killed(tmp_path, after=chance.randint(1, 60))
        acknowledged = before if done < 0 else draft_of(numbered(done)).data
        found = live(tmp_path).read_bytes()
        assert found in (acknowledged, draft_of(numbered(begun)).data)
        assert parse(found.decode()).checkpoint.active
        assert len(temporary_files(tmp_path)) <= 1
    bench = Workbench(str(tmp_path))
    assert await bench.write(NEW, expected_sha=await sha_of(bench)) is not None
    assert temporary_files(tmp_path) == []
