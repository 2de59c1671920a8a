"""What the service manager is told: ready, alive, reloading, stopping (sd_notify(3))."""

import contextlib
import os
import socket
import time
from collections.abc import Awaitable, Callable, Mapping

import anyio

from recalld.counters import Counters
from recalld.errors import Corrupt, Unavailable

PING_LIMIT_S = 2.0


class Notifier:
    """Datagrams to ``$NOTIFY_SOCKET``. Without one, or with a dead or full one, nothing happens."""

    def __init__(self, address: str | None) -> None:
        # A leading @ stands for the abstract namespace.
        self._address = "\0" + address[1:] if address and address[0] == "@" else address

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Notifier":
        return cls(environ.get("NOTIFY_SOCKET"))

    def tell(self, *lines: str) -> None:
        if not self._address:
            return
        flags = socket.SOCK_DGRAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC
        with socket.socket(socket.AF_UNIX, flags) as speaker, contextlib.suppress(OSError):
            speaker.sendto("\n".join(lines).encode(), self._address)

    def ready(self) -> None:
        self.tell("READY=1", f"MAINPID={os.getpid()}")

    def stopping(self) -> None:
        self.tell("STOPPING=1")

    def reloading(self) -> None:
        """``ready`` ends it."""
        self.tell("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1_000}")

    def beat(self) -> None:
        self.tell("WATCHDOG=1")


def watchdog_period_s(environ: Mapping[str, str], *, pid: int) -> float | None:
    """What the manager expects between two beats; None when it expects none of this process."""
    try:
        period_us = int(environ.get("WATCHDOG_USEC", "0"))
        watched = int(environ.get("WATCHDOG_PID", str(pid)))
    except ValueError:
        return None
    return period_us / 1e6 if period_us > 0 and watched == pid else None


async def beat_while_alive(
    beat: Callable[[], None],
    *,
    period_s: float,
    ping_store: Callable[[], Awaitable[object]],
    counters: Counters,
) -> None:
    """Beat at half the period, each time after the store answered. Alive means able to work.

    A loop that hangs does not get here, so the beats stop.
    """
    while True:
        answered = False
        with anyio.move_on_after(min(PING_LIMIT_S, period_s / 2)):
            try:
                await ping_store()
                answered = True
            except (Unavailable, Corrupt):
                answered = False
        if answered:
            beat()
        else:
            counters.add("watchdog.missed")
        await anyio.sleep(period_s / 2)
