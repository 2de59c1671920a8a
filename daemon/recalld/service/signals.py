"""Signals as events of the loop, and the exit that cannot be prevented."""

import os
import signal
import threading
from collections.abc import Awaitable, Callable

import anyio

# After the first SIGTERM the process is gone by then, whatever hangs. The contract says 5 s.
LAST_MOMENT_S = 4.5


class StopRequest:
    """Set once somebody wants the daemon to end."""

    def __init__(self) -> None:
        self._event = anyio.Event()

    def set(self) -> None:
        self._event.set()

    async def wait(self) -> None:
        await self._event.wait()


async def obey(
    stop: StopRequest,
    *,
    reload: Callable[[], Awaitable[object]],
    dump: Callable[[], Awaitable[object]],
    leave: Callable[[int], None] = os._exit,
) -> None:
    """SIGTERM and SIGINT stop, a second one at once; SIGHUP reloads; SIGUSR1 dumps the state."""
    asked = False
    with anyio.open_signal_receiver(
        signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1
    ) as received:
        async for number in received:
            match number:
                case signal.SIGHUP:
                    await reload()
                case signal.SIGUSR1:
                    await dump()
                case _ if asked:
                    leave(0)
                case _:
                    asked = True
                    leave_by(LAST_MOMENT_S, leave=leave)
                    stop.set()


def leave_by(limit_s: float, *, leave: Callable[[int], None] = os._exit) -> None:
    """End the process then, even with a thread that never comes back."""
    timer = threading.Timer(limit_s, leave, (0,))
    timer.daemon = True
    timer.start()
