"""One connection: a reader, at most so many requests in flight, and one sender."""

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
from recalld.server.outbox import Parcel
from recalld.server.policy import ServerPolicy
from recalld.server.sender import Sender
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
        self._sender = Sender(wire, policy=policy, traffic=traffic, counters=counters)
        self._slots = anyio.Semaphore(policy.in_flight, fast_acquire=True)
        self._running: set[anyio.CancelScope] = set()
        self._batches: list[Batch] = []
        self._subscriptions: list[Subscription] = []
        self._errors = 0
        self._reading = anyio.CancelScope()
        self._draining = False
        self._ended = anyio.Event()

    async def greet(self, line: bytes) -> None:
        """Queue the first line of a conversation that we begin."""
        await self._sender.send(Parcel(data=line + b"\n"))

    async def serve(self) -> None:
        """Return when both directions are finished; every request received is settled then."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._write, tasks)
                await self._converse(tasks)
        finally:
            self._sender.lose_queued()
            for batch in self._batches:
                self._sender.lose(_parcel_of(batch, b""))
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
        self._sender.finish()
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
                self._traffic.settle(Outcome.REFUSED)
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
                self._traffic.settle(answer.outcome)
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
            self._traffic.settle(Outcome.DROPPED)
            raise
        finally:
            self._running.discard(scope)
        return shutting_down(request)

    async def _collect(self, batch: Batch, answer: Answer, *, answered: bool) -> None:
        batch.end_one(answer, answered=answered)
        if not answered:
            self._traffic.settle(answer.outcome)
        if batch.open == 0:
            self._batches.remove(batch)
            reply = batch.reply()
            if reply is not None:
                await self._sender.send(_parcel_of(batch, reply))

    async def _put(self, answer: Answer) -> None:
        parcel = Parcel(
            data=answer.body + b"\n",
            outcomes=(answer.outcome,),
            undelivered=answer.undelivered,
        )
        await self._sender.send(parcel)

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
            await self._sender.send(Parcel(data=encode_notification("event", params) + b"\n"))
        self._subscriptions.remove(subscription)

    async def _write(self, tasks: TaskGroup) -> None:
        try:
            await self._sender.run()
        except PeerGone:
            self._counters.add("connections.gone")
            tasks.cancel_scope.cancel()

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
        self._sender.hurry(LINGER_S)
        await self._ended.wait()


def _parcel_of(batch: Batch, reply: bytes) -> Parcel:
    return Parcel(
        data=reply + b"\n",
        outcomes=tuple(batch.outcomes),
        undelivered=tuple(batch.undelivered),
    )
