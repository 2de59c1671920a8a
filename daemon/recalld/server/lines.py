"""Lines out of a byte stream, bounded in length and in patience."""

from typing import Protocol

import anyio

CHUNK_BYTES = 65_536


class PeerGone(Exception):
    """The other side closed, reset or stopped taking bytes. Nothing more can be said to it."""


class LineTooLong(Exception):
    """The peer sent more than the limit without a newline."""


class LineStalled(Exception):
    """The peer began a line and fell silent."""


class Wire(Protocol):
    """A duplex byte stream. Every method raises ``PeerGone`` once the peer is gone."""

    async def receive_some(self, max_bytes: int) -> bytes:
        """Empty at the end of the stream."""

    async def send_some(self, data: memoryview) -> int:
        """How many bytes were taken; when cancelled, none were."""

    def unsent_bytes(self) -> int:
        """What the kernel still holds for the peer; sinking means that the peer reads."""

    async def send_eof(self) -> None: ...

    async def aclose(self) -> None: ...


class LineReader:
    """Splits at ``\\n`` only. What follows the last newline is no line and is dropped."""

    def __init__(self, wire: Wire, *, max_bytes: int, idle_s: float) -> None:
        self._wire = wire
        self._max_bytes = max_bytes
        self._idle_s = idle_s
        self._buffer = bytearray()
        self._scanned = 0

    @property
    def partial_bytes(self) -> int:
        """Bytes received that do not make a line yet, or lines not asked for yet."""
        return len(self._buffer)

    async def next(self) -> bytes | None:
        """The next line without its newline, None at the end.

        Raise ``LineTooLong``, or ``LineStalled`` when a begun line does not grow for the idle
        time. Between lines there is no limit to silence.
        """
        while (end := self._buffer.find(b"\n", self._scanned)) < 0:
            self._scanned = len(self._buffer)
            if self._scanned > self._max_bytes:
                raise LineTooLong
            chunk = await self._more()
            if not chunk:
                return None
            self._buffer += chunk
        if end > self._max_bytes:
            raise LineTooLong
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._scanned = 0
        return line

    async def _more(self) -> bytes:
        if not self._buffer:
            return await self._wire.receive_some(CHUNK_BYTES)
        with anyio.move_on_after(self._idle_s):
            return await self._wire.receive_some(CHUNK_BYTES)
        raise LineStalled

    async def discard(self, *, patience_s: float) -> None:
        """Read and forget until the peer stops, or patience ends: it may be blocked in a write."""
        self._buffer.clear()
        with anyio.move_on_after(patience_s):
            while await self._wire.receive_some(CHUNK_BYTES):
                pass
