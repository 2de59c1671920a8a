"""Typed memories over a real store, an engine and a clock that stands still."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio

from recalld.counters import Counters
from recalld.embed.port import Embedder
from recalld.heartbeat import cron
from recalld.memories.flow import MemoryService
from recalld.memories.model import (
    Memory,
    MemoryState,
    MemoryType,
    NewMemory,
    Origin,
    Visibility,
)
from recalld.memories.world import World
from recalld.store.bridge import Database
from recalld.store.memories import MemoryStore
from support.embedders import hashed_embedder
from support.store_world import Clock, open_state

AT = datetime(2026, 3, 1, 10, tzinfo=UTC)


def memory(**values: Any) -> Memory:
    """One to compute with, active and just used at ``AT``."""
    usual: dict[str, Any] = {
        "id": "m1",
        "owner": "ann",
        "content": "The staging database runs on Postgres 15",
        "type": MemoryType.PLAN,
        "state": MemoryState.ACTIVE,
        "importance": 0.5,
        "tags": (),
        "session": None,
        "agent": "main",
        "created_at": AT,
        "updated_at": AT,
        "expires_at": None,
        "origin": Origin.USER,
        "visibility": Visibility.PRIVATE,
        "accessed_at": AT,
    }
    return Memory(**(usual | values))


def new(content: str, kind: MemoryType = MemoryType.CONTEXT, **values: Any) -> NewMemory:
    return NewMemory(content=content, type=kind, **({"owner": "ann"} | values))


def numbered() -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"M{number:08d}"


@dataclass(eq=False)
class House:
    """A service and what it stands on."""

    service: MemoryService
    database: Database
    store: MemoryStore
    embedder: Embedder
    clock: Clock
    counters: Counters
    said_by_heartbeat: set[str] = field(default_factory=set)

    def later(self, **by: float) -> None:
        self.clock.move(timedelta(**by))


@asynccontextmanager
async def open_house(
    folder: Path,
    *,
    embedder: Embedder | None = None,
    ready: bool = True,
    clock: Clock | None = None,
    store: type[MemoryStore] = MemoryStore,
) -> AsyncIterator[House]:
    """``ready``: the engine is loaded first, and the service's upkeep runs."""
    ids = numbered()
    engine = embedder or hashed_embedder()
    said: set[str] = set()
    counters = Counters()
    async with open_state(folder / "state.db") as database:
        kept = store(database)
        for _ in await kept.page(after_id="", limit=1_000):
            next(ids)
        world = World(
            store=kept,
            embedder=engine,
            now=(time := clock or Clock()),
            new_id=lambda: next(ids),
            counters=counters,
            tag_problem=cron.problem,
            own_words=lambda _, content: content in said,
        )
        house = House(
            service=MemoryService(world),
            database=database,
            store=kept,
            embedder=engine,
            clock=time,
            counters=counters,
            said_by_heartbeat=said,
        )
        async with anyio.create_task_group() as tasks:
            if ready:
                tasks.start_soon(engine.run)
                await engine.ready()
                tasks.start_soon(house.service.run)
            yield house
            tasks.cancel_scope.cancel()
