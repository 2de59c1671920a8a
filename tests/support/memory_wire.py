"""Memory methods over a real store, asked through the dispatcher as a peer would ask."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, cast

import anyio
import orjson

from recalld.counters import Counters
from recalld.embed.port import Embedder
from recalld.heartbeat.policy import HeartbeatPolicy
from recalld.memories.ports import OwnWords
from recalld.memories.world import nobody
from recalld.remembering import LIMIT_MS, Remembering, Surroundings
from recalld.server.dispatch import Dispatcher
from recalld.server.methods import METHODS
from recalld.server.services import Services
from recalld.server.wire import Request
from recalld.store.bridge import Database
from support.embedders import hashed_embedder
from support.store_world import Clock, open_state

Reply = dict[str, Any]

# One series for all, so that what a second opening adds is newer and nothing is called the same.
_NUMBERS = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Services:
    """What memory methods use of the services."""

    memories: object
    hearing: object


@dataclass(eq=False, kw_only=True)
class Wire:
    """``policy`` may be replaced at any time, as a reload does."""

    dispatcher: Dispatcher
    remembering: Remembering
    database: Database
    clock: Clock
    counters: Counters
    policy: HeartbeatPolicy

    async def ask(self, method: str, **params: Any) -> Reply:
        """The whole reply to ``memory.METHOD``."""
        return await self.raw(f"memory.{method}", params)

    async def raw(self, method: str, params: dict[str, Any]) -> Reply:
        answer = await self.dispatcher.answer(Request(id=1, method=method, params=params))
        reply: Reply = orjson.loads(answer.body)
        return reply

    async def told(self, method: str, **params: Any) -> Any:
        """The result of ``memory.METHOD``."""
        reply = await self.ask(method, **params)
        assert "result" in reply, reply
        return reply["result"]

    async def refused(self, method: str, **params: Any) -> Reply:
        """The error of ``memory.METHOD``."""
        reply = await self.ask(method, **params)
        assert "error" in reply, reply
        error: Reply = reply["error"]
        return error

    async def key(self, method: str, **params: Any) -> str:
        """Which parameter is wrong."""
        error = await self.refused(method, **params)
        assert error["code"] == -32602, error
        return str(error["data"]["key"])


@asynccontextmanager
async def open_wire(
    folder: Path,
    *,
    propose: str = "off",
    embedder: Embedder | None = None,
    own_words: OwnWords = nobody,
    is_echo: Any = lambda _: False,
    running: bool = True,
    wrapped: Callable[[Database], Database] = lambda database: database,
    limit_ms: int = LIMIT_MS,
) -> AsyncIterator[Wire]:
    """``running``: the engine is loaded first, and the background jobs run."""
    clock, counters = Clock(), Counters()
    engine = embedder or hashed_embedder()
    async with open_state(folder / "state.db") as opened:
        database = wrapped(opened)
        wire: Wire | None = None
        policy = HeartbeatPolicy(propose=cast("Any", propose))
        remembering = Remembering(
            Surroundings(
                database=database,
                embedder=engine,
                policy=lambda: policy if wire is None else wire.policy,
                now=clock,
                new_id=lambda: f"M{next(_NUMBERS):08d}",
                counters=counters,
                is_echo=is_echo,
                own_words=own_words,
                limit_ms=limit_ms,
            )
        )
        services = _Services(memories=remembering.memories, hearing=remembering.hearing)
        wire = Wire(
            dispatcher=Dispatcher(METHODS, services=cast("Services", services), counters=counters),
            remembering=remembering,
            database=database,
            clock=clock,
            counters=counters,
            policy=policy,
        )
        async with anyio.create_task_group() as tasks:
            if running:
                tasks.start_soon(engine.run)
                await engine.ready()
                tasks.start_soon(remembering.service.run)
                tasks.start_soon(remembering.hearing.run)
            yield wire
            tasks.cancel_scope.cancel()
