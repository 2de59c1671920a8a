"""A daemon inside the test's loop whose engine, readers or trace disk can be made to hang."""

import json
import threading
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio

from recalld.server.sockets import connect
from support.daemon import request, serving
from support.wires import read_lines


class HungEmbedder:
    """Ready and willing, and never done."""

    def __init__(self, inner):
        self._inner = inner
        self.hung = False
        self.asked = 0

    def __getattr__(self, name):
        found = getattr(self._inner, name)
        if not name.startswith("embed_"):
            return found

        async def maybe(*texts, **words):
            self.asked += 1
            if self.hung:
                await anyio.sleep_forever()
            return await found(*texts, **words)

        return maybe


class HungDisk:
    """Where traces go: a thread that stays inside its write until it is let go."""

    def __init__(self):
        self.hung = False
        self.entered = threading.Event()
        self.let_go = threading.Event()

    def __call__(self, journal, lines):
        del journal, lines
        if self.hung:
            self.entered.set()
            self.let_go.wait(60)


@asynccontextmanager
async def world(home, notes):
    """A daemon with its embedder, readers and trace disk at hand, one document indexed."""
    held = {}

    def adjust(base):
        held["base"] = replace(base, embedder=HungEmbedder(base.embedder))
        return held["base"]

    disk = HungDisk()
    async with serving(home, workspaces=[notes], adjust=adjust, write_traces=disk) as inside:
        wire = await connect(str(inside.socket_path))
        await ask(wire, "index.sync")
        yield wire, held["base"], disk
        disk.let_go.set()
        await wire.aclose()


async def ask(wire, method, **params):
    await wire.send_some(memoryview(request(method, **params)))
    (line,) = await read_lines(wire, 1)
    return json.loads(line)["result"]


@asynccontextmanager
async def hung_readers(base):
    """Every reader of the index busy with a query that has no end."""

    async def endless(connection):
        await connection.execute_fetchall(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        )

    async with anyio.create_task_group() as hanging:
        for _ in range(2):
            hanging.start_soon(lambda: base.index.database.read(endless, cut_ms=600_000))
        await anyio.sleep(0.1)
        yield
        hanging.cancel_scope.cancel()
