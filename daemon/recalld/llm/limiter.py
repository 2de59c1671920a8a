"""When an endpoint that said "too many requests" may be asked again."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime

import anyio

DEFAULT_PAUSE_S = 30.0
# A server that wants a day is asked again after an hour; it can say so again.
LONGEST_PAUSE_S = 3_600.0
JITTER_S = 1.0


class Limiter:
    """Pauses by place (scheme, host and port). A pause is no outage: it ends when it ends.

    Whoever answers a person asks ``pause_s`` and goes on without; whoever works in the
    background takes a ``turn``. ``jitter`` draws from [0, 1).
    """

    def __init__(self, *, jitter: Callable[[], float]) -> None:
        self._jitter = jitter
        self._until: dict[str, float] = {}
        self._turns: dict[str, anyio.Lock] = {}

    def pause_s(self, place: str) -> float:
        """Seconds until ``place`` may be asked; 0: now."""
        return max(0.0, self._until.get(place, 0.0) - anyio.current_time())

    def pause(self, place: str, retry_after_s: float | None) -> None:
        """``place`` answered 429. A pause only ever grows."""
        wanted = DEFAULT_PAUSE_S if retry_after_s is None else retry_after_s
        until = anyio.current_time() + min(max(0.0, wanted), LONGEST_PAUSE_S)
        self._until[place] = max(until, self._until.get(place, 0.0))

    @asynccontextmanager
    async def turn(self, place: str) -> AsyncIterator[None]:
        """One background user at a time, and none within a pause (plus up to a second)."""
        async with self._turns.setdefault(place, anyio.Lock()):
            # Somebody who did not wait may have been told to wait again meanwhile.
            while (left_s := self.pause_s(place)) > 0:  # noqa: ASYNC110  (time is what is waited for)
                await anyio.sleep(left_s + JITTER_S * self._jitter())
            yield


def retry_after_s(value: str | None, *, date: str | None) -> float | None:
    """The seconds a ``Retry-After`` header names; a date counts from the ``Date`` header.

    None where it names none that can be read.
    """
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(
            0.0, (parsedate_to_datetime(text) - parsedate_to_datetime(date or "")).total_seconds()
        )
    except (ValueError, TypeError):
        return None
