"""A fault that repeats by the thousand leaves a few lines and a count, not a full disk."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

import structlog

from recalld.counters import Counters

# Of one kind, so many lines in a row are written as they come ...
BURST = 5
# ... and one in so much time after that. A kind that was silent for as long begins anew.
EVERY_S = 10.0
# Kinds remembered; the one unheard of for longest goes first.
MOST_KINDS = 256
# Only these are of faults; what is said once in a life or on demand is always said.
LIMITED = frozenset({"warning", "error", "critical"})

Event = MutableMapping[str, Any]


@dataclass(slots=True)
class _Kind:
    seen_s: float
    said_s: float
    said: int = 0
    suppressed: int = 0


class StormLimit:
    """A structlog processor. A line that stands for others carries ``suppressed``, their number.

    Counted as ``log.suppressed``. A kind is the event's name and, of a stage, the first word of
    the stage's name: what follows may name anything.
    """

    def __init__(self, *, counters: Counters, clock: Callable[[], float] = time.monotonic) -> None:
        self._counters = counters
        self._clock = clock
        self._lock = threading.Lock()
        self._kinds: OrderedDict[tuple[str, str], _Kind] = OrderedDict()

    def __call__(self, logger: object, method: str, event: Event) -> Event:
        """``event``; raise ``structlog.DropEvent`` where it is one too many."""
        del logger
        if event.get("level", method) not in LIMITED:
            return event
        with self._lock:
            suppressed = self._suppressed(_name_of(event))
        if suppressed is None:
            self._counters.add("log.suppressed")
            raise structlog.DropEvent
        return {**event, "suppressed": suppressed} if suppressed else event

    def _suppressed(self, name: tuple[str, str]) -> int | None:
        """How many lines this one stands for; None: it is not written."""
        now_s = self._clock()
        kind = self._kinds.pop(name, None)
        if kind is None:
            kind = _Kind(seen_s=now_s, said_s=now_s)
        elif now_s - kind.seen_s >= EVERY_S:
            kind.said = 0
        self._kinds[name] = kind
        if len(self._kinds) > MOST_KINDS:
            self._kinds.popitem(last=False)
        kind.seen_s = now_s
        if kind.said >= BURST and now_s - kind.said_s < EVERY_S:
            kind.suppressed += 1
            return None
        kind.said += 1
        kind.said_s = now_s
        standing_for, kind.suppressed = kind.suppressed, 0
        return standing_for


def _name_of(event: Event) -> tuple[str, str]:
    stage = str(event.get("stage", "")).split(" ", 1)[0]
    return str(event.get("event", "")), stage
