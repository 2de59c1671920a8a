"""What the doctor's checks need of a workspace, read from its disk and changing nothing there."""

import json
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.to_thread

from recalld.continuity.disk import FILE, Workbench
from recalld.continuity.findings import Activity, Copy, Examined, Exchange, Plan
from recalld.errors import RecalldError

T = TypeVar("T")

# A mount that hangs must not hang the doctor.
# For a person who looks for a file that nothing has written yet.
HOW_MADE = "an agent's next finished answer makes it, or 'recalld checkpoint write'"
LIMIT_S = 10.0
ARCHIVE_COPIES = 20
TRACE_TAIL_BYTES = 256 * 1024
PLAN_BYTES = 256 * 1024
PLAN_FILES = 50
PLAN_DEPTH = 6
# Clocks differ a little; what lies further ahead is no time at which anything was done.
AHEAD = timedelta(minutes=5)

_TASKS = "tasks.md"
_SPECS = "openspec"
# Finished changes are moved there; what they were about is not what is planned.
_DONE = "archive"
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is known beside the workspace's own files.

    ``trace_file`` is relative to the workspace. ``is_users``: whether a session, by its key, is a
    user's and no machine's. ``exchanges`` and ``activity`` are what conversations tell.
    """

    trace_file: str
    is_users: Callable[[str], bool]
    exchanges: Sequence[Exchange] = ()
    activity: Sequence[Activity] = ()


async def examine(root: str, around: Surroundings, *, now: datetime) -> Examined:
    """The workspace at ``root`` as it is. What cannot be read is a ``fault``; never raises."""
    with anyio.move_on_after(LIMIT_S):
        if not await _looked(partial(os.path.isdir, root)):
            return Examined(now=now, fault=f"there is no folder {root}")
        try:
            return await _examined(root, around, now)
        except RecalldError as error:
            return Examined(now=now, fault=str(error))
    return Examined(now=now, fault=f"the disk does not answer within {LIMIT_S:g} s")


async def _examined(root: str, around: Surroundings, now: datetime) -> Examined:
    bench = Workbench(root)
    sheet = await bench.read()
    if sheet is None:
        return Examined(now=now, fault=f"{FILE} is not there; {HOW_MADE}")
    archive, unreadable = await _archive(bench)
    traced = await _looked(partial(last_trace, root, around))
    activity = [one for one in (*around.activity, *traced) if one.at <= now + AHEAD]
    return Examined(
        now=now,
        parsed=sheet.parsed,
        modified_at=sheet.modified_at,
        activity=max(activity, key=lambda one: one.at, default=None),
        archive=archive,
        unreadable=unreadable,
        plans=await _looked(partial(plans_of, root)),
        exchanges=around.exchanges,
    )


async def _looked(work: Callable[[], T]) -> T:
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


async def _archive(bench: Workbench) -> tuple[tuple[Copy, ...], tuple[str, ...]]:
    """The newest copies, newest first, and the names of those that cannot be read."""
    found: list[Copy] = []
    unreadable: list[str] = []
    for copy in (await bench.copies())[:ARCHIVE_COPIES]:
        try:
            sheet = await bench.read_copy(copy.name)
        except RecalldError:
            unreadable.append(copy.name)
            continue
        found.append(Copy(name=copy.name, at=copy.at, checkpoint=sheet.parsed.checkpoint))
    return tuple(found), tuple(unreadable)


def last_trace(root: str, around: Surroundings) -> tuple[Activity, ...]:
    """The newest prompt of a user's session in the trace file; empty where there is none."""
    file = Path(root) / around.trace_file
    for path in (file, file.with_name(f"{file.name}.1")):
        for line in reversed(_tail(path, TRACE_TAIL_BYTES)):
            at = _time_of(line, around.is_users)
            if at is not None:
                return (Activity(at=at, seen_in=f"a prompt in {around.trace_file}"),)
    return ()


def _time_of(line: bytes, is_users: Callable[[str], bool]) -> datetime | None:
    try:
        trace = json.loads(line)
        at = datetime.fromisoformat(trace["ts"])
        known = is_users(str(trace["session"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return at if known and at.tzinfo is not None else None


def plans_of(root: str) -> tuple[Plan, ...]:
    """``tasks.md``, in any case, and what lies under ``openspec/``, finished changes aside."""
    try:
        names = sorted(os.listdir(root))  # noqa: PTH208
    except OSError:
        return ()
    paths = [name for name in names if name.casefold() == _TASKS]
    paths += islice(_specs(root), PLAN_FILES)
    found = ((path, _text(Path(root) / path)) for path in paths)
    return tuple(Plan(path=path, text=text) for path, text in found if text is not None)


def _specs(root: str) -> Iterator[str]:
    for folder, inner, files in os.walk(Path(root) / _SPECS):
        here = os.path.relpath(folder, root)
        deep = here.count(os.sep) >= PLAN_DEPTH
        inner[:] = [] if deep else sorted(name for name in inner if name != _DONE)
        yield from (f"{here}/{name}" for name in sorted(files) if name.endswith(".md"))


def _text(path: Path) -> str | None:
    data = _bytes(path, lambda size: (0, min(size, PLAN_BYTES)))
    return None if data is None else data.decode("utf-8", "replace")


def _tail(path: Path, most: int) -> list[bytes]:
    """The last lines, the first of them perhaps cut; none where there is no such file."""
    data = _bytes(path, lambda size: (max(0, size - most), most))
    return [] if data is None else data.split(b"\n")


def _bytes(path: Path, part: Callable[[int], tuple[int, int]]) -> bytes | None:
    """The ``part`` (offset and length, of the size) of a regular file; None for anything else."""
    try:
        descriptor = os.open(path, _READ)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        offset, length = part(status.st_size)
        return os.pread(descriptor, length, offset)
    except OSError:
        return None
    finally:
        os.close(descriptor)
