"""Virtual time for tests that draw their own examples."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio
from trio.testing import MockClock

T = TypeVar("T")


def run_virtual(work: Callable[[], Awaitable[T]]) -> T:
    """Run ``work`` under a fresh clock that jumps to the next deadline whenever all wait.

    Only for work without a thread or a socket: a task that waits for one looks idle to trio,
    and time would leap over it.
    """
    return trio.run(work, clock=MockClock(autojump_threshold=0))
