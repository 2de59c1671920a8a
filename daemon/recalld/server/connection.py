"""One connection: a reader, at most so many requests in flight, and one writer."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol

import anyio
from anyio.abc import TaskGroup

from recalld.counters import Counters
from recalld.server.batch import Batch
from recalld.server.dispatch import Answer, refused, shutting_down
from recalld.server.hub import Subscription
from recalld.server.lines import LineReader, LineStalled, LineTooLong, PeerGone, Wire
from recalld.server.outbox import Outbox, Parcel
from recalld.server.policy import ServerPolicy
from recalld.server.traffic import Outcome, Traffic
from recalld.server.wire import (
    Code,
    Parsed,
    Request,
    WireError,
    encode_notification,
    parse,
)

# A peer blocked in its write cannot read why it is being closed; it gets this long to finish.
LINGER_S = 1.0
# After the last reply of a drain: what the kernel already holds is still read and refused.
QUIET_S = 0.02


class TooManyErrors(Exception):
    """So many bad lines in a row that the peer speaks something else."""


class Answerer(Protocol):
    """Whatever turns a request into its answer; never raises but for cancellation."""

    async def answer(self, request: Request) -> Answer: ...


class Connection:
    """Serves one wire until either side is done. ``serve`` may run once."""

    def __init__(  # noqa: PLR0913 (the composition's arguments, keyword only)
        self,
        wire: Wire,
        *,
        answerer: Answerer,
        policy: ServerPolicy,
        traffic: Traffic,
        counters: Counters,
        reader: Callable[[bytes], Parsed | tuple[Parsed, ...] | None] | None = None,
    ) -> None:
        """``reader`` makes sense of a line, None for nothing to do; the default is ``parse``."""
        self._wire = wire
        self._answerer = answerer
        self._parse = reader or partial(parse, max_depth=policy.max_depth, max_batch=policy.batch)
        self._policy = policy
        self._traffic = traffic
        self._counters = counters
        self._lines = LineReader(
            wire, max_bytes=policy.max_line_bytes, idle_s=policy.partial_line_idle_s
        )
        self._outbox = Outbox(policy.output_queue_bytes)
        self._slots = anyio.Semaphore(policy.in_flight, fast_acquire=True)
        self._running: set[anyio.CancelScope] = set()
        self._batches: list[Batch] = []
        self._subscriptions: list[Subscription] = []
        self._errors = 0
        self._reading = anyio.CancelScope()
        self._draining = False
        # Of the write under way, where it carries nothing but events.
        self._patience: anyio.CancelScope | None = None
        self._ended = anyio.Event()

    async def greet(self, line: bytes) -> None:
        """Queue the first line of a conversation that we begin."""
        await self._send(Parcel(data=line + b"\n"))

    async def serve(self) -> None:
        """Return when both directions are finished; every request received is settled then."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._write, tasks)
                await self._converse(tasks)
        finally:
            for parcel in self._outbox.leftovers():
                self._lose(parcel)
            for batch in self._batches:
                self._lose(_parcel_of(batch, b""))
            for subscription in self._subscriptions:
                subscription.close()
            self._ended.set()
            with anyio.CancelScope(shield=True):
                await self._wire.aclose()

    async def _converse(self, tasks: TaskGroup) -> None:
        """Read and answer; at the end the pending replies are written, then all else stops."""
        async with anyio.create_task_group() as pumps:
            async with anyio.create_task_group() as requests:
                linger = await self._read(requests, pumps)
            pumps.cancel_scope.cancel()
        self._outbox.finish()
        if linger:
            tasks.start_soon(self._lines_discarded)

    async def _lines_discarded(self) -> None:
        try:
            await self._lines.discard(patience_s=LINGER_S)
        except PeerGone:
            self._counters.add("connections.gone")

    async def _read(self, requests: TaskGroup, pumps: TaskGroup) -> bool:
        """True when the peer may still be sending what nobody will read."""
        with self._reading:
            try:
                await self._read_lines(requests, pumps)
            except PeerGone:
                self._counters.add("connections.gone")
            except LineStalled:
                self._counters.add("connections.stalled_line")
            except LineTooLong:
                limit = self._policy.max_line_bytes
                self._traffic.receive()
                await self._put(
                    refused(
                        WireError(
                            code=Code.NOT_A_REQUEST, message=f"a line is at most {limit} bytes"
                        )
                    )
                )
                self._counters.add("connections.long_line")
                return True
            except TooManyErrors:
                self._counters.add("connections.too_many_errors")
                return True
        return False

    async def _read_lines(self, requests: TaskGroup, pumps: TaskGroup) -> None:
        while True:
            await self._slots.acquire()
            line = await self._lines.next()
            if line is None:
                if self._lines.partial_bytes:
                    self._counters.add("connections.torn_line")
                return
            await self._take(line, requests, pumps)

    async def _take(self, line: bytes, requests: TaskGroup, pumps: TaskGroup) -> None:
        """Start what the line asks for; the slot is held by it, or given back here."""
        parsed = self._parse(line) if line.strip() else None
        if parsed is None:
            self._slots.release()
            return
        if isinstance(parsed, tuple):
            self._slots.release()
            await self._take_batch(parsed, requests, pumps)
            return
        self._traffic.receive()
        if isinstance(parsed, WireError):
            self._slots.release()
            if parsed.answered:
                await self._put(refused(parsed))
            else:
                self._settle((Outcome.REFUSED,))
            self._note_error(parsed)
            return
        self._errors = 0
        requests.start_soon(self._run, parsed, None, pumps)

    async def _take_batch(
        self, items: tuple[Parsed, ...], requests: TaskGroup, pumps: TaskGroup
    ) -> None:
        batch = Batch(open=len(items))
        self._batches.append(batch)
        for item in items:
            self._traffic.receive()
            if isinstance(item, WireError):
                await self._collect(batch, refused(item), answered=item.answered)
                continue
            await self._slots.acquire()
            requests.start_soon(self._run, item, batch, pumps)

    def _note_error(self, error: WireError) -> None:
        # Who writes JSON speaks our language, however badly; HTTP and the like do not.
        if error.code is not Code.NOT_JSON:
            self._errors = 0
            return
        self._errors += 1
        if self._errors >= self._policy.errors_in_a_row:
            raise TooManyErrors

    async def _run(self, request: Request, batch: Batch | None, pumps: TaskGroup) -> None:
        try:
            answer = await self._answer(request)
            self._subscriptions += answer.opened
            opened: Iterable[Subscription] = answer.opened
            if batch is not None:
                batch.opened += answer.opened
                await self._collect(batch, answer, answered=request.answered)
                opened = batch.opened if batch.open == 0 else ()
            elif request.answered:
                await self._put(answer)
            else:
                self._settle((answer.outcome,))
            for subscription in opened:
                pumps.start_soon(self._pump, subscription)
        finally:
            self._slots.release()

    async def _answer(self, request: Request) -> Answer:
        if self._draining:
            return shutting_down(request)
        scope = anyio.CancelScope()
        self._running.add(scope)
        try:
            with scope:
                return await self._answerer.answer(request)
        except BaseException:
            # Cancelled from outside: the peer is gone and can't be told.
            self._drop((Outcome.ANSWERED,))
            raise
        finally:
            self._running.discard(scope)
        return shutting_down(request)

    async def _collect(self, batch: Batch, answer: Answer, *, answered: bool) -> None:
        batch.end_one(answer, answered=answered)
        if not answered:
            self._settle((answer.outcome,))
        if batch.open == 0:
            self._batches.remove(batch)
            reply = batch.reply()
            if reply is not None:
                await self._send(_parcel_of(batch, reply))

    async def _put(self, answer: Answer) -> None:
        parcel = Parcel(
            data=answer.body + b"\n",
            outcomes=(answer.outcome,),
            undelivered=answer.undelivered,
        )
        await self._send(parcel)

    async def _send(self, parcel: Parcel) -> None:
        queued = False
        try:
            await self._outbox.put(parcel)
            queued = True
        finally:
            if not queued:
                self._lose(parcel)

    def _lose(self, parcel: Parcel) -> None:
        self._drop(parcel.outcomes)
        for take_back in parcel.undelivered:
            take_back()

    def _drop(self, outcomes: Iterable[Outcome]) -> None:
        self._settle(Outcome.DROPPED for _ in outcomes)

    def _settle(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            self._traffic.settle(outcome)

    async def _pump(self, subscription: Subscription) -> None:
        """Carry one subscription's events to the peer, at the peer's pace, until it is closed."""
        while (delivery := await subscription.next()) is not None:
            event = delivery.event
            params = {
                "subscription": subscription.id,
                "kind": event.kind,
                "at": event.at,
                "data": event.data,
                "missed": delivery.missed,
            }
            await self._send(Parcel(data=encode_notification("event", params) + b"\n"))
        self._subscriptions.remove(subscription)

    async def _write(self, tasks: TaskGroup) -> None:
        """The only writer. After a write that failed or was cut short nothing is written."""
        try:
            while parcels := await self._outbox.take():
                await self._write_out(parcels)
            await self._wire.send_eof()
        except PeerGone:
            self._counters.add("connections.gone")
            tasks.cancel_scope.cancel()

    async def _write_out(self, parcels: tuple[Parcel, ...]) -> None:
        written = False
        owed = any(parcel.outcomes for parcel in parcels)
        try:
            await self._send_all(b"".join(parcel.data for parcel in parcels), owed=owed)
            written = True
        finally:
            for parcel in parcels:
                if written:
                    self._settle(parcel.outcomes)
                else:
                    self._lose(parcel)

    async def _send_all(self, data: bytes, *, owed: bool) -> None:
        """Raise ``PeerGone`` when the peer takes nothing for the stall limit.

        Nothing but events is not ``owed``: a subscriber that stays may take its time, and loses
        events meanwhile, not its connection.
        """
        view = memoryview(data)
        unsent = self._wire.unsent_bytes()
        while view:
            sent = 0
            with anyio.move_on_after(self._policy.write_stall_s) as taking:
                self._patience = None if owed else taking
                sent = await self._wire.send_some(view)
            stalled = not sent and self._wire.unsent_bytes() >= unsent
            if stalled and (owed or self._outbox.is_finished):
                self._counters.add("connections.write_stall")
                raise PeerGone
            unsent = self._wire.unsent_bytes()
            view = view[sent:]

    async def drain(self, drain_s: float) -> None:
        """Refuse what is new, give what runs ``drain_s``, refuse the rest, close."""
        self._draining = True
        with anyio.move_on_after(drain_s):
            while True:
                await anyio.sleep(QUIET_S)
                if not self._running:
                    break
        for scope in tuple(self._running):
            scope.cancel()
        self._reading.cancel()
        if self._patience is not None:
            self._patience.deadline = anyio.current_time() + LINGER_S
        await self._ended.wait()


def _parcel_of(batch: Batch, reply: bytes) -> Parcel:
    return Parcel(
        data=reply + b"\n",
        outcomes=tuple(batch.outcomes),
        undelivered=tuple(batch.undelivered),
    )
