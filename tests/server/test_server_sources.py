"""Event sockets the daemon connects to, in virtual time."""

import itertools
from contextlib import asynccontextmanager
from typing import cast

import anyio
import orjson
import pytest

from recalld.counters import Counters
from recalld.server.dispatch import Dispatcher
from recalld.server.lines import PeerGone
from recalld.server.method import Method
from recalld.server.params import Params
from recalld.server.policy import ServerPolicy, SubscribeEntry
from recalld.server.services import Services
from recalld.server.sources import EventAnswerer, Sources
from recalld.server.traffic import Traffic
from support.wires import MemoryWire, read_lines, wire_pair

ENTRY = SubscribeEntry(socket="/run/source.sock", name="gateway")


class Anything(Params, frozen=True, kw_only=True):
    text: str = ""


class World:
    """Sources whose every connection is a memory wire that the test holds the other end of."""

    def __init__(self):
        self.counters = Counters()
        self.traffic = Traffic(self.counters)
        self.handled = []
        self.dialled = []
        self.waiting, self.dialling = anyio.create_memory_object_stream[MemoryWire](8)
        self.absent = False
        self.sources: Sources

    async def connect(self, path):
        self.dialled.append((path, anyio.current_time()))
        if self.absent:
            raise PeerGone
        ours, theirs = wire_pair()
        await self.waiting.send(theirs)
        return ours

    async def source(self):
        """The source's end of the next connection, after it was greeted."""
        wire = await self.dialling.receive()
        (line,) = await read_lines(wire, 1)
        return wire, orjson.loads(line)

    async def handle(self, params, context):
        del context
        self.handled.append(params.text)
        if params.text == "slow":
            await anyio.sleep(1)
        return {"text": params.text}


@asynccontextmanager
async def world_of(*entries):
    world = World()
    methods = tuple(
        Method(name, Anything, world.handle) for name in ("session.prompt", "ping", "search")
    )
    sources = Sources(
        entries,
        connect=world.connect,
        answerer=EventAnswerer(
            Dispatcher(methods, services=cast("Services", None), counters=world.counters),
            counters=world.counters,
        ),
        policy=ServerPolicy(),
        traffic=world.traffic,
        counters=world.counters,
    )
    world.sources = sources
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sources.run)
        yield world
        tasks.cancel_scope.cancel()
    world.waiting.close()
    world.dialling.close()
    assert world.traffic.pending == 0


async def say(wire, **message):
    await wire.send_some(memoryview(orjson.dumps({"jsonrpc": "2.0", **message}) + b"\n"))


async def hear(wire):
    (line,) = await read_lines(wire, 1)
    return orjson.loads(line)


async def test_it_asks_for_the_kinds_configured(autojump_clock):
    entry = SubscribeEntry(socket="/x", name="h", kinds=("heartbeat",))
    async with world_of(entry) as world:
        wire, greeting = await world.source()
        assert greeting["method"] == "events.subscribe"
        assert greeting["params"] == {"kinds": ["heartbeat"]}
        assert world.sources.missing == ()
        await wire.aclose()


async def test_a_request_is_answered_and_a_notification_is_handled_in_silence(autojump_clock):
    async with world_of(ENTRY) as world:
        wire, greeting = await world.source()
        await say(wire, id=greeting["id"], result={"subscription": "s"})
        await say(wire, method="session.prompt", params={"text": "quiet"})
        await say(wire, id=5, method="session.prompt", params={"text": "loud"})
        assert await hear(wire) == {"jsonrpc": "2.0", "id": 5, "result": {"text": "loud"}}
        assert world.handled == ["quiet", "loud"]
        assert world.counters.get("sources.events") == 2
        await wire.aclose()


@pytest.mark.parametrize("method", ["heartbeat.tick", "search", "config.reload", "no.such"])
async def test_a_method_no_source_may_call_is_refused_and_counted(autojump_clock, method):
    async with world_of(ENTRY) as world:
        wire, _ = await world.source()
        for number in range(3):
            await say(wire, id=number, method=method, params={})
            assert (await hear(wire))["error"]["code"] == -32601
        assert world.counters.get("sources.unknown_method") == 3
        assert world.handled == []
        await wire.aclose()


async def test_a_refusal_of_our_subscription_is_noted_and_never_answered(autojump_clock):
    async with world_of(ENTRY) as world:
        wire, greeting = await world.source()
        await say(wire, id=greeting["id"], error={"code": -32601, "message": "no"})
        await say(wire, id=1, method="session.prompt", params={})
        assert (await hear(wire))["id"] == 1
        assert world.counters.get("sources.refused") == 1
        await wire.aclose()


async def test_a_lost_connection_is_made_again(autojump_clock):
    async with world_of(ENTRY) as world:
        for _ in range(3):
            wire, greeting = await world.source()
            assert greeting["method"] == "events.subscribe"
            await wire.aclose()


async def test_retries_back_off_to_half_a_minute(autojump_clock):
    async with world_of(ENTRY) as world:
        world.absent = True
        await anyio.sleep(300)
        times = [at for _, at in world.dialled]
        pauses = [after - before for before, after in itertools.pairwise(times)]
        assert pauses[-1] == pytest.approx(30)
        assert pauses == sorted(pauses)
        assert world.sources.missing == ("gateway",)


async def test_one_source_that_is_absent_does_not_keep_another_away(autojump_clock):
    other = SubscribeEntry(socket="/y", name="other")
    async with world_of(ENTRY, other) as world:
        first, _ = await world.source()
        second, _ = await world.source()
        await first.aclose()
        await say(second, id=1, method="session.prompt", params={"text": "x"})
        assert (await hear(second))["result"] == {"text": "x"}
        await second.aclose()


async def test_what_a_source_asked_for_is_answered_while_stopping_and_nobody_is_dialled_again(
    autojump_clock,
):
    async with world_of(ENTRY) as world:
        wire, _ = await world.source()
        await say(wire, id=1, method="session.prompt", params={"text": "slow"})
        await anyio.sleep(0.1)
        await world.sources.drain(3_000)
        assert (await hear(wire))["result"] == {"text": "slow"}
        assert anyio.current_time() < 3
        await anyio.sleep(60)
        assert len(world.dialled) == 1
        await wire.aclose()


async def test_a_source_that_takes_too_long_is_refused_at_the_end_of_the_drain(autojump_clock):
    async with world_of(ENTRY) as world:
        wire, _ = await world.source()
        await say(wire, id=1, method="session.prompt", params={"text": "slow"})
        await anyio.sleep(0.1)
        await world.sources.drain(200)
        assert (await hear(wire))["error"]["code"] == -32003
        await wire.aclose()
