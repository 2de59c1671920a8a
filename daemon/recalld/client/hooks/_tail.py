"""The last lines of a file that a host goes on writing."""

import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A turn with many tool results in it; what was said before it is too far back to look for.
MOST_BYTES = 8 << 20
_BLOCK_BYTES = 1 << 18


def lines_from_the_end(path: str, *, until: float) -> "Iterator[bytes]":
    """The last line first, without line ends; the last may be half written.

    Ends early ``MOST_BYTES`` before the end and at ``until``. Nothing of what is no plain file or
    cannot be read.
    """
    try:
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(os.path.expanduser(path), flags)  # noqa: PTH111
    except (OSError, ValueError):
        return
    try:
        facts = os.fstat(descriptor)
        if stat.S_ISREG(facts.st_mode):
            yield from _backwards(descriptor, facts.st_size, until)
    except OSError:
        return
    finally:
        os.close(descriptor)


def _backwards(descriptor: int, size: int, until: float) -> "Iterator[bytes]":
    position, first = size, max(0, size - MOST_BYTES)
    rest = b""
    while position > first and time.monotonic() < until:
        start = max(first, position - _BLOCK_BYTES)
        block = os.pread(descriptor, position - start, start)
        if len(block) < position - start:
            return  # cut meanwhile
        position = start
        head, *lines = (block + rest).split(b"\n")
        yield from reversed(lines)
        rest = head
    if position == 0:
        yield rest
