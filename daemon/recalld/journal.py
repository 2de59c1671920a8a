"""Appending whole lines to a file of ours, below a folder that is not.

Blocking; for a worker thread. Names are resolved one by one under a descriptor of the root and
no symbolic link is followed, so a workspace cannot lead a trace elsewhere.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700
_BLOCK_BYTES = 1 << 20

Count = Callable[[str, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """Where lines go and how much of them is kept: the live file and ``keep`` older ones."""

    root: Path
    file: str
    max_bytes: int
    keep: int


def append(journal: Journal, lines: Sequence[bytes], *, count: Count) -> None:
    """Append ``lines``, each ending in a line feed, rotating before one would not fit.

    Never raises ``OSError`` and never leaves part of a line: what cannot be written is counted
    as ``dropped``. A torn line that a crash left is cut and counted as ``torn``.
    Where rotation fails, writing goes on and ``rotation_failed`` is counted.
    """
    left = [line for line in lines if len(line) <= journal.max_bytes]
    count("dropped", len(lines) - len(left))
    try:
        with _folder(journal) as folder:
            while left:
                left = left[_append_some(folder, journal, left, count) :]
    except OSError:
        count("write_failed", 1)
        count("dropped", len(left))


def find_line(journal: Journal, needle: bytes) -> bytes | None:
    """The newest line that holds ``needle``, in the live file or an older one."""
    try:
        with _folder(journal) as folder:
            for name in _names(journal):
                with suppress(FileNotFoundError):
                    line = _find(folder, name, needle)
                    if line is not None:
                        return line
    except OSError:
        return None
    return None


def _append_some(folder: int, journal: Journal, lines: Sequence[bytes], count: Count) -> int:
    """Write as many of ``lines`` as the live file takes, at least one; how many."""
    name = _names(journal)[0]
    with _opened(folder, name, os.O_RDWR | os.O_APPEND | os.O_CREAT) as file:
        size = _whole_lines(file, count)
        fitting = _fitting(lines, journal.max_bytes - size)
        if fitting == 0 and not _rotate(folder, journal):
            count("rotation_failed", 1)
            fitting = len(lines)
        if fitting:
            written = _write(file, b"".join(lines[:fitting]), size)
            lost = fitting - _fitting(lines[:fitting], written)
            if lost:
                count("dropped", lost)
                count("write_failed", 1)
    return fitting


def _fitting(lines: Sequence[bytes], room: int) -> int:
    for index, line in enumerate(lines):
        room -= len(line)
        if room < 0:
            return index
    return len(lines)


def _write(file: int, data: bytes, size: int) -> int:
    """Bytes of ``data`` that are in the file as whole lines; a part of a line is cut off."""
    done = 0
    try:
        while done < len(data):
            done += os.write(file, data[done:])
    except OSError:
        done = data.rfind(b"\n", 0, done) + 1
        os.ftruncate(file, size + done)
    return done


def _whole_lines(file: int, count: Count) -> int:
    """The file's size once it ends with a line feed; a torn tail is cut off and counted."""
    size = os.fstat(file).st_size
    if size == 0 or os.pread(file, 1, size - 1) == b"\n":
        return size
    end = size
    while end > 0:
        start = max(0, end - _BLOCK_BYTES)
        feed = os.pread(file, end - start, start).rfind(b"\n")
        if feed >= 0:
            end = start + feed + 1
            break
        end = start
    os.ftruncate(file, end)
    count("torn", 1)
    return end


def _rotate(folder: int, journal: Journal) -> bool:
    """Move every file one number up, the last one out. False: the live file stays as it is.

    Each step leaves a state that the next rotation takes up, whenever it is interrupted.
    """
    names = _names(journal)
    try:
        if journal.keep == 0:
            os.unlink(names[0], dir_fd=folder)
        for old, new in zip(names[-2::-1], names[:0:-1], strict=True):
            with suppress(FileNotFoundError):
                os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)
        _forget_older(folder, journal)
    except OSError:
        return False
    return True


def _forget_older(folder: int, journal: Journal) -> None:
    """Remove files beyond ``keep``, which a larger setting left behind."""
    for number in range(journal.keep + 1, 1_000):
        try:
            os.unlink(f"{_names(journal)[0]}.{number}", dir_fd=folder)
        except FileNotFoundError:
            return


def _names(journal: Journal) -> list[str]:
    """The live file's name, then the older ones' from newest to oldest."""
    name = journal.file.replace("\\", "/").rsplit("/", 1)[-1]
    return [name, *(f"{name}.{number}" for number in range(1, journal.keep + 1))]


@contextmanager
def _folder(journal: Journal) -> Iterator[int]:
    """A descriptor of the folder the file lies in; folders below the root are made."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    folder = os.open(journal.root, flags)
    try:
        for part in journal.file.replace("\\", "/").split("/")[:-1]:
            if part in {"", "."}:
                continue
            with suppress(FileExistsError):
                os.mkdir(part, FOLDER_MODE, dir_fd=folder)
            inner = os.open(part, flags | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


@contextmanager
def _opened(folder: int, name: str, flags: int) -> Iterator[int]:
    """A descriptor of a regular file that only its owner can read.

    Without waiting: a FIFO that nobody reads must not stop the writer.
    """
    safe = flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    file = os.open(name, safe, FILE_MODE, dir_fd=folder)
    try:
        state = os.fstat(file)
        if not stat.S_ISREG(state.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", name)
        if state.st_mode & 0o077 and flags & os.O_CREAT:
            os.fchmod(file, FILE_MODE)
        yield file
    finally:
        os.close(file)


def _find(folder: int, name: str, needle: bytes) -> bytes | None:
    with _opened(folder, name, os.O_RDONLY) as file:
        end, after = os.fstat(file).st_size, b""
        while end > 0:
            start = max(0, end - _BLOCK_BYTES)
            data = os.pread(file, end - start, start) + after
            if (at := data.rfind(needle)) >= 0:
                return _line_at(file, start + at)
            end, after = start, data[: len(needle)]
    return None


def _line_at(file: int, offset: int) -> bytes:
    start = max(0, offset - _BLOCK_BYTES)
    before = os.pread(file, offset - start, start)
    behind = os.pread(file, _BLOCK_BYTES, offset)
    return before[before.rfind(b"\n") + 1 :] + behind[: behind.find(b"\n") + 1 or None]
