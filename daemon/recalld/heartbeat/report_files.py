"""Test reports in a workspace: found by globs, read without trusting who wrote them."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
from pathspec import GitIgnoreSpec

from recalld.heartbeat.reports import BadReport, failures

Report = tuple[str, int, datetime]

# Folders that hold nobody's own reports, beside hidden ones, and often very many files.
FOREIGN = frozenset({"node_modules", "site-packages", "venv", "__pycache__", "vendor"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportLimits:
    """What looking may cost."""

    time_s: float = 5.0
    entries: int = 20_000
    reports: int = 100
    report_bytes: int = 8_388_608
    total_bytes: int = 33_554_432


async def find(
    root: Path, globs: Sequence[str], since: datetime, limits: ReportLimits
) -> tuple[tuple[Report, ...], tuple[str, ...]]:
    """Reports that changed at ``since`` or later, the latest first, ties by path; and what went
    wrong.

    ``globs`` as in a ``.gitignore``, none for none. A report is its path below ``root``, how many
    of its tests failed, and when it changed.
    """
    if not globs:
        return (), ()
    work = partial(_find, root, globs, since, limits)
    try:
        with anyio.fail_after(limits.time_s):
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
    except TimeoutError:
        return (), ("reports: took too long",)


def _find(
    root: Path, globs: Sequence[str], since: datetime, limits: ReportLimits
) -> tuple[tuple[Report, ...], tuple[str, ...]]:
    problems: list[str] = []
    try:
        wanted = GitIgnoreSpec.from_lines(globs)
    except ValueError as error:
        return (), (f"reports: {error}",)
    recent = [
        (path, changed_at)
        for path, changed_at in _walk(root, limits.entries, problems)
        if changed_at >= since and wanted.match_file(path)
    ]
    recent.sort()
    recent.sort(key=lambda one: one[1], reverse=True)
    if len(recent) > limits.reports:
        problems.append(f"reports: only the latest {limits.reports} were read")
    found, left = [], limits.total_bytes
    for path, changed_at in recent[: limits.reports]:
        try:
            content = _content(root / path, min(left, limits.report_bytes))
            left -= len(content)
            found.append((readable(path), failures(content), changed_at))
        except (BadReport, OSError) as error:
            problems.append(_problem(path, error))
    return tuple(found), tuple(problems)


def _walk(root: Path, entries: int, problems: list[str]) -> Iterator[tuple[str, datetime]]:
    """Files below ``root`` (relative, with ``/``) with their last change, level by level.

    No link is followed; hidden folders and foreign ones are left out.
    """
    folders, looked_at = [""], 0
    for folder in folders:
        try:
            with os.scandir(root / folder) as found:
                inside = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            problems.append(_problem(folder or ".", error))
            continue
        for entry in inside:
            looked_at += 1
            if looked_at > entries:
                problems.append(f"reports: stopped after {entries} entries")
                return
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith(".") and entry.name not in FOREIGN:
                    folders.append(path)
            elif (changed_at := _changed_at(entry)) is not None:
                yield path, changed_at


def _changed_at(entry: os.DirEntry[str]) -> datetime | None:
    """None for what is no plain file, is gone by now, or has a time that no calendar has."""
    try:
        if not entry.is_file(follow_symlinks=False):
            return None
        return datetime.fromtimestamp(entry.stat(follow_symlinks=False).st_mtime, UTC)
    except (OSError, OverflowError, ValueError):
        return None


def _problem(path: str, error: Exception) -> str:
    reason = str(error) if isinstance(error, BadReport) else type(error).__name__
    return f"reports: {readable(path)!r} {reason}"


def readable(path: str) -> str:
    """The path as text that can be sent: bytes that are no UTF-8 become question marks."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _content(path: Path, limit: int) -> bytes:
    """The file. ``BadReport`` where it is no plain file (any more) or over ``limit`` bytes."""
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(opened, "rb") as file:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise BadReport("is no file")
        content = file.read(limit + 1)
    if len(content) > limit:
        raise BadReport(f"is over {limit} bytes")
    return content
