"""Queries first, and what hangs costs its own slot only. Real threads, real clock."""

from collections.abc import Callable

import anyio
import pytest

from recalld.counters import Counters
from recalld.embed.gate import WorkerGate
from recalld.embed.port import Purpose
from recalld.embed.threaded import SLOTS, SPARES
from recalld.errors import Unavailable
from support.embedders import HashModel, hashed_embedder


async def test_a_waiting_query_goes_before_a_passage_that_waits_longer() -> None:
    gate = WorkerGate(slots=1, spares=0, counters=Counters())
    order: list[str] = []
    hold = anyio.Event()

    async def one(name: str, purpose: Purpose) -> None:
        async with gate.enter(purpose) as slot:
            slot.started = slot.finished = True
            order.append(name)
            await hold.wait()

    async with anyio.create_task_group() as nest:
        for name, purpose in (
            ("first", Purpose.PASSAGE),
            ("passage", Purpose.PASSAGE),
            ("query", Purpose.QUERY),
        ):
            nest.start_soon(one, name, purpose)
            await anyio.wait_all_tasks_blocked()
        hold.set()
    assert order == ["first", "query", "passage"]


async def test_a_cancelled_waiter_leaves_the_line_and_the_slot_alone() -> None:
    gate = WorkerGate(slots=1, spares=0, counters=Counters())
    async with gate.enter(Purpose.QUERY) as slot:
        slot.started = slot.finished = True
        with anyio.move_on_after(0.01):
            async with gate.enter(Purpose.QUERY):
                pytest.fail("there was no free slot")
    with anyio.fail_after(1):
        async with gate.enter(Purpose.PASSAGE):
            pass


async def test_a_call_that_hangs_is_replaced_and_queries_go_on() -> None:
    counters = Counters()
    model = HashModel(hangs="stuck")
    embedder = hashed_embedder(model, counters=counters)
    await embedder.run()
    for _ in range(SPARES):
        with anyio.move_on_after(0.02):
            await embedder.embed_queries(("stuck",))
        with anyio.fail_after(5):
            assert (await embedder.embed_queries(("fine",))).any()
    assert counters.get("embed.abandoned") == SPARES
    assert embedder.problem == f"{SPARES} calls hang"
    model.release.set()
    await _until(lambda: embedder.problem == "")
    assert counters.get("embed.recovered") == SPARES


async def test_with_every_slot_stuck_a_query_fails_at_once_instead_of_waiting() -> None:
    counters = Counters()
    model = HashModel(hangs="stuck")
    embedder = hashed_embedder(model, counters=counters)
    await embedder.run()
    for _ in range(SLOTS + SPARES):
        with anyio.move_on_after(0.02):
            await embedder.embed_queries(("stuck",))
    with anyio.fail_after(5), pytest.raises(Unavailable, match="hang"):
        await embedder.embed_queries(("fine",))
    assert counters.get("embed.refused") == 1
    model.release.set()
    await _until(lambda: embedder.problem == "")
    assert (await embedder.embed_queries(("fine",))).any()


async def _until(true: Callable[[], bool]) -> None:
    with anyio.fail_after(10):
        while not true():
            await anyio.sleep(0.01)
