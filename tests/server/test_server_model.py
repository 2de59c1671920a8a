"""Any mix of requests, junk, half-closes and vanishing peers, against an oracle of few lines."""

import anyio
import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.counters import Counters
from recalld.server.connection import Connection
from recalld.server.lines import PeerGone
from recalld.server.policy import ServerPolicy
from recalld.server.traffic import Traffic
from support.answers import ScriptedAnswerer
from support.virtual import run_virtual
from support.wires import read_rest, wire_pair

ACTIONS = st.one_of(
    st.tuples(st.just("say"), st.integers(1, 30), st.sampled_from(["ping", "nope"])),
    st.tuples(st.just("say"), st.integers(1, 3), st.just("wait")),
    st.tuples(st.just("batch"), st.integers(1, 70), st.just("ping")),
    st.tuples(st.just("junk"), st.integers(1, 3), st.just("")),
    st.tuples(st.just("drain"), st.just(0), st.just("")),
)
ENDINGS = st.sampled_from(["half-close", "vanish"])


class Play:
    """One connection, what was asked on it, and what came back."""

    def __init__(self):
        self.client, server = wire_pair()
        self.counters = Counters()
        self.traffic = Traffic(self.counters)
        self.connection = Connection(
            server,
            answerer=ScriptedAnswerer(),
            policy=ServerPolicy(),
            traffic=self.traffic,
            counters=self.counters,
        )
        self.asked = []
        self.heard = []

    async def run(self, actions, ending):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.connection.serve)
            if ending == "half-close":
                tasks.start_soon(self._listen)
            for action, count, method in actions:
                await self._act(tasks, action, count, method)
                await anyio.sleep(0.01)
            if ending == "half-close":
                await self.client.send_eof()
            else:
                await self.client.aclose()
        await self.client.aclose()

    async def _act(self, tasks, action, count, method):
        try:
            match action:
                case "say":
                    for _ in range(count):
                        await self._say(self._request(method))
                case "batch":
                    await self._say([self._request(method) for _ in range(count)])
                case "junk":
                    await self.client.send_some(memoryview(b"junk\n" * count))
                case _:
                    tasks.start_soon(self.connection.drain, 1.0)
        except PeerGone:
            pass

    def _request(self, method):
        self.asked.append(len(self.asked) + 1)
        return {"jsonrpc": "2.0", "id": self.asked[-1], "method": method, "params": {"s": 1}}

    async def _say(self, message):
        await self.client.send_some(memoryview(orjson.dumps(message) + b"\n"))

    async def _listen(self):
        for line in await read_rest(self.client):
            reply = orjson.loads(line)
            self.heard += reply if isinstance(reply, list) else [reply]


@settings(max_examples=150, deadline=None)
@given(st.lists(ACTIONS, max_size=12), ENDINGS)
def test_every_request_gets_one_reply_or_a_closed_connection(actions, ending):
    async def run():
        play = Play()
        with anyio.fail_after(10_000):
            await play.run(actions, ending)
        return play

    play = run_virtual(run)
    counted = {n: play.counters.get(f"requests.{n}") for n in ("answered", "refused", "dropped")}
    assert play.traffic.pending == 0
    assert play.counters.get("requests.sent") == sum(counted.values())
    ids = [reply["id"] for reply in play.heard if reply["id"] is not None]
    assert len(ids) == len(set(ids))
    assert set(ids) <= set(play.asked)
    drained = any(action == "drain" for action, *_ in actions)
    cut_off = drained or play.counters.get("connections.too_many_errors")
    oversized = any(action == "batch" and count > 64 for action, count, _ in actions)
    if ending == "half-close" and not cut_off and not oversized:
        assert set(ids) == set(play.asked)
