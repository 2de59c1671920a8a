"""The checkpoint's file on a real disk: replaced whole, and never over an edit made by hand."""

import fcntl
import os
import stat
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recalld.continuity.checkpoint import render
from recalld.continuity.disk import MAX_BYTES, Workbench, draft_of
from recalld.continuity.model import Checkpoint
from recalld.errors import Refused, Unavailable
from support.checkpoint_disk import (
    AT,
    NEW,
    OLD,
    Step,
    SteppedFiles,
    copies_in,
    live,
    put,
    sha_of,
    temporary_files,
)


async def test_a_written_checkpoint_is_read_back_and_a_missing_one_is_none(tmp_path: Path):
    bench = Workbench(str(tmp_path))
    assert await bench.read() is None
    assert list(tmp_path.iterdir()) == []
    sha = await bench.write(OLD, expected_sha=None)
    sheet = await bench.read()
    assert sheet is not None
    assert sheet.parsed.checkpoint == OLD
    assert sheet.sha == sha == draft_of(OLD).sha
    assert live(tmp_path).read_text() == render(OLD) == sheet.text
    assert abs(sheet.modified_at.timestamp() - live(tmp_path).stat().st_mtime) < 0.001
    assert [file.name for file in live(tmp_path).parent.iterdir()] == ["CURRENT_STATE.md"]


async def test_the_file_is_overwritten_not_appended_to_s2_2(tmp_path: Path):
    bench = Workbench(str(tmp_path))
    sha = await bench.write(OLD, expected_sha=None)
    assert await bench.write(NEW, expected_sha=sha) == draft_of(NEW).sha
    assert live(tmp_path).read_bytes() == draft_of(NEW).data


async def test_an_edit_made_after_the_reading_wins(tmp_path: Path):
    bench = Workbench(str(tmp_path))
    read = await bench.write(OLD, expected_sha=None)
    by_hand = put(tmp_path, b"# Current State\n\n## Objective\nSomething else\n")
    before = by_hand.read_bytes()
    assert await bench.write(NEW, expected_sha=read) is None
    assert await bench.write(NEW, expected_sha=None) is None
    assert by_hand.read_bytes() == before
    assert temporary_files(tmp_path) == []
    assert await bench.write(NEW, expected_sha=await sha_of(bench)) is not None
    assert by_hand.read_text() == render(NEW)


@pytest.mark.parametrize("call", ["create", "chmod", "write", "sync"])
async def test_an_edit_made_while_we_write_wins(tmp_path: Path, call: str):
    by_hand = b"# Current State\n\n## Objective\nTyped just now\n"

    def meet(step: Step) -> None:
        if step.call == call:
            put(tmp_path, by_hand)

    put(tmp_path, OLD)
    bench = Workbench(str(tmp_path), files=SteppedFiles(meet))
    assert await bench.write(NEW, expected_sha=draft_of(OLD).sha) is None
    assert live(tmp_path).read_bytes() == by_hand
    assert temporary_files(tmp_path) == []


async def test_a_file_that_came_or_went_while_we_wrote_wins(tmp_path: Path):
    def meet(step: Step) -> None:
        if step.call == "sync" and not step.after:
            if live(tmp_path).exists():
                live(tmp_path).unlink()
            else:
                put(tmp_path, OLD)

    bench = Workbench(str(tmp_path), files=SteppedFiles(meet))
    assert await bench.write(NEW, expected_sha=None) is None
    assert live(tmp_path).read_bytes() == draft_of(OLD).data
    assert await bench.write(NEW, expected_sha=draft_of(OLD).sha) is None
    assert not live(tmp_path).exists()


async def test_of_many_writers_that_read_first_none_loses_anothers_work(tmp_path: Path):
    put(tmp_path, Checkpoint(objective="0"))

    async def add(times: int) -> None:
        bench = Workbench(str(tmp_path))
        while times:
            sheet = await bench.read()
            assert sheet is not None
            more = Checkpoint(objective=str(int(sheet.parsed.checkpoint.objective) + 1))
            if await bench.write(more, expected_sha=sheet.sha) is not None:
                times -= 1

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(add, 10)
    assert live(tmp_path).read_bytes() == draft_of(Checkpoint(objective="40")).data


async def test_who_reads_meanwhile_sees_one_whole_checkpoint_or_the_other(tmp_path: Path):
    file = put(tmp_path, OLD)
    seen, done = set[bytes](), threading.Event()

    def look() -> None:
        while not done.is_set():
            seen.add(file.read_bytes())

    reader = threading.Thread(target=look)
    reader.start()
    bench = Workbench(str(tmp_path))
    try:
        for checkpoint in (NEW, OLD) * 40:
            assert await bench.write(checkpoint, expected_sha=await sha_of(bench)) is not None
    finally:
        done.set()
        await anyio.to_thread.run_sync(reader.join)
    assert seen <= {draft_of(OLD).data, draft_of(NEW).data}


async def test_another_process_that_writes_is_waited_for_and_then_named(tmp_path: Path):
    file = put(tmp_path, OLD)
    bench = Workbench(str(tmp_path))
    holder = os.open(file.parent, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    try:
        with anyio.move_on_after(0.1) as early:
            await bench.write(NEW, expected_sha=draft_of(OLD).sha)
        assert early.cancelled_caught
        with pytest.raises(Unavailable, match=r"CURRENT_STATE\.md: another process is writing"):
            await bench.write(NEW, expected_sha=draft_of(OLD).sha)
        assert await sha_of(bench) == draft_of(OLD).sha
    finally:
        os.close(holder)
    assert await bench.write(NEW, expected_sha=draft_of(OLD).sha) is not None


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
async def test_the_file_keeps_its_mode(tmp_path: Path, mode: int):
    put(tmp_path, OLD).chmod(mode)
    assert await Workbench(str(tmp_path)).write(NEW, expected_sha=draft_of(OLD).sha) is not None
    assert stat.S_IMODE(live(tmp_path).stat().st_mode) == mode


@pytest.mark.parametrize(
    ("umask", "file", "folder"), [(0o022, 0o644, 0o755), (0o077, 0o600, 0o700), (0, 0o644, 0o755)]
)
def test_a_new_file_has_the_mode_the_umask_leaves_it(
    tmp_path: Path, umask: int, file: int, folder: int
):
    command = [sys.executable, "-m", "support.checkpoint_process", "write", str(tmp_path)]
    subprocess.run(command, check=True, umask=umask)
    assert stat.S_IMODE(live(tmp_path).stat().st_mode) == file
    assert stat.S_IMODE(live(tmp_path).parent.stat().st_mode) == folder


async def test_a_read_only_file_is_left_as_it_is(tmp_path: Path):
    put(tmp_path, OLD).chmod(0o444)
    with pytest.raises(Refused, match=r"memory/CURRENT_STATE\.md: is read-only"):
        await Workbench(str(tmp_path)).write(NEW, expected_sha=draft_of(OLD).sha)
    assert live(tmp_path).read_bytes() == draft_of(OLD).data


async def test_a_workspace_that_is_missing_is_named_and_not_made(tmp_path: Path):
    bench = Workbench(str(tmp_path / "gone"))
    with pytest.raises(Unavailable, match="gone: No such file"):
        await bench.read()
    with pytest.raises(Unavailable, match="gone: No such file"):
        await bench.write(NEW, expected_sha=None)
    assert list(tmp_path.iterdir()) == []


async def test_too_large_a_file_is_refused_and_one_of_the_largest_size_is_read(tmp_path: Path):
    bench = Workbench(str(tmp_path))
    put(tmp_path, b"x" * MAX_BYTES)
    assert await bench.read() is not None
    file = put(tmp_path, b"x" * (MAX_BYTES + 1))
    for attempt in (bench.read(), bench.write(NEW, expected_sha=None)):
        with pytest.raises(Refused, match=r"memory/CURRENT_STATE\.md: is larger than 262144"):
            await attempt
    assert file.stat().st_size == MAX_BYTES + 1


async def test_nothing_is_written_that_could_not_be_read_again(tmp_path: Path):
    bench = Workbench(str(tmp_path))
    with pytest.raises(Refused, match="would be larger"):
        await bench.write(Checkpoint(objective="长" * MAX_BYTES), expected_sha=None)
    odd = Checkpoint(objective="a\0b", blockers="\ud800")
    assert await bench.write(odd, expected_sha=None) is not None
    sheet = await bench.read()
    assert sheet is not None
    assert sheet.parsed.checkpoint.objective == "a\N{REPLACEMENT CHARACTER}b"


@pytest.mark.parametrize(
    "data",
    [
        render(OLD).encode("utf-16"),
        render(OLD).encode("utf-16-le"),
        render(OLD).encode("utf-16-be"),
        render(OLD).encode("utf-32"),
        b"# Current State\n\0\0\0",
        b"\xff\xfe",
    ],
)
async def test_what_is_no_utf8_is_refused_and_never_written_over(tmp_path: Path, data: bytes):
    put(tmp_path, data)
    bench = Workbench(str(tmp_path))
    for attempt in (bench.read(), bench.archive(AT)):
        with pytest.raises(Refused, match=r"memory/CURRENT_STATE\.md: is not UTF-8"):
            await attempt
    assert await bench.write(NEW, expected_sha=None) is None
    with pytest.raises(Refused, match="is not UTF-8"):
        await bench.write(NEW, expected_sha=sha256(data).hexdigest())
    assert live(tmp_path).read_bytes() == data


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + render(OLD).encode(),
        render(OLD).replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + render(OLD).replace("\n", "\r\n").encode(),
    ],
    ids=["BOM", "CRLF", "both"],
)
async def test_what_editors_of_windows_write_is_read_as_it_is_meant(tmp_path: Path, data: bytes):
    put(tmp_path, data)
    bench = Workbench(str(tmp_path))
    sheet = await bench.read()
    assert sheet is not None
    assert sheet.parsed.checkpoint == OLD
    assert await bench.write(NEW, expected_sha=sheet.sha) is not None
    assert copies_in(tmp_path) == {}


async def test_broken_utf8_is_read_and_a_copy_kept_before_it_is_replaced(tmp_path: Path):
    data = render(OLD).encode() + "## Notes\n后来写的\n".encode("gb18030")
    put(tmp_path, data)
    bench = Workbench(str(tmp_path))
    sheet = await bench.read()
    assert sheet is not None
    assert sheet.parsed.checkpoint.objective == OLD.objective
    assert await bench.write(NEW, expected_sha=sheet.sha) is not None
    assert list(copies_in(tmp_path).values()) == [data]


async def test_a_time_no_date_can_say_is_read_as_the_nearest_one(tmp_path: Path):
    file = put(tmp_path, OLD)
    bench = Workbench(str(tmp_path))
    for mtime_s, year in ((-(10**9), 1970), (2**33, 2242)):
        os.utime(file, (mtime_s, mtime_s))
        sheet = await bench.read()
        assert sheet is not None
        assert sheet.modified_at.year == year


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode()))
def test_any_bytes_are_read_or_refused_and_what_was_read_can_be_replaced(
    tmp_path: Path, data: bytes
):
    async def attempt() -> None:
        put(tmp_path, data)
        bench = Workbench(str(tmp_path))
        try:
            sheet = await bench.read()
        except Refused:
            assert live(tmp_path).read_bytes() == data
            return
        assert sheet is not None
        assert await bench.write(NEW, expected_sha=sheet.sha) == draft_of(NEW).sha

    anyio.run(attempt, backend="trio")
