"""The accept loop and many connections, over real sockets with a scripted dispatcher."""

import contextlib
import os
import socket
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import msgspec
import orjson
import pytest

from recalld.counters import Counters
from recalld.server.lines import PeerGone
from recalld.server.listen import claim
from recalld.server.policy import ServerPolicy
from recalld.server.serving import Server
from recalld.server.sockets import connect, connect_to_own, peer_uid
from recalld.server.traffic import Traffic
from support.answers import ScriptedAnswerer
from support.wires import read_lines, read_rest


@dataclass
class World:
    server: Server
    counters: Counters
    traffic: Traffic
    answerer: ScriptedAnswerer
    path: object

    async def dial(self):
        return await connect(str(self.path))


@asynccontextmanager
async def serving(home, *, credentials=peer_uid, **limits):
    home.chmod(0o700)
    counters = Counters()
    traffic = Traffic(counters)
    answerer = ScriptedAnswerer()
    server = Server(
        policy=msgspec.convert(limits, ServerPolicy),
        dispatcher=answerer,
        traffic=traffic,
        counters=counters,
        uid=os.getuid(),
        credentials=credentials,
    )
    async with anyio.create_task_group() as tasks:
        await tasks.start(server.serve, claim(home / "s.sock", uid=os.getuid()))
        yield World(server, counters, traffic, answerer, home / "s.sock")
        await server.drain(100)
        tasks.cancel_scope.cancel()
    assert traffic.pending == 0
    sent, *ends = (
        counters.get(f"requests.{n}") for n in ("sent", "answered", "refused", "dropped")
    )
    assert sent == sum(ends)


def call(number, method="ping", **params):
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return orjson.dumps(message) + b"\n"


async def say(wire, data):
    view = memoryview(data)
    while view:
        view = view[await wire.send_some(view) :]


async def ask(wire, number, **params):
    await say(wire, call(number, **params))
    (line,) = await read_lines(wire, 1)
    return orjson.loads(line)


async def test_another_uid_is_closed_before_a_byte_of_it_is_read(tmp_path):
    async with serving(tmp_path, credentials=lambda _: os.getuid() + 1) as world:
        wire = await world.dial()
        await say(wire, call(1))
        with anyio.fail_after(10):
            # Closed with unread bytes, which the peer may see as a reset.
            with contextlib.suppress(PeerGone):
                assert await read_rest(wire) == []
        await wire.aclose()
    assert world.counters.get("connections.foreign_uid") == 1
    assert world.answerer.seen == []


async def test_connection_sixty_five_gets_one_busy_error_and_is_closed(tmp_path):
    async with serving(tmp_path) as world:
        wires = [await world.dial() for _ in range(64)]
        for number, wire in enumerate(wires):
            assert (await ask(wire, number))["id"] == number
        extra = await world.dial()
        (line,) = await read_rest(extra)
        error = orjson.loads(line)["error"]
        assert (error["code"], error["data"]["retry_after_ms"]) == (-32001, 1000)
        await wires[0].aclose()
        await extra.aclose()
        with anyio.fail_after(10):
            while world.server.connections == 64:
                await anyio.sleep(0.01)
        again = await world.dial()
        assert (await ask(again, "again"))["id"] == "again"
        for wire in [*wires, again]:
            await wire.aclose()


async def test_sixty_four_clients_get_their_own_replies_and_nobody_elses(tmp_path):
    async with serving(tmp_path) as world:

        async def client(name):
            wire = await world.dial()
            await say(wire, b"".join(call(f"{name}-{n}", tag=f"{name}/{n}") for n in range(50)))
            for line in await read_lines(wire, 50):
                reply = orjson.loads(line)
                assert reply["result"]["tag"] == reply["id"].replace("-", "/")
                assert reply["id"].startswith(f"{name}-")
            await wire.aclose()

        async with anyio.create_task_group() as clients:
            for name in range(64):
                clients.start_soon(client, name)


async def test_a_peer_that_leaves_before_it_is_accepted_costs_nothing(tmp_path):
    async with serving(tmp_path) as world:
        for _ in range(20):
            hasty = socket.socket(socket.AF_UNIX)
            hasty.connect(str(world.path))
            hasty.close()
        wire = await world.dial()
        assert (await ask(wire, 1))["id"] == 1
        await wire.aclose()


async def test_a_peer_that_closes_with_unread_replies_disturbs_nobody(tmp_path):
    async with serving(tmp_path) as world:
        rude = await world.dial()
        await say(rude, call(1, method="large", bytes=100_000) * 5)
        await rude.aclose()
        wire = await world.dial()
        assert (await ask(wire, 1))["id"] == 1
        await wire.aclose()


async def test_a_peer_that_reads_slowly_but_reads_is_not_cut_off(tmp_path):
    async with serving(tmp_path, write_stall_s=1) as world:
        wire = await world.dial()
        await say(wire, call(1, method="large", bytes=900_000))
        received = b""
        while not received.endswith(b"\n"):
            received += await wire.receive_some(65_536)
            await anyio.sleep(0.1)
        assert len(received) > 900_000
        await wire.aclose()


async def test_a_peer_that_stopped_reading_is_closed_and_what_waits_is_dropped(tmp_path):
    async with serving(tmp_path, write_stall_s=1) as world:
        wire = await world.dial()
        await say(wire, call(1, method="large", bytes=900_000) + call(2))
        with anyio.fail_after(20):
            while not world.counters.get("connections.write_stall"):
                await anyio.sleep(0.05)
        await wire.aclose()
    assert world.counters.get("requests.dropped") >= 1


async def test_a_source_of_another_user_is_not_spoken_to(tmp_path):
    async with serving(tmp_path) as world:
        own = await connect_to_own(str(world.path), uid=os.getuid())
        await own.aclose()
        with pytest.raises(PeerGone, match="another user"):
            await connect_to_own(str(world.path), uid=os.getuid() + 1)
