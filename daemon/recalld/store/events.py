"""The log of acknowledged events: durable before the answer, one sync for many of them."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from recalld.counters import Counters
from recalld.errors import BadRequest, RecalldError, Unavailable
from recalld.store import event_table
from recalld.store.bridge import Database
from recalld.store.event_table import Accepted, Batch, NewEvent, Reply, StoredEvent

__all__ = ["Accepted", "EventLog", "NewEvent", "StoredEvent", "open_event_log"]

BATCH_EVENTS = 64
# Events and replies waiting for a batch; a full queue makes ``append`` wait for room.
QUEUE_ITEMS = 1_024


@dataclass(slots=True, kw_only=True, eq=False)
class _Ticket:
    """One caller's wait for one event, which is None once nobody waits for it any more."""

    event: NewEvent | None
    done: anyio.Event = field(default_factory=anyio.Event)
    outcome: Accepted | RecalldError | None = None

    def settle(self, outcome: Accepted | RecalldError) -> None:
        self.outcome = outcome
        self.done.set()


_Item = _Ticket | Reply

# What the caller knows the texts of an event by.
_KEYS = {
    "event_id": "params.event_id",
    "kind": "method",
    "session_key": "params.session.key",
    "agent": "params.session.agent",
    "workspace": "params.session.workspace",
    "at": "params.at",
}


class EventLog:
    """Appends events in batches, each one transaction and one sync.

    A batch is what queued up while the previous one was being synced, at most ``BATCH_EVENTS``:
    nobody waits for a batch to fill, and a lone event costs one sync.
    """

    def __init__(
        self, database: Database, *, now: Callable[[], datetime], counters: Counters
    ) -> None:
        self._database = database
        self._now = now
        self._counters = counters
        self._send: MemoryObjectSendStream[_Item]
        self._receive: MemoryObjectReceiveStream[_Item]
        self._send, self._receive = anyio.create_memory_object_stream[_Item](QUEUE_ITEMS)

    async def append(self, event: NewEvent) -> Accepted:
        """Keep ``event``; durable when this returns.

        The same (session_key, kind, event_id) within 24 h is not kept again: the first one's
        number and answer come back. Cancelled, the event is kept or not, and a repeat with its
        id is safe.
        ``Unavailable`` when it is not kept (disk, lock, shutdown); ``BadRequest`` for text that
        is not Unicode.
        """
        _require_unicode(event)
        ticket = _Ticket(event=event)
        await self._offer(ticket)
        try:
            await ticket.done.wait()
        finally:
            # A store that hangs leaves the ticket in the queue; the text must not wait with it.
            ticket.event = None
        if isinstance(ticket.outcome, Accepted):
            return ticket.outcome
        raise ticket.outcome or Unavailable("store", "the event log ended")

    async def record_reply(self, seq: int, reply: bytes) -> None:
        """Remember the first answer to event ``seq`` for its duplicates.

        Returns once it is queued. An answer lost to a crash or a full disk (counted as
        ``store.reply_lost``) leaves duplicates with ``reply=None``.
        """
        await self._offer(Reply(seq=seq, reply=reply))

    async def count(self) -> int:
        """How many events are kept."""
        return await self._database.read(event_table.count)

    async def events_of(
        self, session_key: str, *, after_seq: int = 0, limit: int = 1_000
    ) -> tuple[StoredEvent, ...]:
        """The events of one session behind ``after_seq``, oldest first, at most ``limit``."""
        return await self._database.read(
            partial(
                event_table.events_of, session_key=session_key, after_seq=after_seq, limit=limit
            )
        )

    async def run(self) -> None:
        """Write batches until the log is closed and its queue is empty.

        Cancelled, it refuses what is queued and everything after, so that no caller is left
        waiting.
        """
        try:
            async for first in self._receive:
                await self._write_batch([first, *self._queued()])
        finally:
            self._send.close()
            while items := self._queued():
                for item in items:
                    self._refuse(item, Unavailable("store", "the event log ended"))
            self._receive.close()

    def close(self) -> None:
        """Take no more events; ``run`` returns when those queued are kept."""
        self._send.close()

    async def _offer(self, item: _Item) -> None:
        try:
            await self._send.send(item)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise Unavailable("store", "the event log is closed") from error

    def _queued(self) -> list[_Item]:
        items: list[_Item] = []
        while len(items) < BATCH_EVENTS - 1:
            try:
                items.append(self._receive.receive_nowait())
            except (anyio.WouldBlock, anyio.EndOfStream):
                break
        return items

    async def _write_batch(self, items: Sequence[_Item]) -> None:
        waited_for = [(i, i.event) for i in items if isinstance(i, _Ticket) and i.event is not None]
        tickets = [ticket for ticket, _ in waited_for]
        replies = [i for i in items if isinstance(i, Reply)]
        batch = Batch(
            events=tuple(event for _, event in waited_for), replies=tuple(replies), now=self._now()
        )
        verdict: Sequence[Accepted | RecalldError]
        lost: RecalldError = Unavailable("store", "the event log ended")
        verdict = [lost] * len(tickets)
        try:
            verdict = await self._database.write(batch.store)
        except RecalldError as error:
            verdict = [error] * len(tickets)
            self._counters.add("store.event_refused", len(tickets))
            self._counters.add("store.reply_lost", len(replies))
        finally:
            for ticket, outcome in zip(tickets, verdict, strict=True):
                ticket.settle(outcome)

    def _refuse(self, item: _Item, error: RecalldError) -> None:
        if isinstance(item, _Ticket):
            item.settle(error)
        else:
            self._counters.add("store.reply_lost")


@asynccontextmanager
async def open_event_log(
    database: Database, *, now: Callable[[], datetime], counters: Counters
) -> AsyncIterator[EventLog]:
    """An event log with its writer running; leaving the block keeps what is queued first."""
    log = EventLog(database, now=now, counters=counters)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(log.run)
        try:
            yield log
        finally:
            log.close()


def _require_unicode(event: NewEvent) -> None:
    for name, key in _KEYS.items():
        value = getattr(event, name)
        if value is not None and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise BadRequest(key, "has a lone surrogate") from error
