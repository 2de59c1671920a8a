"""What git remembers of a folder's Markdown: which lines came and went, and under what subject."""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio

MAX_COMMITS = 2_000
LOG_S = 60.0
_HEAD = "\x1e"
_FILE = re.compile(r'^\+\+\+ "?b/(.*?)"?\t?$')


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One hunk. ``path`` is relative to the folder."""

    commit: str
    subject: str
    path: str
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


@dataclass(slots=True)
class _Hunk:
    removed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)


async def changes_in(root: Path) -> tuple[Change, ...] | None:
    """The hunks of the newest commits, newest first; None where there is no git or no history.

    Nothing that the repository's own configuration names is run.
    """
    command = (
        *("git", "-C", str(root), "-c", "core.quotepath=off", "-c", "core.fsmonitor=false"),
        *("log", "-p", "-U0", "--no-merges", "--no-renames", "--no-color"),
        *("--no-ext-diff", "--no-textconv", "--no-show-signature", "--relative"),
        *(f"--max-count={MAX_COMMITS}", f"--format={_HEAD}%H%x09%s", "--", "*.md"),
    )
    environ = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    try:
        with anyio.fail_after(LOG_S):
            done = await anyio.run_process(
                command, check=False, stderr=subprocess.DEVNULL, env=environ
            )
    except (OSError, TimeoutError):
        return None
    if done.returncode != 0:
        return None
    return tuple(parse_log(done.stdout.decode("utf-8", "replace").split("\n")))


def parse_log(lines: Sequence[str]) -> Iterator[Change]:
    """The hunks of ``git log -p -U0``. A line of a file is told from a header by its hunk."""
    commit = subject = path = ""
    hunk, left = _Hunk(), [0, 0]
    for line in lines:
        if sum(left) and line[:1] in ("-", "+"):
            at = line[0] == "+"
            left[at] -= 1
            (hunk.added if at else hunk.removed).append(line[1:])
            if not sum(left):
                yield _change(commit, subject, path, hunk)
        elif line.startswith(_HEAD):
            commit, _, subject = line[1:].partition("\t")
        elif (named := _FILE.match(line)) is not None:
            path = named[1]
        elif line.startswith("@@ "):
            hunk, left = _Hunk(), _counts(line)


def _counts(line: str) -> list[int]:
    """How many lines go and come: ``@@ -3,2 +3 @@`` is two and one."""
    old, new = line.split(" ")[1:3]
    return [int(part.partition(",")[2] or 1) for part in (old, new)]


def _change(commit: str, subject: str, path: str, hunk: _Hunk) -> Change:
    return Change(
        commit=commit,
        subject=subject,
        path=path,
        removed=tuple(hunk.removed),
        added=tuple(hunk.added),
    )
