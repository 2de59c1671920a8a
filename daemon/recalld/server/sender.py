"""What one peer is told: queued in order, written by one task, settled when it has left."""

import anyio

from recalld.counters import Counters
from recalld.server.lines import PeerGone, Wire
from recalld.server.outbox import Outbox, Parcel
from recalld.server.policy import ServerPolicy
from recalld.server.traffic import Outcome, Traffic


class Sender:
    """Every parcel it is given ends written and settled, or lost; ``run`` may run once.

    Counted: ``connections.write_stall``.
    """

    def __init__(
        self, wire: Wire, *, policy: ServerPolicy, traffic: Traffic, counters: Counters
    ) -> None:
        self._wire = wire
        self._stall_s = policy.write_stall_s
        self._traffic = traffic
        self._counters = counters
        self._outbox = Outbox(policy.output_queue_bytes)
        # Of the write under way, where it carries nothing but events.
        self._patience: anyio.CancelScope | None = None

    async def send(self, parcel: Parcel) -> None:
        """Wait for room and queue; cancelled while waiting, the parcel is lost."""
        queued = False
        try:
            await self._outbox.put(parcel)
            queued = True
        finally:
            if not queued:
                self.lose(parcel)

    def lose(self, parcel: Parcel) -> None:
        """Its requests count as dropped, and what it told is taken back."""
        for _ in parcel.outcomes:
            self._traffic.settle(Outcome.DROPPED)
        for take_back in parcel.undelivered:
            take_back()

    def lose_queued(self) -> None:
        """Nobody writes any more."""
        for parcel in self._outbox.leftovers():
            self.lose(parcel)

    def finish(self) -> None:
        """Nothing will be sent any more; ``run`` ends after what waits."""
        self._outbox.finish()

    def hurry(self, within_s: float) -> None:
        """End a write of nothing but events ``within_s`` from now."""
        if self._patience is not None:
            self._patience.deadline = anyio.current_time() + within_s

    async def run(self) -> None:
        """Write until finished. After a write that failed or was cut short nothing is written.

        ``PeerGone`` when the peer is, or takes nothing for the stall limit.
        """
        while parcels := await self._outbox.take():
            await self._write_out(parcels)
        await self._wire.send_eof()

    async def _write_out(self, parcels: tuple[Parcel, ...]) -> None:
        written = False
        owed = any(parcel.outcomes for parcel in parcels)
        try:
            await self._send_all(b"".join(parcel.data for parcel in parcels), owed=owed)
            written = True
        finally:
            for parcel in parcels:
                if written:
                    for outcome in parcel.outcomes:
                        self._traffic.settle(outcome)
                else:
                    self.lose(parcel)

    async def _send_all(self, data: bytes, *, owed: bool) -> None:
        """Nothing but events is not ``owed``: a subscriber that stays may take its time, and
        loses events meanwhile, not its connection."""
        view = memoryview(data)
        unsent = self._wire.unsent_bytes()
        while view:
            sent = 0
            with anyio.move_on_after(self._stall_s) as taking:
                self._patience = None if owed else taking
                sent = await self._wire.send_some(view)
            stalled = not sent and self._wire.unsent_bytes() >= unsent
            if stalled and (owed or self._outbox.is_finished):
                self._counters.add("connections.write_stall")
                raise PeerGone
            unsent = self._wire.unsent_bytes()
            view = view[sent:]
