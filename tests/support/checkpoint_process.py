"""Processes that write checkpoints and die: ``python -m support.checkpoint_process ROLE ROOT …``.

``write ROOT`` writes one. ``loop ROOT`` writes one after another until it is killed, and prints
``begin N`` before and ``done N`` after each. ``steps ROOT WORK`` does the same work in the folders
``ROOT/0``, ``ROOT/1`` …, each in a child that kills itself at that step, until one gets through.
``full ROOT`` fills the small disk at ROOT, tries each kind of work, and prints what came of it.
"""

import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path

import anyio

from recalld.continuity.disk import Workbench, draft_of
from recalld.continuity.model import Checkpoint
from recalld.errors import Unavailable
from support.checkpoint_disk import (
    AT,
    NEW,
    OLD,
    Step,
    SteppedFiles,
    live,
    put,
    put_copy,
    sha_of,
    temporary_files,
)

# So that a text takes several writes, as on a slow disk.
MOST_BYTES = 100
KEEP, AFTER_DAYS = 3, 30
LONG_AFTER = AT + timedelta(days=60)
COPIES = tuple(f"2026-03-0{day}_10-00-00.md" for day in range(1, 6))


def numbered(number: int) -> Checkpoint:
    """Texts of very different lengths."""
    return Checkpoint(objective=f"number {number}", blockers="x" * (number % 7 * 5_000))


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What is done in a workspace, and how that looks before."""

    prepare: Callable[[Path], object]
    do: Callable[[Workbench], Coroutine[object, object, None]]


async def _write(bench: Workbench) -> None:
    await bench.write(NEW, expected_sha=await sha_of(bench))


async def _archive(bench: Workbench) -> None:
    await bench.archive(AT)


async def _prune(bench: Workbench) -> None:
    await bench.prune(LONG_AFTER, keep=KEEP, after_days=AFTER_DAYS)


def _with_copies(root: Path) -> None:
    for name in COPIES:
        put_copy(root, name, name)


WORKS = {
    "first": Work(prepare=lambda root: None, do=_write),
    "replace": Work(prepare=lambda root: put(root, OLD), do=_write),
    "archive": Work(prepare=lambda root: put(root, OLD), do=_archive),
    "prune": Work(prepare=_with_copies, do=_prune),
}


def say(line: str) -> None:
    """One write system call a line, so that a kill cannot lose a part of it."""
    os.write(1, line.encode() + b"\n")


async def write_on(root: Path) -> None:
    bench = Workbench(str(root))
    sha = await sha_of(bench)
    for number in count():
        say(f"begin {number}")
        sha = await bench.write(numbered(number), expected_sha=sha)
        say(f"done {number}" if sha is not None else "conflict")


def kill_at(number: int, step: Step) -> None:
    if step.number == number:
        os.kill(os.getpid(), signal.SIGKILL)


def die_at_each_step(root: Path, work: Work) -> None:
    for number in count():
        folder = root / str(number)
        folder.mkdir()
        work.prepare(folder)
        child = os.fork()
        if child == 0:
            files = SteppedFiles(partial(kill_at, number), most_bytes=MOST_BYTES)
            anyio.run(work.do, Workbench(str(folder), files=files), backend="trio")
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            say(f"through {number} {os.waitstatus_to_exitcode(status)}")
            return


async def fill_and_try(root: Path) -> None:
    """On a disk of 64 KiB: with no block left, then with no room for the whole text."""
    bench = Workbench(str(root))
    put(root, OLD)
    large = Checkpoint(objective="large", blockers="y" * 40_000)
    tried: dict[str, object] = {}
    for name, room in (("no block", 0), ("some blocks", 12_000)):
        ballast = fill(root, room)
        for kind, work in (
            ("write", partial(bench.write, large, expected_sha=draft_of(OLD).sha)),
            ("archive", partial(bench.archive, AT)),
        ):
            tried[f"{kind}, {name}"] = await attempted(work)
            tried[f"left, {name}"] = [file.name for file in temporary_files(root)]
            tried[f"old, {name}"] = live(root).read_bytes() == draft_of(OLD).data
        ballast.unlink()
    tried["at last"] = await attempted(partial(bench.write, large, expected_sha=draft_of(OLD).sha))
    tried["new"] = live(root).read_bytes() == draft_of(large).data
    say(json.dumps(tried))


def fill(root: Path, room: int) -> Path:
    """Leave ``room`` bytes at the most."""
    ballast = root / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"z" * 1_024)
        except OSError:
            file.truncate(max(0, file.tell() - room))
    return ballast


async def attempted(work: Callable[[], Awaitable[object]]) -> str:
    try:
        return f"done: {await work()}"
    except Unavailable as fault:
        return str(fault)


def main(role: str, root: Path, *rest: str) -> None:
    match role, rest:
        case "write", ():
            anyio.run(_write, Workbench(str(root)), backend="trio")
        case "loop", ():
            anyio.run(write_on, root, backend="trio")
        case "steps", (work,):
            die_at_each_step(root, WORKS[work])
        case "full", ():
            anyio.run(fill_and_try, root, backend="trio")
        case _:
            raise SystemExit(f"unknown role {role} {rest}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
