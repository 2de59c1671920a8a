"""Follow a growing file by its inode: through rotation, truncation and late creation."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from recalld.cli._traces import rotations

_CHUNK_BYTES = 1 << 16
# A line longer than this is no trace of ours; it is dropped rather than held in memory.
_LONGEST_LINE_BYTES = 4 << 20


class Follower:
    """Whole lines of ``path`` as they come, each once, also across ``path.1``, ``path.2``, …

    ``last`` lines that are there at the start are given first, over the rotated files too.
    A half-written line waits for its end; after a rotation it is given up.
    """

    def __init__(self, path: Path, *, last: int) -> None:
        self._path = path
        self._stream: BinaryIO | None = None
        self._half = b""
        self._backlog = list(self._tail(last))

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def backlog(self) -> list[bytes]:
        """The lines that were there at the start, once."""
        backlog, self._backlog = self._backlog, []
        return backlog

    def lines(self) -> Iterator[bytes]:
        """What is new since the last call; empty when nothing is."""
        yield from self.backlog()
        while True:
            yield from self._read()
            if not self._moved_on():
                return

    def _read(self) -> Iterator[bytes]:
        if self._stream is None:
            return
        while data := self._stream.read(_CHUNK_BYTES):
            *whole, self._half = (self._half + data).split(b"\n")
            yield from (line for line in whole if line)
            if len(self._half) > _LONGEST_LINE_BYTES:
                self._half = b""

    def _moved_on(self) -> bool:
        """Open what follows the file just read to its end; False when there is nothing."""
        if self._stream is None:
            return self._open(self._path)
        held = os.fstat(self._stream.fileno())
        try:
            now = self._path.stat()
        except OSError:
            return False
        if (now.st_dev, now.st_ino) == (held.st_dev, held.st_ino):
            if now.st_size < self._stream.tell():
                self._stream.seek(0)
                self._half = b""
                return True
            return False
        # The writer may have written between our last read and its rename.
        if held.st_size > self._stream.tell():
            return True
        self._half = b""
        successor = self._path
        for rotated in rotations(self._path):
            if _inode(rotated) == (held.st_dev, held.st_ino):
                break
            successor = rotated
        self.close()
        return self._open(successor)

    def _open(self, path: Path) -> bool:
        try:
            self._stream = path.open("rb")
        except OSError:
            return False
        return True

    def _tail(self, last: int) -> Iterator[bytes]:
        """The last lines there are, and the stream placed behind them."""
        wanted: list[bytes] = []
        if self._open(self._path) and self._stream is not None:
            wanted = list(self._read())
        for rotated in rotations(self._path):
            if len(wanted) >= last:
                break
            wanted = [line for line in rotated.read_bytes().split(b"\n") if line] + wanted
        yield from wanted[len(wanted) - last if len(wanted) > last else 0 :]


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
