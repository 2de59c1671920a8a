"""The balance of requests: every one received ends answered, refused or dropped."""

from enum import StrEnum

from recalld.counters import Counters


class Outcome(StrEnum):
    """``ANSWERED``: a result left, or a notification was handled. ``REFUSED``: an error left, or
    a notification was not handled. ``DROPPED``: the peer was gone before it could be told.
    """

    ANSWERED = "answered"
    REFUSED = "refused"
    DROPPED = "dropped"


class Traffic:
    """Counts requests at both ends of their life."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._pending = 0

    @property
    def pending(self) -> int:
        """Received, and neither answered, refused nor dropped yet."""
        return self._pending

    def receive(self) -> None:
        self._counters.add("requests.sent")
        self._pending += 1

    def settle(self, outcome: Outcome) -> None:
        self._counters.add(f"requests.{outcome}")
        self._pending -= 1
