"""BGE-M3 in tests: a tiny checkpoint, its engine, and what its process can suffer."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

import anyio
import pytest

from recalld.counters import Counters
from recalld.embed.bge_life import Patience
from recalld.embed.bge_m3 import BgeEmbedder
from recalld.embed.breaker import Breaker
from recalld.embed.policy import EmbedPolicy

needs_bge = pytest.mark.skipif(
    find_spec("FlagEmbedding") is None,
    reason="FlagEmbedding is not installed: pip install '.[test,bge]'",
)
# Importing torch takes 4 s alone and many times that on a busy machine.
LOADING_S = 120


def quick(*, hang_s: float = 30.0) -> Patience:
    """Restarts at once; questions are refused after a fifth of a second without an answer."""
    return Patience(overdue_s=0.2, hang_s=hang_s, breaker=Breaker(pauses_s=(0.0, 0.0)))


def engine_on(
    folder: Path, *, patience: Patience | None = None, unload_after_s: int = 900
) -> BgeEmbedder:
    return BgeEmbedder(
        folder,
        policy=EmbedPolicy(unload_after_s=unload_after_s),
        counters=Counters(),
        environ=os.environ,
        patience=patience or quick(),
    )


@asynccontextmanager
async def loaded(engine: BgeEmbedder) -> AsyncIterator[BgeEmbedder]:
    """With the engine's worker up; it ends with the block."""
    async with anyio.create_task_group() as nest:
        nest.start_soon(engine.run)
        with anyio.fail_after(LOADING_S):
            await engine.ready()
        yield engine
        nest.cancel_scope.cancel()


def pid_of(engine: BgeEmbedder) -> int:
    pid = engine.describe()["pid"]
    assert isinstance(pid, int)
    return pid


def is_running(pid: int) -> bool:
    """Whether the process exists and is no corpse."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("ascii")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}


async def until(holds: Callable[[], bool], *, within_s: float = LOADING_S) -> None:
    with anyio.fail_after(within_s):
        while not holds():
            await anyio.sleep(0.02)
