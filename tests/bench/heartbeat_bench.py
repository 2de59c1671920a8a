"""What a tick costs: ``python -m bench heartbeat`` prints it, and fails over the promised ratio.

One vector scan and the snapshot query of the same memories, in the same run, are the measure: over
10,000 memories a tick may take five times as long, be it one that is held back and comes upon what
the one before did, one upon a memory that changed, or one that acts. 100,000 memories are printed
too. The real store and the real service with the default engine's dimension; no workspaces: what
git takes is git's. Ratios are the medians of several runs: a machine is not at rest all the time.
"""

import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from itertools import islice
from pathlib import Path
from statistics import median

import numpy as np
import trio

from recalld.errors import Unavailable
from recalld.heartbeat.model import Snapshot, TickAsked
from recalld.memories.model import Memory, MemoryType, Vector, Write
from recalld.store.memories import MemoryStore
from support.embedders import HashModel, hashed_embedder
from support.heartbeat_house import NOON, OWNER, Room, open_room
from support.memory_world import memory
from support.store_world import open_state

MOST = 5.0
JUDGED = 10_000
SIZES = (JUDGED, 100_000)
RUNS = {JUDGED: 5}
UNIT = ("one vector scan", "the snapshot query")
TICKS = ("an act, as it failed", "held back", "held back, a change")
DIMENSION = 512
ROUNDS = 15
SLICE = 2_000
WORDS = (
    "upload",
    "ferry",
    "ledger",
    "badge",
    "violin",
    "crawler",
    "quota",
    "tiles",
    "上传",
    "账本",
)
Work = Callable[[], Awaitable[object]]


def memories(count: int) -> list[Memory]:
    """A year of every type, a question and a deadline now and then, two weeks of them open."""
    kinds = list(MemoryType)
    made = []
    for number in range(count):
        at = NOON - timedelta(days=365 * (count - number) / count, minutes=5)
        kind = kinds[number % len(kinds)]
        text = " ".join(WORDS[(number // 3**place) % len(WORDS)] for place in range(5))
        due = number % 500 == 0 and kind is MemoryType.PLAN
        made.append(
            memory(
                id=f"M{number:08d}",
                owner=OWNER,
                content=f"{text} {number}" + ("?" if number % 97 == 0 else ""),
                type=kind,
                importance=(number % 10) / 10,
                session=f"s{number // 20}",
                created_at=at,
                updated_at=at,
                accessed_at=at,
                expires_at=NOON + timedelta(hours=20) if due else None,
            )
        )
    return made


async def fill(folder: Path, count: int, identity: str) -> None:
    random = np.random.default_rng(7)
    every = iter(memories(count))
    async with open_state(folder / "state.db") as database:
        store = MemoryStore(database)
        while some := tuple(islice(every, SLICE)):
            rows = random.normal(size=(len(some), DIMENSION)).astype(np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            vectors = tuple(
                Vector(
                    memory_id=one.id,
                    content=one.content,
                    identity=identity,
                    blob=row.astype(np.float16).tobytes(),
                )
                for one, row in zip(some, rows, strict=True)
            )
            await store.put(Write(memories=some, vectors=vectors))


async def p50_ms(work: Work, before: Work | None = None) -> float:
    """``before``: what is done each time and not counted."""
    samples = []
    for _ in range(ROUNDS):
        if before is not None:
            await before()
        began = time.perf_counter()
        await work()
        samples.append((time.perf_counter() - began) * 1_000)
    return median(samples)


async def measured(room: Room) -> dict[str, float]:
    service = room.house.service
    some = await _read(room)
    asked = next(iter(some.values()))

    async def scan() -> object:
        return await service.nearest(asked, OWNER, limit=50)

    async def query() -> object:
        found, _ = await service.snapshot(OWNER)
        return Snapshot(owner=OWNER, now=NOON, zone=room.world.zone(), memories=found)

    acts: list[str] = []

    async def tick() -> None:
        room.house.later(seconds=20)
        ticked = await room.service.tick(TickAsked(owner=OWNER))
        acts.extend([ticked.act_id] if ticked.act_id else [])

    async def use() -> None:
        await service.touch([asked.id])

    async def fail() -> object:
        return await room.service.delivered(acts[-1], ok=False)

    await tick()
    found = {
        "one vector scan": await p50_ms(scan),
        "the snapshot query": await p50_ms(query),
        "an act, as it failed": await p50_ms(tick, fail),
    }
    await room.service.delivered(acts[-1], ok=True)
    await tick()
    return found | {
        "held back": await p50_ms(tick),
        "held back, a change": await p50_ms(tick, use),
    }


async def _read(room: Room) -> Mapping[str, Memory]:
    """Once the service has read them all; until then it refuses."""
    while True:
        with suppress(Unavailable):
            return (await room.house.service.snapshot(OWNER))[0]


async def one_run(count: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        engine = hashed_embedder(HashModel(dimension=DIMENSION))
        await fill(Path(name), count, str(engine.identity))
        async with open_room(Path(name), embedder=engine) as room:
            return await measured(room)


def ratios(found: Mapping[str, float]) -> dict[str, float]:
    unit = sum(found[title] for title in UNIT)
    return {title: value / unit for title, value in found.items()}


async def run() -> int:
    missed: list[str] = []
    for count in SIZES:
        runs = [await one_run(count) for _ in range(RUNS.get(count, 1))]
        each = [ratios(found) for found in runs]
        for title in runs[0]:
            value = median(found[title] for found in runs)
            ratio = median(found[title] for found in each)
            print(f"{count:7d} memories  {title:22s} p50 {value:8.2f} ms  {ratio:5.2f} x")
            if count == JUDGED and title in TICKS and ratio > MOST:
                missed.append(title)
    print(f"promised: each of these ticks over {JUDGED} memories at most {MOST:g} x")
    for title in missed:
        print(f"missed: {title}")
    return int(bool(missed))


def main() -> int:
    return trio.run(run)


if __name__ == "__main__":
    sys.exit(main())
