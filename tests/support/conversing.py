"""A connection that is served over a wire in memory, and what its client says and hears."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import msgspec
import orjson

from recalld.counters import Counters
from recalld.server.connection import Connection
from recalld.server.lines import Wire
from recalld.server.policy import ServerPolicy
from recalld.server.traffic import Traffic
from support.answers import ScriptedAnswerer
from support.wires import MemoryWire, read_lines, wire_pair


@dataclass
class Served:
    """A connection being served, and the client's end of it."""

    client: MemoryWire
    connection: Connection
    answerer: ScriptedAnswerer
    counters: Counters
    traffic: Traffic

    async def say(self, *requests: object) -> None:
        for request in requests:
            await self.say_raw(orjson.dumps(request) + b"\n")

    async def say_raw(self, data: bytes) -> None:
        await self.client.send_some(memoryview(data))

    def balance(self) -> tuple[int, int, int, int]:
        """Sent, answered, refused, dropped."""
        names = ("sent", "answered", "refused", "dropped")
        sent, answered, refused, dropped = (self.counters.get(f"requests.{n}") for n in names)
        return sent, answered, refused, dropped


@asynccontextmanager
async def served(
    *, capacity: float = math.inf, answerer: ScriptedAnswerer | None = None, **limits: object
) -> AsyncIterator[Served]:
    """``limits`` are the policy's; at the end every request must have been settled."""
    client, server = wire_pair(capacity)
    counters = Counters()
    traffic = Traffic(counters)
    answerer = answerer or ScriptedAnswerer()
    connection = Connection(
        server,
        answerer=answerer,
        policy=msgspec.convert(limits, ServerPolicy),
        traffic=traffic,
        counters=counters,
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(connection.serve)
        yield Served(client, connection, answerer, counters, traffic)
        await client.aclose()
    assert traffic.pending == 0


def call(number: int, method: str = "ping", **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


async def replies(wire: Wire, count: int) -> list[Any]:
    """What the next ``count`` lines say."""
    return [orjson.loads(line) for line in await read_lines(wire, count)]
