"""Events to whoever asked for them. Publishing never waits; a slow subscriber loses events."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import anyio

from recalld.counters import Counters
from recalld.errors import Busy, NotFound
from recalld.server.wire import shown

MAX_SUBSCRIPTIONS = 256
RETRY_MS = 1_000


class EventKind(StrEnum):
    TRACE = "trace"
    RECALL = "recall"
    HEARTBEAT = "heartbeat"
    CHECKPOINT = "checkpoint"
    INDEX = "index"
    STATUS = "status"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened. ``workspace`` None concerns every workspace."""

    kind: EventKind
    at: datetime
    data: Mapping[str, object]
    workspace: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An event and how many the subscriber lost just before it."""

    event: Event
    missed: int


class Subscription:
    """One subscriber's queue. One task may wait on ``next`` at a time."""

    def __init__(
        self, name: str, *, kinds: frozenset[EventKind], workspace: str | None, bound: int
    ) -> None:
        self.id = name
        self.kinds = kinds
        self._workspace = workspace
        self._bound = bound
        self._waiting: deque[Event] = deque()
        self._missed = 0
        self._arrived = anyio.Event()
        self._closed = False

    def wants(self, event: Event) -> bool:
        here = self._workspace is None or event.workspace in (None, self._workspace)
        return here and event.kind in self.kinds

    def offer(self, event: Event) -> bool:
        """False when the queue is full and the event is lost."""
        if len(self._waiting) >= self._bound:
            self._missed += 1
            return False
        self._waiting.append(event)
        self._arrived.set()
        return True

    @property
    def is_closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """No more events; whoever waits is told."""
        self._closed = True
        self._arrived.set()

    async def next(self) -> Delivery | None:
        """The oldest event and how many were lost since the last one; None once closed."""
        while not self._waiting or self._closed:
            if self._closed:
                return None
            self._arrived = anyio.Event()
            await self._arrived.wait()
        delivery = Delivery(event=self._waiting.popleft(), missed=self._missed)
        self._missed = 0
        return delivery


class Hub:
    """All subscriptions of the daemon. Not thread-safe: the loop's own."""

    def __init__(self, *, queue: int, counters: Counters, new_id: Callable[[], str]) -> None:
        self._queue = queue
        self._counters = counters
        self._new_id = new_id
        self._subscriptions: dict[str, Subscription] = {}

    @property
    def subscribers(self) -> int:
        return sum(not subscription.is_closed for subscription in self._subscriptions.values())

    def listens(self, kind: EventKind) -> bool:
        """Whether anybody would be told of an event of that kind, in some workspace."""
        return any(
            kind in subscription.kinds and not subscription.is_closed
            for subscription in self._subscriptions.values()
        )

    def subscribe(self, kinds: frozenset[EventKind], *, workspace: str | None) -> Subscription:
        for name in [name for name, old in self._subscriptions.items() if old.is_closed]:
            del self._subscriptions[name]
        if len(self._subscriptions) >= MAX_SUBSCRIPTIONS:
            raise Busy(f"{MAX_SUBSCRIPTIONS} subscriptions", RETRY_MS)
        subscription = Subscription(
            self._new_id(), kinds=kinds, workspace=workspace, bound=self._queue
        )
        self._subscriptions[subscription.id] = subscription
        return subscription

    def unsubscribe(self, subscription_id: str) -> None:
        """Raise ``NotFound`` for an id that is not, or no longer, subscribed."""
        subscription = self._subscriptions.pop(subscription_id, None)
        if subscription is None:
            raise NotFound(f"subscription {shown(subscription_id)}")
        subscription.close()

    def publish(self, event: Event) -> None:
        for name, subscription in tuple(self._subscriptions.items()):
            if subscription.is_closed:
                del self._subscriptions[name]
            elif subscription.wants(event) and not subscription.offer(event):
                self._counters.add("events.missed")
