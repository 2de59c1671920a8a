"""A full disk, a failing one, a hanging one, and callers that give up, at every step of a write."""

import errno
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

import anyio
import pytest

from recalld.continuity.disk import FILE, Workbench, draft_of
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
from support.checkpoint_process import (
    AFTER_DAYS,
    COPIES,
    KEEP,
    LONG_AFTER,
    MOST_BYTES,
    WORKS,
    attempted,
)

# Steps that put something right afterwards; when these fail too there is nothing to be promised.
CLEANING = frozenset({"unlink"})


def folders(tmp_path: Path, work: str) -> Iterator[Path]:
    """A prepared workspace for each step, until the caller has had enough."""
    for number in count():
        folder = tmp_path / str(number)
        folder.mkdir()
        WORKS[work].prepare(folder)
        yield folder


def content(root: Path) -> bytes | None:
    return live(root).read_bytes() if live(root).exists() else None


async def writers_thread_is_done(bench: Workbench) -> None:
    """A cancelled call leaves its thread behind; the next one waits for it."""
    await anyio.to_thread.run_sync(int, limiter=bench._writing)


async def test_what_is_renamed_is_on_the_disk_before_and_its_folder_after_s2_2(tmp_path: Path):
    calls: list[str] = []

    def meet(step: Step) -> None:
        if not step.after:
            calls.append(step.call)

    bench = Workbench(str(tmp_path), files=SteppedFiles(meet, most_bytes=200))
    sha = await bench.write(NEW, expected_sha=None)
    made = ["mkdir", "sync_folder", "create", "write", "write", "sync", "rename", "sync_folder"]
    assert calls == made
    calls.clear()
    await bench.write(OLD, expected_sha=sha)
    assert calls == ["create", "chmod", "write", "write", "sync", "rename", "sync_folder"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS])
@pytest.mark.parametrize("work", ["first", "replace"])
async def test_a_disk_that_fails_at_any_step_leaves_the_old_file_or_the_new(
    tmp_path: Path, work: str, code: int
):
    failed = set()
    for number, root in enumerate(folders(tmp_path, work)):

        def meet(step: Step, at: int = number) -> None:
            if step.number == at and step.call not in CLEANING:
                failed.add((step.call, step.after))
                raise OSError(code, os.strerror(code))

        old = content(root)
        bench = Workbench(str(root), files=SteppedFiles(meet, most_bytes=MOST_BYTES))
        said = await attempted(partial(WORKS[work].do, bench))
        if said == "done: None":
            assert content(root) == draft_of(NEW).data
            break
        assert said == f"disk: {FILE}: {os.strerror(code)}"
        assert content(root) in (old, draft_of(NEW).data)
        assert temporary_files(root) == []
        sound = Workbench(str(root))
        assert await sound.write(NEW, expected_sha=await sha_of(sound)) is not None
    calls = {"create", "write", "sync", "rename", "sync_folder"}
    calls |= {"mkdir"} if work == "first" else {"chmod"}
    assert {call for call, _ in failed} == calls


async def test_a_disk_that_fails_while_archiving_leaves_whole_copies(tmp_path: Path):
    whole = draft_of(OLD).data
    for number, root in enumerate(folders(tmp_path, "archive")):

        def meet(step: Step, at: int = number) -> None:
            if step.number == at and step.call not in CLEANING:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        bench = Workbench(str(root), files=SteppedFiles(meet, most_bytes=MOST_BYTES))
        said = await attempted(partial(bench.archive, AT))
        if said.startswith("done"):
            break
        assert said == "disk: memory/session_archive: No space left on device"
        assert set(copies_in(root).values()) <= {whole}
        assert live(root).read_bytes() == whole
        assert await Workbench(str(root)).archive(AT) is not None
        assert copies_in(root) == {"2026-03-01_10-00-05.md": whole}
    assert number > 10


async def test_a_disk_that_fails_while_pruning_loses_no_copy_that_was_to_stay(tmp_path: Path):
    for number, root in enumerate(folders(tmp_path, "prune")):

        def meet(step: Step, at: int = number) -> None:
            if step.number == at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        bench = Workbench(str(root), files=SteppedFiles(meet))
        if (await attempted(partial(WORKS["prune"].do, bench))).startswith("done"):
            break
        names = [name.removeprefix("cold/") for name in copies_in(root)]
        assert set(COPIES[-KEEP:]) <= set(names)
        assert len(names) == len(set(names))
        await Workbench(str(root)).prune(LONG_AFTER, keep=KEEP, after_days=AFTER_DAYS)
        assert copies_in(root) == {f"cold/{name}": name.encode() for name in COPIES[-KEEP:]}
    assert number > 5


def steps_of(work: str, root: Path) -> list[Step]:
    """The steps the work has when nobody disturbs it."""
    met: list[Step] = []
    root.mkdir()
    WORKS[work].prepare(root)
    files = SteppedFiles(met.append, most_bytes=MOST_BYTES)
    anyio.run(WORKS[work].do, Workbench(str(root), files=files), backend="trio")
    return met


async def give_up_at(number: int, work: str, root: Path) -> None:
    def meet(step: Step) -> None:
        if step.number == number:
            anyio.from_thread.run_sync(scope.cancel)

    bench = Workbench(str(root), files=SteppedFiles(meet, most_bytes=MOST_BYTES))
    with anyio.CancelScope() as scope:
        await WORKS[work].do(bench)
    assert scope.cancelled_caught
    await writers_thread_is_done(bench)


@pytest.mark.parametrize("work", ["first", "replace"])
def test_cancelled_at_any_step_the_file_is_old_or_new_and_nothing_is_left(
    tmp_path: Path, work: str
):
    steps = steps_of(work, tmp_path / "undisturbed")
    rename = next(step.number for step in steps if step.call == "rename")
    for step in steps:
        root = tmp_path / str(step.number)
        root.mkdir()
        WORKS[work].prepare(root)
        old = content(root)
        anyio.run(give_up_at, step.number, work, root, backend="trio")
        assert content(root) == (old if step.number < rename else draft_of(NEW).data)
        assert temporary_files(root) == []


@pytest.mark.parametrize("work", ["archive", "prune"])
def test_cancelled_at_any_step_copies_are_whole_and_none_is_lost(tmp_path: Path, work: str):
    for step in steps_of(work, tmp_path / "undisturbed"):
        root = tmp_path / str(step.number)
        root.mkdir()
        WORKS[work].prepare(root)
        anyio.run(give_up_at, step.number, work, root, backend="trio")
        assert temporary_files(root) == []
        found = copies_in(root)
        if work == "archive":
            assert set(found.values()) <= {draft_of(OLD).data}
        else:
            names = [name.removeprefix("cold/") for name in found]
            assert set(COPIES[-KEEP:]) <= set(names)
            assert len(set(names)) == len(names)


async def test_who_is_cancelled_before_the_beginning_has_written_nothing(tmp_path: Path):
    put(tmp_path, OLD)
    bench = Workbench(str(tmp_path))
    with anyio.CancelScope() as scope:
        scope.cancel()
        await bench.write(NEW, expected_sha=draft_of(OLD).sha)
    await writers_thread_is_done(bench)
    assert content(tmp_path) == draft_of(OLD).data


@pytest.mark.parametrize("call", ["create", "write", "sync"])
async def test_a_disk_that_hangs_holds_nobody_who_gives_up_and_no_later_write_overtakes(
    tmp_path: Path, call: str
):
    put(tmp_path, OLD)
    go, hanging = threading.Event(), anyio.Event()

    def meet(step: Step) -> None:
        if step.call == call and not step.after and not go.is_set():
            anyio.from_thread.run_sync(hanging.set)
            go.wait()

    bench = Workbench(str(tmp_path), files=SteppedFiles(meet))
    written: list[str | None] = []

    async def write_later() -> None:
        written.append(await bench.write(OLD, expected_sha=draft_of(OLD).sha))

    async with anyio.create_task_group() as tasks:
        with anyio.fail_after(5), anyio.CancelScope() as scope:
            tasks.start_soon(cancel_when, hanging, scope)
            await bench.write(NEW, expected_sha=draft_of(OLD).sha)
        assert scope.cancelled_caught
        assert await sha_of(bench) == draft_of(OLD).sha
        tasks.start_soon(write_later)
        await anyio.wait_all_tasks_blocked()
        assert written == []
        go.set()
    assert written == [draft_of(OLD).sha]
    assert content(tmp_path) == draft_of(OLD).data
    assert temporary_files(tmp_path) == []


async def cancel_when(event: anyio.Event, scope: anyio.CancelScope) -> None:
    await event.wait()
    scope.cancel()


async def test_reading_goes_on_while_a_write_hangs(tmp_path: Path):
    put(tmp_path, OLD)
    go, hanging = threading.Event(), anyio.Event()

    def meet(step: Step) -> None:
        if step.call == "sync" and not step.after:
            anyio.from_thread.run_sync(hanging.set)
            go.wait()

    bench = Workbench(str(tmp_path), files=SteppedFiles(meet))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(WORKS["replace"].do, bench)
        await hanging.wait()
        with anyio.fail_after(5):
            assert await sha_of(bench) == draft_of(OLD).sha
            assert await bench.copies() == ()
        go.set()
    assert await sha_of(bench) == draft_of(NEW).sha


def private_mounts() -> str | None:
    """Why no file system can be mounted for a test alone; None where it can."""
    try:
        ran = subprocess.run(
            ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        return f"no small disk can be made here: {error}"
    return None if ran.returncode == 0 else f"no small disk can be made here: {ran.stderr.strip()}"


def test_on_a_small_disk_that_is_full_the_old_file_stays_until_there_is_room(tmp_path: Path):
    if (why := private_mounts()) is not None:
        pytest.skip(why)
    mount = 'mount -t tmpfs -o size=64k small "$1"'
    script = f'{mount} && exec "$0" -m support.checkpoint_process full "$1"'
    ran = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, sys.executable, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    tried = json.loads(ran.stdout)
    for room in ("no block", "some blocks"):
        assert tried[f"write, {room}"] == f"disk: {FILE}: No space left on device"
        assert tried[f"old, {room}"] is True
        assert tried[f"left, {room}"] == []
    assert tried["archive, no block"].endswith("memory/session_archive: No space left on device")
    assert tried["archive, some blocks"].startswith("done: memory/session_archive/")
    assert tried["at last"].startswith("done: ")
    assert tried["new"] is True
    assert list(tmp_path.iterdir()) == []
