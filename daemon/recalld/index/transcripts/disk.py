"""Transcripts on disk: finding them, and reading what was added. Blocking; run in a thread."""

import glob
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from recalld.index.model import Skip, Stamp
from recalld.index.opening import GONE, opened
from recalld.index.transcripts.lines import MAX_LINE_BYTES, Split, object_of, split
from recalld.index.transcripts.paths import FOLDER, SeenTranscript, is_named_so

# One step of a worker's thread and one transaction: long enough to pay, short enough to leave
# readers their turn.
BLOCK_BYTES = 512 * 1024
# What is looked at to tell whose file it is.
PEEK_BYTES = 256 * 1024
PEEK_LINES = 20
HEAD_BYTES = 1_024
TAIL_BYTES = 256
MAX_DEPTH = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    files: tuple[SeenTranscript, ...]
    skipped: tuple[Skip, ...]


def find(
    roots: Iterable[str], patterns: Iterable[str], *, takes: Callable[[str, str], bool]
) -> Found:
    """The transcripts in the workspaces' own folders and those that ``patterns`` match.

    ``takes`` is asked with a root and a path relative to it. Links are not followed.
    """
    found: dict[str, SeenTranscript] = {}
    skipped: list[Skip] = []
    for root in roots:
        for path in _below(f"{root.rstrip('/')}/{FOLDER}", MAX_DEPTH, skipped):
            if takes(root, path[len(root.rstrip("/")) + 1 :]):
                _add(path, found)
    for pattern in patterns:
        for form in (pattern, f"{pattern}[.-][0-9]*"):
            for path in sorted(glob.glob(form, recursive=True, include_hidden=True)):  # noqa: PTH207
                if is_named_so(path):
                    _add(os.path.realpath(path), found)
    return Found(files=tuple(found[path] for path in sorted(found)), skipped=tuple(skipped))


def _below(folder: str, depth: int, skipped: list[Skip]) -> Iterator[str]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and depth:
                yield from _below(entry.path, depth - 1, skipped)
            elif is_named_so(entry.name):
                yield entry.path
    except OSError as error:
        if error.errno not in GONE:
            skipped.append(Skip(path=folder, why=f"unreadable: {error.strerror}"))


def _add(path: str, found: dict[str, SeenTranscript]) -> None:
    try:
        path.encode()
        status = os.stat(path, follow_symlinks=False)  # noqa: PTH116
    except (OSError, UnicodeEncodeError):
        return
    if stat.S_ISREG(status.st_mode):
        found[path] = SeenTranscript(path=path, stamp=_stamp(status))


def _stamp(status: os.stat_result) -> Stamp:
    most = (1 << 63) - 1
    return Stamp(
        size=status.st_size,
        mtime_ns=max(-most, min(status.st_mtime_ns, most)),
        inode=status.st_ino & most,
    )


def real_path(path: str) -> str:
    return os.path.realpath(path)


class Reader:
    """One open transcript."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @property
    def stamp(self) -> Stamp:
        return _stamp(os.fstat(self._descriptor))

    def first_objects(self) -> tuple[tuple[Mapping[str, Any], ...], bool]:
        """The first lines that are JSON objects, and whether there is more to come of them."""
        start = self._behind_hole(0, self.stamp.size)
        data = os.pread(self._descriptor, PEEK_BYTES, start)
        ends = len(data) < PEEK_BYTES
        whole = split(data, position=start, line=0, inside=False, ends=ends)
        lines = whole.lines[:PEEK_LINES]
        objects = tuple(line for raw in lines if (line := object_of(raw.data)) is not None)
        return objects, ends and len(lines) < PEEK_LINES

    def block(self, *, position: int, line: int, inside: bool) -> Split:
        """The whole lines of the next block; a line is read to its end if it is not too long."""
        size = self.stamp.size
        if not inside:
            position = self._behind_hole(position, size)
        data = os.pread(self._descriptor, BLOCK_BYTES, position)
        while not inside and b"\n" not in data and BLOCK_BYTES <= len(data) <= MAX_LINE_BYTES:
            more = os.pread(self._descriptor, BLOCK_BYTES, position + len(data))
            data += more
            if not more:
                break
        ends = position + len(data) >= size
        return split(data, position=position, line=line, inside=inside, ends=ends)

    def _behind_hole(self, position: int, size: int) -> int:
        """Past the NULs that a writer left which went on at its old place in a cut file."""
        while position < size:
            data = os.pread(self._descriptor, BLOCK_BYTES, position)
            rest = data.lstrip(b"\0")
            position += len(data) - len(rest)
            if rest or not data:
                break
        return position

    def mark(self, position: int) -> str:
        """A fingerprint of what stands before ``position``: its head and its end."""
        head = os.pread(self._descriptor, min(HEAD_BYTES, position), 0)
        start = max(0, position - TAIL_BYTES)
        tail = os.pread(self._descriptor, position - start, start)
        return hashlib.blake2b(head + b"\n" + tail, digest_size=16).hexdigest()


@contextmanager
def reading(path: str) -> Iterator[Reader | None]:
    """The file at the absolute ``path``; None where it is gone. No link is followed."""
    try:
        context = opened("/", os.fsencode(path.lstrip("/")))
        descriptor = context.__enter__()
    except OSError as error:
        if error.errno not in GONE:
            raise
        yield None
        return
    try:
        yield Reader(descriptor)
    finally:
        context.__exit__(None, None, None)
