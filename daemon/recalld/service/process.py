"""The process itself: its limits, its size, and how long its loop was busy at a stretch."""

import contextlib
import ctypes
import os
import resource
import time
from pathlib import Path

import trio

from recalld.counters import Counters

PR_SET_DUMPABLE = 4
_STATM = Path("/proc/self/statm")


def harden(counters: Counters) -> None:
    """No core dumps: memory holds what the user wrote. Best effort, never fatal."""
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (OSError, ValueError):
        counters.add("process.core_limit_refused")
    with contextlib.suppress(OSError, AttributeError):
        if ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
            counters.add("process.dumpable_refused")


def rss_bytes() -> int:
    """Resident memory; 0 where the kernel does not tell."""
    try:
        pages = int(_STATM.read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


class LoopLag(trio.abc.Instrument):
    """The longest time the loop ran without looking at its sockets and timers.

    Measured at every turn of the loop, so it needs no wake-ups and misses nothing.
    """

    def __init__(self) -> None:
        self.max_ms = 0.0
        self._since: float | None = None

    def after_io_wait(self, timeout: float) -> None:
        del timeout
        self._since = time.perf_counter()

    def before_io_wait(self, timeout: float) -> None:
        del timeout
        if self._since is not None:
            self.max_ms = max(self.max_ms, (time.perf_counter() - self._since) * 1_000)
