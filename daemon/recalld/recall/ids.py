"""Trace ids that sort by time: 48 bits of milliseconds, 80 of chance, 26 Crockford characters."""

from collections.abc import Callable

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = tuple(first + second for first in _ALPHABET for second in _ALPHABET)
_SHIFTS = range(120, -1, -10)
_CHANCE_BITS = 80
_CHARS = 26


class TraceIds:
    """Gives ids that only ever grow, also within a millisecond and over a clock set back."""

    def __init__(self, *, now_ms: Callable[[], int], chance: Callable[[int], int]) -> None:
        """``chance(n)`` gives n random bits, as ``secrets.randbits`` does."""
        self._now_ms = now_ms
        self._chance = chance
        self._last = 0

    def next(self) -> str:
        fresh = self._now_ms() << _CHANCE_BITS | self._chance(_CHANCE_BITS)
        self._last = fresh if fresh >> _CHANCE_BITS > self._last >> _CHANCE_BITS else self._last + 1
        return "".join([_PAIRS[self._last >> shift & 1_023] for shift in _SHIFTS])


def is_trace_id(text: str) -> bool:
    """Whether ``text`` has the shape of an id, so that it may be looked for in a file."""
    return len(text) == _CHARS and all(char in _ALPHABET for char in text)
