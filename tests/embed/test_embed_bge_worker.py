"""The engine with its process: real pipes, real signals, the real library."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import numpy as np
import pytest

from recalld.embed.bge_life import Patience
from recalld.embed.bge_m3 import BgeEmbedder
from recalld.embed.bge_wire import Load
from recalld.embed.breaker import Breaker
from recalld.embed.port import Both, EmbedderState, Purpose
from recalld.errors import Unavailable
from recalld.service.process import rss_bytes
from support.bge import engine_on, is_running, loaded, needs_bge, pid_of, quick, until

pytestmark = needs_bge

TEXTS = ("the gateway moved to port 18789", "数据库迁移需要先备份", "x")
TWENTY_MB = 20 * 1024 * 1024


@pytest.fixture(scope="module")
def direct(checkpoint: Path) -> Both:
    """``TEXTS`` in this process, by the call that equals ``encode``."""
    from recalld.embed.bge_forward import DirectModel  # noqa: PLC0415 (an extra)

    both: Both = DirectModel(Load(folder=str(checkpoint), threads=1)).embed(TEXTS, 512)
    return both


async def test_the_worker_gives_what_encode_gives_and_ignores_signals_meant_for_the_daemon(
    checkpoint: Path, direct: Both
) -> None:
    async with loaded(engine_on(checkpoint)) as engine:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            os.kill(pid_of(engine), number)
        both = await engine.embed_both((TEXTS[0], "", *TEXTS[1:]), Purpose.PASSAGE)
        asked = await engine.embed_both(TEXTS, Purpose.QUERY)
        assert engine.describe()["precision"] == "float32"
        assert set(engine.describe()["probe_ms"]) == {"float32", "bfloat16"}  # type: ignore[call-overload]
    assert not both.dense[1].any()
    assert len(both.sparse[1].ids) == 0
    rows = [0, 2, 3]
    assert both.dense[rows] == pytest.approx(direct.dense, abs=1e-5)
    assert asked.dense == pytest.approx(direct.dense, abs=1e-5)
    for row, expected in zip(rows, direct.sparse, strict=True):
        assert both.sparse[row].ids.tolist() == expected.ids.tolist()
        assert both.sparse[row].weights == pytest.approx(expected.weights, abs=1e-5)


@pytest.mark.allow_errors
async def test_a_worker_killed_in_a_batch_costs_the_batch_and_the_next_one_answers(
    checkpoint: Path,
) -> None:
    async with loaded(engine_on(checkpoint)) as engine:
        first = pid_of(engine)
        os.kill(first, signal.SIGSTOP)
        async with anyio.create_task_group() as nest:
            nest.start_soon(expect_refusal, engine)
            await until(lambda: engine._life.busy)
            os.kill(first, signal.SIGKILL)
        assert not is_running(first)
        await engine.ready()
        assert pid_of(engine) != first
        assert (await engine.embed_passages(TEXTS)).any(axis=1).all()
        assert engine._counters.get("embed.bge.died") == 1
        assert engine.problem == ""


async def expect_refusal(engine: BgeEmbedder) -> None:
    with pytest.raises(Unavailable, match="ended with status"):
        await engine.embed_passages(TEXTS)


@pytest.mark.allow_errors
async def test_a_stopped_worker_is_not_waited_for_and_is_killed(checkpoint: Path) -> None:
    async with loaded(engine_on(checkpoint, patience=quick(hang_s=2.0))) as engine:
        stopped = pid_of(engine)
        os.kill(stopped, signal.SIGSTOP)
        with anyio.move_on_after(0.3) as scope:
            await engine.embed_queries(("where is the gateway?",))
        assert scope.cancelled_caught
        assert "no answer for" in engine.problem
        with pytest.raises(Unavailable, match="no answer for"):
            await engine.embed_queries(("another question",))
        await until(lambda: not is_running(stopped))
        await engine.ready()
        assert (await engine.embed_queries(("where is the gateway?",))).any()
        assert engine._counters.get("embed.bge.hung") == 1


async def test_a_question_overtakes_an_indexing_batch(checkpoint: Path) -> None:
    done: list[str] = []

    async with loaded(engine_on(checkpoint)) as engine:

        async def index(text: str) -> None:
            await engine.embed_passages((text, text + " 2", text + " 3", text + " 4"))
            done.append(text)

        async def ask() -> None:
            await engine.embed_queries(("where is the gateway?",))
            done.append("question")

        pid = pid_of(engine)
        os.kill(pid, signal.SIGSTOP)
        async with anyio.create_task_group() as nest:
            nest.start_soon(index, "first")
            await until(lambda: engine._life.busy)
            nest.start_soon(index, "second")
            nest.start_soon(ask)
            await until(lambda: len(engine._life.queue) == 2)
            os.kill(pid, signal.SIGCONT)
        # Four texts are two batches: the question came between those of the first.
        assert done[0] == "question"
        assert engine._counters.get("embed.bge.calls") == 5


async def test_a_worker_nobody_needs_ends_and_its_memory_comes_back(checkpoint: Path) -> None:
    before = rss_bytes()
    async with loaded(engine_on(checkpoint, unload_after_s=1)) as engine:
        pid = pid_of(engine)
        await engine.embed_passages(TEXTS)
        await until(lambda: engine.state is EmbedderState.ASLEEP)
        assert not is_running(pid)
        assert rss_bytes() - before < TWENTY_MB
        assert engine._counters.get("embed.bge.unloaded") == 1
        with pytest.raises(Unavailable, match="asleep"):
            await engine.embed_queries(TEXTS)
        await until(lambda: engine.state is EmbedderState.LOADING)


async def test_nothing_is_started_before_somebody_asks(checkpoint: Path) -> None:
    engine = engine_on(checkpoint)
    async with anyio.create_task_group() as nest:
        nest.start_soon(engine.run)
        await until(lambda: engine.state is EmbedderState.ASLEEP)
        await anyio.sleep(0.05)
        assert engine._counters.get("embed.bge.started") == 0
        nest.cancel_scope.cancel()


@pytest.mark.allow_errors
async def test_three_failures_open_the_breaker(checkpoint: Path) -> None:
    engine = engine_on(
        checkpoint, patience=Patience(breaker=Breaker(pauses_s=(0.0, 0.0), open_s=600.0))
    )
    engine._life._environ["PYTHONHOME"] = "/nonexistent"  # no interpreter starts with that
    async with anyio.create_task_group() as nest:
        nest.start_soon(engine.run)
        engine.wake()
        await until(lambda: engine._counters.get("embed.bge.opened") == 1)
        assert engine._counters.get("embed.bge.started") == 3
        assert "tried again in 600 s" in engine.problem
        assert engine.state is EmbedderState.LOADING
        with pytest.raises(Unavailable, match="tried again"):
            await engine.embed_queries(TEXTS)
        nest.cancel_scope.cancel()


@pytest.mark.allow_errors
async def test_a_head_that_vanished_meanwhile_is_named(checkpoint: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    for file in checkpoint.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    engine = engine_on(folder)
    (folder / "colbert_linear.pt").unlink()
    async with anyio.create_task_group() as nest:
        nest.start_soon(engine.run)
        engine.wake()
        await until(lambda: engine._counters.get("embed.bge.died") > 0)
        assert "colbert_linear.pt is missing" in engine.problem
        nest.cancel_scope.cancel()


PARENT = """
import anyio, os, sys
from support.bge import engine_on, loaded, pid_of
from pathlib import Path

async def main():
    async with loaded(engine_on(Path(sys.argv[1]))) as engine:
        print(pid_of(engine), flush=True)
        await anyio.sleep_forever()

anyio.run(main, backend="trio")
"""


def test_the_worker_dies_with_its_parent(checkpoint: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(checkpoint)], env=environ, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert is_running(worker)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    anyio.run(until, lambda: not is_running(worker), backend="trio")


async def test_the_same_question_is_computed_once(checkpoint: Path) -> None:
    async with loaded(engine_on(checkpoint)) as engine:
        one = await engine.embed_both(("where is it?", "it"), Purpose.QUERY)
        again = await engine.embed_both(("it", "where is it?"), Purpose.QUERY)
        assert engine._counters.get("embed.bge.calls") == 1
        assert np.array_equal(one.dense, again.dense[::-1])
