"""The process itself: its limits, its size, and how long its loop was busy at a stretch."""

import contextlib
import ctypes
import gc
import os
import resource
import time
from pathlib import Path

import trio

from recalld.counters import Counters

PR_SET_DUMPABLE = 4
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
# A block of this size is mapped by itself and unmapped when it is freed.
_OWN_PAGES_BYTES = 1024 * 1024
_GENERATIONS = (10_000, 20, 20)
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


def tame_memory(counters: Counters) -> None:
    """Give memory back, and do not look through what stays. Best effort, never fatal.

    Every thread has an arena of its own by default, and freed blocks below a limit that grows
    with use stay in it: 25 MB after an hour of indexing. What was imported lives until the end;
    left to the collector, each full collection walks it: 30 ms with the loop standing still.
    Recalls kept for explaining outlive the young generation, so it is made large: at 700 objects
    tracing cost a plain no 8 to 15 percent, at 10,000 it costs 3 to 5.
    """
    try:
        libc = ctypes.CDLL(None)
        if not (libc.mallopt(M_ARENA_MAX, 2) and libc.mallopt(M_MMAP_THRESHOLD, _OWN_PAGES_BYTES)):
            counters.add("process.malloc_refused")
    except (OSError, AttributeError):
        counters.add("process.malloc_refused")
    gc.freeze()
    gc.set_threshold(*_GENERATIONS)


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
