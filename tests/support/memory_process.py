"""A process that adds memories with 8 tasks until it is killed: ``python -m … PATH RUN``.

It prints the id of each event whose memory was acknowledged; every third says again what the one
before said, and every third is updated.
"""

import os
import secrets
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import anyio

from recalld.counters import Counters
from recalld.memories.flow import MemoryService
from recalld.memories.model import Change, MemoryType, NewMemory
from recalld.memories.world import World
from recalld.recall.ids import TraceIds
from recalld.store.memories import MemoryStore
from support.embedders import hashed_embedder
from support.store_world import open_state

WRITERS = 8


async def add_memories(path: Path, run: str) -> None:
    ids = TraceIds(now_ms=lambda: time.time_ns() // 1_000_000, chance=secrets.randbits)
    async with open_state(path) as database, anyio.create_task_group() as tasks:
        engine = hashed_embedder()
        tasks.start_soon(engine.run)
        await engine.ready()
        world = World(
            store=MemoryStore(database),
            embedder=engine,
            now=lambda: datetime.now(UTC),
            new_id=ids.next,
            counters=Counters(),
        )
        service = MemoryService(world)

        async def write(writer: int) -> None:
            number = 0
            while True:
                said = number - 1 if number % 3 == 1 else number
                event_id = f"{run}-{writer}-{number}"
                text = f"run {run} writer {writer} said {said}"
                added = await service.add(
                    NewMemory(content=text, type=MemoryType.CONTEXT, event_id=event_id)
                )
                if number % 3 == 2:
                    await service.update(added.memory.id, Change(importance=0.9))
                os.write(1, f"{event_id} {added.memory.id}\n".encode())
                number += 1

        for writer in range(WRITERS):
            tasks.start_soon(write, writer)


if __name__ == "__main__":
    anyio.run(add_memories, Path(sys.argv[1]), sys.argv[2], backend="trio")
