"""Opening what lies below a folder: one name at a time, and never through a link. Blocking."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
DENIED = frozenset({errno.EACCES, errno.EPERM})


class Descriptors:
    """Folders opened one below the other, closed together."""

    def __init__(self) -> None:
        self._open: list[int] = []

    def __enter__(self) -> "Descriptors":
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._open:
            os.close(descriptor)

    def open(self, name: bytes, parent: int | None) -> int:
        descriptor = os.open(name, FOLDER, dir_fd=parent)
        self._open.append(descriptor)
        return descriptor


@contextmanager
def opened(root: str, name: bytes) -> Iterator[int]:
    """A descriptor of the file ``name`` below ``root``; ``OSError`` where a link is on the way."""
    *folders, last = name.split(b"/")
    with Descriptors() as held:
        at = held.open(os.fsencode(root), None)
        for folder in folders:
            at = held.open(folder, at)
        descriptor = os.open(last, FILE, dir_fd=at)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
