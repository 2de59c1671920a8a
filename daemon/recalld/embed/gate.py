"""Slots of an engine: queries first, and what is stuck in a slot does not stop the rest."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from recalld.counters import Counters
from recalld.embed.port import Purpose
from recalld.errors import Unavailable


@dataclass(eq=False)
class Slot:
    """The right to run one call. ``finished`` is set by the thread that does the work."""

    started: bool = False
    finished: bool = False


@dataclass(eq=False)
class _Waiter:
    granted: anyio.Event = field(default_factory=anyio.Event)


class WorkerGate:
    """Lends ``slots`` slots, to queries before all others; first come, first served among equals.

    A slot whose call was cancelled while it still runs is abandoned: it is replaced from
    ``spares``, and comes back as a spare when the work ends after all. With no spare left and
    every slot stuck, ``enter`` raises ``Unavailable`` instead of waiting.

    Counted: ``embed.abandoned``, ``embed.recovered``, ``embed.refused``.
    """

    def __init__(self, *, slots: int, spares: int, counters: Counters) -> None:
        self._free = slots
        self._slots = slots
        self._spares = spares
        self._counters = counters
        self._stuck: list[Slot] = []
        self._in_use = 0
        self._queries: deque[_Waiter] = deque()
        self._others: deque[_Waiter] = deque()

    @property
    def stuck(self) -> int:
        """Calls that were given up and still run."""
        self._reap()
        return len(self._stuck)

    @asynccontextmanager
    async def enter(self, purpose: Purpose) -> AsyncIterator[Slot]:
        """Hold a slot for the length of the block."""
        await self._acquire(purpose)
        slot = Slot()
        try:
            yield slot
        finally:
            self._leave(slot)

    async def _acquire(self, purpose: Purpose) -> None:
        self._reap()
        if self._free and not self._queries and (purpose is Purpose.QUERY or not self._others):
            self._take()
            return
        if not self._free and not self._in_use:
            self._counters.add("embed.refused")
            raise Unavailable("embedder", f"{len(self._stuck)} calls hang and hold every slot")
        waiter = _Waiter()
        line = self._queries if purpose is Purpose.QUERY else self._others
        line.append(waiter)
        try:
            await waiter.granted.wait()
        except BaseException:
            if waiter.granted.is_set():
                self._give_back()
            else:
                line.remove(waiter)
            raise

    def _take(self) -> None:
        self._free -= 1
        self._in_use += 1

    def _give_back(self) -> None:
        self._in_use -= 1
        self._free += 1
        self._grant()

    def _leave(self, slot: Slot) -> None:
        if slot.finished or not slot.started:
            self._give_back()
            return
        self._counters.add("embed.abandoned")
        self._stuck.append(slot)
        self._in_use -= 1
        if self._spares:
            self._spares -= 1
            self._free += 1
        self._grant()

    def _grant(self) -> None:
        while self._free and (self._queries or self._others):
            waiter = (self._queries or self._others).popleft()
            self._take()
            waiter.granted.set()

    def _reap(self) -> None:
        ended = [slot for slot in self._stuck if slot.finished]
        for slot in ended:
            self._stuck.remove(slot)
            self._counters.add("embed.recovered")
            if self._free + self._in_use < self._slots:
                self._free += 1
            else:
                self._spares += 1
