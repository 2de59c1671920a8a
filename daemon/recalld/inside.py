"""Files inside a folder that others write to: nothing outside it is ever reached. Blocking.

A link may lead to another place inside. Its goal is worked out first and then walked to from the
root, one descriptor after another and following no link, so one that is swapped in leads nowhere.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from recalld.atomic import Files
from recalld.errors import Refused, Unavailable

READ_ATTEMPTS = 3
FOLDER_MODE = 0o755

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MISLED = frozenset({errno.ELOOP, errno.ENOTDIR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a file is, or would be: ``name`` in the open ``folder``."""

    folder: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A regular file's bytes, and what it was like when they were read."""

    data: bytes
    status: os.stat_result


@contextmanager
def place_of(root: str, path: str, *, make: Files | None = None) -> Iterator[Place | None]:
    """The place of the file ``path`` below ``root``, for as long as the block runs.

    None where its folder is missing; with ``make`` it is made. ``Refused`` where a link leads
    out of ``root``, or to what is no folder. ``OSError`` in the block becomes a fault that
    names ``path``.
    """
    with faults(path):
        base = os.path.realpath(root)
        _inside(base, path.rpartition("/")[0])
        inner, _, name = _inside(base, path).rpartition("/")
        with _walked(base, inner, make) as at:
            yield None if at is None else Place(folder=at, name=name)


@contextmanager
def folder_of(root: str, path: str, *, make: Files | None = None) -> Iterator[int | None]:
    """The folder ``path`` below ``root``, open while the block runs; otherwise as ``place_of``."""
    with faults(path):
        base = os.path.realpath(root)
        with _walked(base, _inside(base, path), make) as at:
            yield at


def content(place: Place, path: str, *, max_bytes: int) -> Content | None:
    """The file at ``place``; None when there is none. ``path`` is its name in faults.

    ``Refused`` for what is no regular file, without opening it, and for more than ``max_bytes``.
    """
    with faults(path):
        try:
            _refuse_others(os.stat(place.name, dir_fd=place.folder, follow_symlinks=False), path)
            file = os.open(place.name, _READ, dir_fd=place.folder)
        except FileNotFoundError:
            return None
        try:
            return _settled(file, path, max_bytes)
        finally:
            os.close(file)


@contextmanager
def faults(path: str) -> Iterator[None]:
    """``OSError`` inside the block leaves it as a fault that names ``path``."""
    try:
        yield
    except OSError as error:
        if error.errno in _MISLED:
            raise Refused(f"{path}: is no folder, or a link that leads nowhere") from error
        raise Unavailable("continuity", f"{path}: {error.strerror or error}") from error


def _inside(base: str, path: str) -> str:
    """Where ``path`` really is, relative to ``base``."""
    real = os.path.realpath(f"{base}/{path}")
    if os.path.commonpath([base, real]) != base:
        raise Refused(f"{path}: is a link that leads out of the workspace")
    return "" if real == base else os.path.relpath(real, base)


@contextmanager
def _walked(base: str, path: str, make: Files | None) -> Iterator[int | None]:
    """The folder that is reached from ``base`` without a link; None where it is missing."""
    with ExitStack() as opened:
        at: int | None = _open(base, None, opened)
        for part in filter(None, path.split("/")):
            try:
                at = _open(part, at, opened)
            except FileNotFoundError:
                if make is None or at is None:
                    at = None
                    break
                _make(part, at, make)
                at = _open(part, at, opened)
        yield at


def _open(name: str, parent: int | None, opened: ExitStack) -> int:
    folder = os.open(name, _FOLDER, dir_fd=parent)
    opened.callback(os.close, folder)
    return folder


def _make(name: str, parent: int, files: Files) -> None:
    try:
        files.mkdir(name, FOLDER_MODE, folder=parent)
    except FileExistsError:
        return
    files.sync_folder(parent)


def _settled(file: int, path: str, max_bytes: int) -> Content:
    """What two looks in a row agree on; the last one where a writer gives no rest."""
    before = os.fstat(file)
    for _ in range(READ_ATTEMPTS):
        _refuse_others(before, path)
        data = _all(file, max_bytes)
        after = os.fstat(file)
        if len(data) > max_bytes:
            raise Refused(f"{path}: is larger than {max_bytes} bytes")
        if len(data) == after.st_size and _stamp(before) == _stamp(after):
            break
        before = after
    return Content(data=data, status=after)


def _all(file: int, max_bytes: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    data = b""
    while len(data) <= max_bytes and (part := os.read(file, max_bytes + 1 - len(data))):
        data += part
    return data


def _stamp(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns


def _refuse_others(status: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise Refused(f"{path}: is not a regular file")
