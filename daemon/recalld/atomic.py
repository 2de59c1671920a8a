"""Replacing a file whole: whoever reads it, at any moment, has the old bytes or the new ones.

Blocking; for a worker thread. A new text is written beside the file under a name of ours, synced
and renamed over it. Folders are descriptors, so nothing can be swapped in under a path meanwhile.
"""

import fcntl
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

NEW_MODE = 0o644
LOCK_WAIT_S = 2.0
_LOCK_POLL_S = 0.01
_TEMPORARY = re.compile(r"\.recalld-[0-9a-f]{16}\.tmp", re.ASCII)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Files(Protocol):
    """The calls that change a disk, each of which may fail, hang, or be the process's last."""

    def mkdir(self, name: str, mode: int, *, folder: int) -> None: ...
    def create(self, name: str, flags: int, mode: int, *, folder: int) -> int: ...
    def chmod(self, file: int, mode: int) -> None: ...
    def write(self, file: int, data: bytes) -> int: ...
    def sync(self, file: int) -> None: ...
    def rename(self, old: str, new: str, *, folder: int, to: int) -> None: ...
    def sync_folder(self, folder: int) -> None: ...
    def unlink(self, name: str, *, folder: int) -> None: ...


class Disk:
    """The real calls."""

    def mkdir(self, name: str, mode: int, *, folder: int) -> None:
        os.mkdir(name, mode, dir_fd=folder)

    def create(self, name: str, flags: int, mode: int, *, folder: int) -> int:
        return os.open(name, flags, mode, dir_fd=folder)

    def chmod(self, file: int, mode: int) -> None:
        os.fchmod(file, mode)

    def write(self, file: int, data: bytes) -> int:
        return os.write(file, data)

    def sync(self, file: int) -> None:
        os.fsync(file)

    def rename(self, old: str, new: str, *, folder: int, to: int) -> None:
        os.rename(old, new, src_dir_fd=folder, dst_dir_fd=to)

    def sync_folder(self, folder: int) -> None:
        os.fsync(folder)

    def unlink(self, name: str, *, folder: int) -> None:
        os.unlink(name, dir_fd=folder)


def go_on() -> None:
    """What is called between steps where nobody may want to stop."""


def replace(  # noqa: PLR0913  one name for each thing that is decided outside
    folder: int,
    name: str,
    data: bytes,
    *,
    files: Files,
    mode: int | None = None,
    still: Callable[[], bool] = lambda: True,
    go_on: Callable[[], None] = go_on,
) -> bool:
    """Make ``data`` the content of ``name``; False where ``still`` said no just before the rename.

    ``mode`` None: that of a new file, 0644 as far as the umask lets it. ``go_on`` is called
    between the steps up to the rename and may raise to give up. On any failure the old file is
    in place and our own removed; only a failing sync of the folder, the last step, leaves the
    new file, and it may be the old one again after a power cut.
    """
    temporary = f".recalld-{secrets.token_hex(8)}.tmp"
    go_on()
    file = files.create(temporary, _CREATE, NEW_MODE, folder=folder)
    try:
        try:
            _fill(file, data, files=files, mode=mode, go_on=go_on)
        finally:
            os.close(file)
        go_on()
        kept = still()
        if kept:
            files.rename(temporary, name, folder=folder, to=folder)
    except BaseException:
        with suppress(OSError):
            files.unlink(temporary, folder=folder)
        raise
    if kept:
        files.sync_folder(folder)
    else:
        files.unlink(temporary, folder=folder)
    return kept


def _fill(
    file: int, data: bytes, *, files: Files, mode: int | None, go_on: Callable[[], None]
) -> None:
    if mode is not None:
        files.chmod(file, mode)
    left = memoryview(data)
    while left:
        go_on()
        left = left[files.write(file, bytes(left)) :]
    go_on()
    files.sync(file)


def is_temporary(name: str) -> bool:
    """Whether ``replace`` makes such names; nobody else does."""
    return _TEMPORARY.fullmatch(name) is not None


def remove_leftovers(folder: int, *, files: Files) -> int:
    """Remove what killed writers left; how many. Only while ``locked``: others write here too."""
    removed = 0
    for name in os.listdir(folder):
        if is_temporary(name):
            with suppress(OSError):
                files.unlink(name, folder=folder)
                removed += 1
    return removed


@contextmanager
def locked(folder: int, *, go_on: Callable[[], None] = go_on) -> Iterator[None]:
    """Be the only writer of ours in ``folder``, of all processes; a dead one holds no lock.

    ``TimeoutError`` after 2 s. File systems without locks have no second writer to wait for.
    """
    ends = time.monotonic() + LOCK_WAIT_S
    while True:
        go_on()
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= ends:
                raise TimeoutError("another process is writing here") from error
            time.sleep(_LOCK_POLL_S)
        except OSError:
            break
        else:
            break
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(folder, fcntl.LOCK_UN)
