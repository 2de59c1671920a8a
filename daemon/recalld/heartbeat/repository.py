"""What git says of a workspace, asked without changing or running anything of the repository."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

import anyio
from anyio.abc import Process

from recalld.heartbeat.model import Seen

Commit = tuple[str, str, tuple[str, ...]]

REAPING_S = 0.2
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# Nothing that a repository's own configuration names may run: no monitor, hook, pager, signature
# check, diff or text conversion; and nothing is fetched where the repository lacks an object.
_SET = (
    *("core.fsmonitor=", "core.hooksPath=/dev/null", "core.quotePath=off"),
    *("log.showSignature=false", "protocol.allow=never"),
)
_GIT = (
    "git",
    "--no-pager",
    "--no-replace-objects",
    *(part for one in _SET for part in ("-c", one)),
)
_ENVIRON = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
}
_LOG = (
    *("log", "-z", "--name-only", "--relative", "--no-merges", "--no-renames", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-mailmap", "--no-notes"),
    *("--no-decorate", "--no-follow", "--encoding=UTF-8", "-O/dev/null"),
    "--format=tformat:%x00%H%x00%s%x00",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GitLimits:
    """What asking may cost, all questions together."""

    time_s: float = 5.0
    output_bytes: int = 1_048_576
    commits: int = 50
    paths: int = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """``branch`` is None off any branch, ``head`` before a first commit; both without a
    repository. ``commits`` newest first: (hash, subject, paths), paths below the workspace."""

    branch: str | None = None
    head: str | None = None
    commits: tuple[Commit, ...] = ()
    problems: tuple[str, ...] = ()


class _Failed(Exception):
    """Git did not do what it was asked; the text says what happened."""


async def read(root: Path, seen: Seen | None, limits: GitLimits) -> Repository:
    """The repository around ``root``; never raises for what it finds there."""
    branch = head = None
    try:
        with anyio.fail_after(limits.time_s):
            if await _asked(root, ("rev-parse", "--show-toplevel"), limits) is None:
                return Repository(problems=_missing(root))
            branch = await _line(root, ("symbolic-ref", "--short", "--quiet", "HEAD"), limits)
            wanted = ("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
            head = await _line(root, wanted, limits)
            if seen is None or head is None or head == seen.head:
                return Repository(branch=branch, head=head)
            commits = await _commits(root, branch, seen, limits)
    except TimeoutError:
        return Repository(branch=branch, head=head, problems=("git: took too long",))
    except _Failed as error:
        return Repository(branch=branch, head=head, problems=(f"git: {error}",))
    return _limited(Repository(branch=branch, head=head, commits=commits), limits)


def _missing(root: Path) -> tuple[str, ...]:
    """A folder that is no repository is no problem; one that git refuses to read is."""
    return ("git: the repository cannot be read",) if os.path.lexists(root / ".git") else ()


async def _commits(
    root: Path, branch: str | None, seen: Seen, limits: GitLimits
) -> tuple[Commit, ...]:
    """What was committed since.

    On the branch that was seen, whatever its head has gained, pulled commits too; on another
    one, or where the old head is gone, only what was committed after that moment: the rest of
    another branch is old.
    """
    ranges: list[tuple[str, ...]] = [(f"--since={seen.at.astimezone(UTC).isoformat()}", "HEAD")]
    if branch == seen.branch and seen.head is not None and _HASH.fullmatch(seen.head):
        ranges.insert(0, (f"{seen.head}..HEAD",))
    for wanted in ranges:
        log = (*_LOG, f"--max-count={limits.commits + 1}", *wanted, "--", ".")
        printed = await _asked(root, log, limits)
        if printed is not None:
            return tuple(parsed(printed))
    raise _Failed("the log cannot be read")


def _limited(found: Repository, limits: GitLimits) -> Repository:
    problems = []
    if len(found.commits) > limits.commits:
        problems.append(f"git: only the newest {limits.commits} commits were read")
    if any(len(paths) > limits.paths for _, _, paths in found.commits):
        problems.append(f"git: only {limits.paths} paths of a commit were read")
    kept = tuple(
        (hash_, subject, paths[: limits.paths])
        for hash_, subject, paths in found.commits[: limits.commits]
    )
    return Repository(branch=found.branch, head=found.head, commits=kept, problems=tuple(problems))


def parsed(printed: str) -> Iterator[Commit]:
    """The commits of a log: before each an empty field, then hash, subject and its paths.

    The first path of a commit has a line end in front, so that no path is taken for a hash.
    """
    fields = printed.split("\0")
    at = 0
    while at + 2 < len(fields):
        if fields[at] or _HASH.fullmatch(fields[at + 1]) is None:
            at += 1
            continue
        hash_, subject = fields[at + 1 : at + 3]
        first = at = at + 4
        while at < len(fields) and fields[at]:
            at += 1
        paths = [fields[first].removeprefix("\n"), *fields[first + 1 : at]] if at > first else []
        yield hash_, subject, tuple(paths)


async def _line(root: Path, arguments: tuple[str, ...], limits: GitLimits) -> str | None:
    printed = await _asked(root, arguments, limits)
    return None if printed is None else printed.rstrip("\n")


async def _asked(root: Path, arguments: tuple[str, ...], limits: GitLimits) -> str | None:
    """What git prints; None where it says no."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        process = await anyio.open_process(
            [*_GIT, "-C", str(root), *arguments],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environ | _ENVIRON,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise _Failed(f"cannot be started: {type(error).__name__}") from error
    async with process:
        try:
            printed = await _printed(process, limits.output_bytes)
            status = await process.wait()
        finally:
            await _ended(process)
    return printed.decode("utf-8", "replace") if status == 0 else None


async def _printed(process: Process, limit: int) -> bytes:
    printed = bytearray()
    if process.stdout is not None:
        async for part in process.stdout:
            printed += part
            if len(printed) > limit:
                raise _Failed(f"printed over {limit} bytes")
    return bytes(printed)


async def _ended(process: Process) -> None:
    """Kill whatever it started, too."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
    with anyio.move_on_after(REAPING_S, shield=True):
        await process.wait()
