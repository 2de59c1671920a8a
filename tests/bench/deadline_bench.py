"""Prompts over the real socket while a part hangs: each within its budget and 50 ms.

    PYTHONPATH=daemon:tests python -m bench.deadline_bench

Prints the slowest of 100 for each part; the exit status is 1 when one was late.
"""

import logging
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import structlog

from support.hangs import ask, hung_readers, world

COUNT = 100
BUDGET_MS = 300
GRACE_MS = 50
PROMPT = "which port did we move the gateway to?"


@asynccontextmanager
async def hung_embedder(base, disk):
    del disk
    base.embedder.hung = True
    yield


@asynccontextmanager
async def hung_store(base, disk):
    del disk
    async with hung_readers(base):
        yield


@asynccontextmanager
async def hung_disk(base, disk):
    del base
    disk.hung = True
    yield


@asynccontextmanager
async def nothing_hung(base, disk):
    del base, disk
    yield


async def slowest_ms(hang) -> float:
    home = Path(tempfile.mkdtemp(prefix="recalld-"))
    (home / "notes" / "memory").mkdir(parents=True)
    (home / "notes" / "memory" / "a.md").write_text("# Plan\n\nThe gateway moved to 9410.\n")
    took = []
    async with world(home / "d", home / "notes") as (wire, base, disk), hang(base, disk):
        for _ in range(COUNT):
            began = time.perf_counter()
            await ask(
                wire, "session.prompt", session={"key": "s"}, text=PROMPT, budget_ms=BUDGET_MS
            )
            took.append((time.perf_counter() - began) * 1_000)
    return max(took)


async def main() -> int:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    late = 0
    for hang in (nothing_hung, hung_embedder, hung_store, hung_disk):
        worst = await slowest_ms(hang)
        late += worst > BUDGET_MS + GRACE_MS
        print(f"{hang.__name__}: slowest of {COUNT} prompts {worst:.1f} ms, budget {BUDGET_MS} ms")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(anyio.run(main, backend="trio"))
