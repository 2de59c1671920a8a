"""The archive of checkpoints: names, count, cold storage, and files that are not ours."""

import os
import stat
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import anyio
import pytest

from recalld.continuity.checkpoint import render
from recalld.continuity.disk import ARCHIVE, COLD, MAX_BYTES, Workbench, draft_of
from recalld.continuity.model import Checkpoint
from recalld.errors import Refused
from support.checkpoint_disk import (
    AT,
    NEW,
    OLD,
    Step,
    SteppedFiles,
    copies_in,
    live,
    put,
    put_copy,
)

NAME = "2026-03-01_10-00-05.md"
# Names that people, OpenClaw and the older plugin give; none is one of ours.
FOREIGN = (
    *("2026-03-01-1000.md", "2026-03-01_10-00.md", "2026-03-01.md", "notes.md", "README"),
    *("2026-03-01_10-00-05.txt", "2026-03-01_10-00-05.md.bak", "x2026-03-01_10-00-05.md"),
    *("2026-13-01_10-00-05.md", "2026-03-01_10-00-05_2.md", "2026-03-01_10-00-05-1.md"),
)


def names(copies) -> list[str]:
    return [copy.name for copy in copies]


async def test_a_copy_is_named_by_the_second_in_utc_and_is_the_file_byte_for_byte_s2_13(
    tmp_path: Path,
):
    data = b"\xef\xbb\xbf" + render(OLD).replace("\n", "\r\n").encode() + b"\xff tail"
    put(tmp_path, data).chmod(0o600)
    bench = Workbench(str(tmp_path))
    in_shanghai = AT.astimezone(timezone(timedelta(hours=8)))
    assert await bench.archive(in_shanghai) == f"{ARCHIVE}/{NAME}"
    assert copies_in(tmp_path) == {NAME: data}
    assert stat.S_IMODE((tmp_path / ARCHIVE / NAME).stat().st_mode) == 0o600
    assert live(tmp_path).read_bytes() == data


async def test_the_live_file_stays_when_it_is_archived_s2_14(tmp_path: Path):
    put(tmp_path, OLD)
    before = live(tmp_path).stat()
    await Workbench(str(tmp_path)).archive(AT)
    assert live(tmp_path).stat() == before


async def test_two_different_checkpoints_of_one_second_are_both_kept_c6_7(tmp_path: Path):
    bench = Workbench(str(tmp_path))
    for checkpoint in (OLD, NEW, OLD):
        put(tmp_path, checkpoint)
        await bench.archive(AT)
    later = ["2026-03-01_10-00-05_03.md", "2026-03-01_10-00-05_02.md", NAME]
    assert names(await bench.copies()) == later
    assert sorted(copies_in(tmp_path)) == sorted(later)
    assert (await bench.read_copy("2026-03-01_10-00-05_02.md")).parsed.checkpoint == NEW


async def test_what_the_newest_copy_holds_is_not_copied_again_even_from_cold(tmp_path: Path):
    put(tmp_path, OLD)
    bench = Workbench(str(tmp_path))
    first = await bench.archive(AT)
    assert await bench.archive(AT + timedelta(hours=1)) == first
    await bench.prune(AT + timedelta(days=40), keep=20, after_days=30)
    assert await bench.archive(AT + timedelta(days=41)) == f"{COLD}/{NAME}"
    assert len(copies_in(tmp_path)) == 1


@pytest.mark.parametrize(
    "text", ["", "# Current State\n", render(Checkpoint()), "## Objective\nidle"]
)
async def test_without_active_work_nothing_is_archived(tmp_path: Path, text: str):
    put(tmp_path, text.encode())
    assert await Workbench(str(tmp_path)).archive(AT) is None
    assert not (tmp_path / ARCHIVE).exists()


async def test_who_archives_at_once_makes_one_copy_and_all_are_told_its_path(tmp_path: Path):
    put(tmp_path, OLD)
    paths: list[str | None] = []

    async def archive(number: int) -> None:
        paths.append(await Workbench(str(tmp_path)).archive(AT + timedelta(seconds=number)))

    async with anyio.create_task_group() as tasks:
        for number in range(6):
            tasks.start_soon(archive, number)
    assert len(paths) == 6
    assert len(set(paths)) == len(copies_in(tmp_path)) == 1


async def test_without_a_file_nothing_is_archived_and_no_folder_made(tmp_path: Path):
    bench = Workbench(str(tmp_path))
    assert await bench.archive(AT) is None
    assert await bench.copies() == ()
    pruned = await bench.prune(AT, keep=1, after_days=1)
    assert (pruned.dropped, pruned.cooled) == (0, 0)
    assert list(tmp_path.iterdir()) == []


async def test_a_name_that_only_cold_has_is_taken_too(tmp_path: Path):
    put_copy(tmp_path, NAME, "cold", cold=True)
    put(tmp_path, OLD)
    bench = Workbench(str(tmp_path))
    assert await bench.archive(AT) == f"{ARCHIVE}/2026-03-01_10-00-05_02.md"


async def test_a_file_of_that_name_that_appears_meanwhile_is_not_written_over(tmp_path: Path):
    def meet(step: Step) -> None:
        if step.call == "sync" and not (tmp_path / ARCHIVE / NAME).exists():
            put_copy(tmp_path, NAME, "somebody else's")

    put(tmp_path, OLD)
    bench = Workbench(str(tmp_path), files=SteppedFiles(meet))
    assert await bench.archive(AT) == f"{ARCHIVE}/2026-03-01_10-00-05_02.md"
    assert copies_in(tmp_path)[NAME] == b"somebody else's"


async def test_a_copy_that_cannot_be_read_stops_no_new_one(tmp_path: Path):
    put(tmp_path, OLD)
    put_copy(tmp_path, "2026-03-09_00-00-00.md", b"x" * (MAX_BYTES + 1))
    bench = Workbench(str(tmp_path))
    assert await bench.archive(AT) == f"{ARCHIVE}/{NAME}"
    with pytest.raises(Refused, match=r"2026-03-09_00-00-00\.md: is larger"):
        await bench.read_copy("2026-03-09_00-00-00.md")


async def test_the_oldest_copies_go_first_those_in_cold_counted(tmp_path: Path):
    for day in range(1, 10):
        put_copy(tmp_path, f"2026-03-0{day}_00-00-00.md", str(day), cold=day < 4)
    bench = Workbench(str(tmp_path))
    pruned = await bench.prune(datetime(2026, 3, 10, tzinfo=UTC), keep=5, after_days=3)
    assert (pruned.dropped, pruned.cooled) == (4, 2)
    kept = ["2026-03-09", "2026-03-08", "2026-03-07", "cold/2026-03-06", "cold/2026-03-05"]
    assert sorted(copies_in(tmp_path)) == sorted(f"{name}_00-00-00.md" for name in kept)
    copies = await bench.copies()
    assert [copy.path for copy in copies] == [f"{ARCHIVE}/{name}_00-00-00.md" for name in kept]
    assert [copy.at.day for copy in copies] == [9, 8, 7, 6, 5]
    again = await bench.prune(datetime(2026, 3, 10, tzinfo=UTC), keep=5, after_days=3)
    assert (again.dropped, again.cooled) == (0, 0)


async def test_files_that_are_not_ours_are_neither_listed_nor_moved_nor_removed(tmp_path: Path):
    for name in FOREIGN:
        put_copy(tmp_path, name, name)
        put_copy(tmp_path, name, name, cold=True)
    put_copy(tmp_path, f"{NAME[:-3]}_07.md/inside.md", "a folder with a name of ours")
    (tmp_path / ARCHIVE / "2026-03-02_00-00-00.md").symlink_to(tmp_path / ARCHIVE / "notes.md")
    (tmp_path / ARCHIVE / "2026-03-02_00-00-01.md").symlink_to("nowhere")
    before = sorted(path for path in (tmp_path / ARCHIVE).rglob("*"))
    put_copy(tmp_path, NAME, "ours")
    bench = Workbench(str(tmp_path))
    assert names(await bench.copies()) == [NAME]
    late = datetime(2036, 1, 1, tzinfo=UTC)
    pruned = await bench.prune(late, keep=1, after_days=1)
    assert (pruned.dropped, pruned.cooled) == (0, 1)
    assert sorted(path for path in (tmp_path / ARCHIVE).rglob("*") if path.name != NAME) == before
    put_copy(tmp_path, "2030-01-01_00-00-00.md", "ours too")
    assert (await bench.prune(late, keep=1, after_days=1)).dropped == 1
    assert sorted(path for path in (tmp_path / ARCHIVE).rglob("*") if "2030" not in path.name) == (
        before
    )


async def test_a_copy_whose_name_is_taken_in_cold_stays_where_it_is(tmp_path: Path):
    put_copy(tmp_path, NAME, "warm")
    put_copy(tmp_path, NAME, "cold", cold=True)
    bench = Workbench(str(tmp_path))
    pruned = await bench.prune(AT + timedelta(days=99), keep=9, after_days=1)
    assert (pruned.dropped, pruned.cooled) == (0, 0)
    assert copies_in(tmp_path) == {NAME: b"warm", f"cold/{NAME}": b"cold"}
    assert (await bench.read_copy(NAME)).text == "cold"
    assert (await bench.prune(AT + timedelta(days=99), keep=1, after_days=1)).dropped == 1
    assert len(copies_in(tmp_path)) == 1


async def test_the_listing_opens_no_copy(tmp_path: Path):
    for day in range(1, 6):
        put_copy(tmp_path, f"2026-03-0{day}_00-00-00.md", "x" * (MAX_BYTES + 1))
    accessed = {}
    for file in (tmp_path / ARCHIVE).iterdir():
        os.utime(file, ns=(1, file.stat().st_mtime_ns))
        accessed[file.name] = file.stat().st_atime_ns
    assert len(await Workbench(str(tmp_path)).copies()) == 5
    assert {f.name: f.stat().st_atime_ns for f in (tmp_path / ARCHIVE).iterdir()} == accessed


async def test_archives_of_two_workspaces_do_not_mix(tmp_path: Path):
    roots = [tmp_path / "one", tmp_path / "two"]
    for root, checkpoint in zip(roots, (OLD, NEW), strict=True):
        root.mkdir()
        put(root, checkpoint)
        await Workbench(str(root)).archive(AT)
    assert [copies_in(root) for root in roots] == [
        {NAME: draft_of(OLD).data},
        {NAME: draft_of(NEW).data},
    ]
