"""Duplex byte wires in memory, for connections without a socket."""

import math
from collections.abc import Callable

import anyio

from recalld.server.lines import PeerGone, Wire


class MemoryWire:
    """One end of a pair. ``capacity`` chunks fit before a sender waits."""

    def __init__(self, receive, send) -> None:
        self._receive = receive
        self._send = send
        self._rest = b""
        self.stuck = False

    async def receive_some(self, max_bytes: int) -> bytes:
        if not self._rest:
            try:
                self._rest = await self._receive.receive()
            except anyio.EndOfStream:
                return b""
            except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
                raise PeerGone from error
        taken, self._rest = self._rest[:max_bytes], self._rest[max_bytes:]
        return taken

    async def send_some(self, data: memoryview) -> int:
        try:
            await self._send.send(bytes(data))
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise PeerGone from error
        return len(data)

    def unsent_bytes(self) -> int:
        return 0

    async def send_eof(self) -> None:
        self._send.close()

    async def aclose(self) -> None:
        self._send.close()
        self._receive.close()


def wire_pair(capacity: float = math.inf) -> tuple[MemoryWire, MemoryWire]:
    """What one sends, the other receives, in chunks as they were sent."""
    to_server, at_server = anyio.create_memory_object_stream[bytes](capacity)
    to_client, at_client = anyio.create_memory_object_stream[bytes](capacity)
    return MemoryWire(at_client, to_server), MemoryWire(at_server, to_client)


async def read_until(wire: Wire, done: Callable[[bytes], bool]) -> bytes:
    """Everything received until ``done`` or the end of the stream."""
    received = b""
    while not done(received):
        chunk = await wire.receive_some(65_536)
        if not chunk:
            break
        received += chunk
    return received


async def read_lines(wire: Wire, count: int) -> list[bytes]:
    """``count`` lines, fewer at the end of the stream."""
    received = await read_until(wire, lambda data: data.count(b"\n") >= count)
    return received.splitlines()


async def read_rest(wire: Wire) -> list[bytes]:
    """Every line until the stream ends."""
    return (await read_until(wire, lambda _: False)).splitlines()
