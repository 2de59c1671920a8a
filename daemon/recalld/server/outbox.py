"""Bytes waiting for one peer: bounded, in order, each with the outcome it stands for."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import anyio

from recalld.server.traffic import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """One line to write, and how many requests end with it in which way.

    ``undelivered`` is to be called where it is not written.
    """

    data: bytes
    outcomes: tuple[Outcome, ...] = ()
    undelivered: tuple[Callable[[], None], ...] = ()


class Outbox:
    """Many tasks put, one takes. A line larger than the bound passes when nothing else waits."""

    def __init__(self, bound_bytes: int) -> None:
        self._bound_bytes = bound_bytes
        self._parcels: deque[Parcel] = deque()
        self._bytes = 0
        self._filled = anyio.Event()
        self._emptied = anyio.Event()
        self._finished = False

    @property
    def is_finished(self) -> bool:
        """Whether nothing will be put any more."""
        return self._finished

    async def put(self, parcel: Parcel) -> None:
        """Wait for room, then queue. Cancelled while waiting, nothing is queued."""
        size = len(parcel.data)
        while self._bytes and self._bytes + size > self._bound_bytes:
            self._emptied = anyio.Event() if self._emptied.is_set() else self._emptied
            await self._emptied.wait()
        self._parcels.append(parcel)
        self._bytes += size
        self._filled.set()

    async def take(self) -> tuple[Parcel, ...]:
        """Everything that waits, at least one; empty once finished and written out."""
        while not self._parcels:
            if self._finished:
                return ()
            self._filled = anyio.Event()
            await self._filled.wait()
        return self.leftovers()

    def leftovers(self) -> tuple[Parcel, ...]:
        """Take what waits, without waiting."""
        parcels = tuple(self._parcels)
        self._parcels.clear()
        self._bytes = 0
        self._emptied.set()
        return parcels

    def finish(self) -> None:
        """Nothing will be put any more; ``take`` ends after what waits."""
        self._finished = True
        self._filled.set()
