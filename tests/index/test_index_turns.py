"""A disk that hangs costs its own workspace, and nobody else's turn."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
import trio

from recalld.counters import Counters
from recalld.errors import Unavailable
from recalld.index.flow import LEAVE_S, NO_ANSWER
from recalld.index.schedule import TURN_S, Turns, unless_hung
from recalld.index.watch import _Inodes
from support.indexing import World, eventually, open_world, put


class Gate:
    """Where threads wait until they are let go."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.waiting = 0

    def __call__(self) -> str:
        self.waiting += 1
        self.open.wait(60)
        return "through"


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate()
    yield made
    made.open.set()


class HangingRules:
    """The rules of a workspace whose folder never answers."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def __getattr__(self, name: str) -> Any:
        self._gate()
        raise AttributeError(name)


async def test_a_hung_step_gives_its_turn_away_and_gets_no_second_thread(gate: Gate) -> None:
    counters = Counters()
    turns = Turns(counters)
    async with anyio.create_task_group() as nest:
        nest.start_soon(turns.run)
        nest.start_soon(turns.step, turns.lane("/hung"), gate)
        nest.start_soon(turns.step, turns.lane("/hung"), gate)
        await anyio.sleep(0.05)
        with anyio.fail_after(4 * TURN_S):
            assert await turns.step(turns.lane("/fine"), lambda: "done") == "done"
        assert turns.lane("/hung").stuck_s > TURN_S
        assert (counters.get("index.hung_threads"), gate.waiting) == (1, 1)
        gate.open.set()
        await eventually(lambda: came_back(turns))
        nest.cancel_scope.cancel()


async def came_back(turns: Turns) -> bool:
    return turns.lane("/hung").stuck_s == 0


async def test_an_abandoned_thread_is_waited_for_without_a_turn(gate: Gate) -> None:
    turns = Turns(Counters())
    lane = turns.lane("/hung")
    with anyio.move_on_after(0.05):
        await turns.step(lane, gate)
    async with anyio.create_task_group() as nest:
        nest.start_soon(turns.step, lane, gate)
        await anyio.sleep(0.05)
        assert await turns.step(turns.lane("/fine"), lambda: 1) == 1
        assert gate.waiting == 1
        gate.open.set()
    assert gate.waiting == 2


async def test_the_fault_of_a_step_arrives_as_it_is() -> None:
    async def broken() -> None:
        raise Unavailable("store", "the disk is full")

    with pytest.raises(Unavailable, match="full"):
        await unless_hung(broken, lane=Turns(Counters()).lane("/a"), patience_s=lambda: 30.0)


async def test_one_hung_workspace_stops_neither_the_others_nor_a_change_of_workspaces(
    tmp_path: Path, gate: Gate
) -> None:
    hung, fine = tmp_path / "hung", tmp_path / "fine"
    put(hung / "a.md", "never read")
    put(fine / "b.md", "the gateway moved")
    async with open_world(hung, tmp_path, also=(fine,)) as world, trio.open_nursery() as nursery:
        tended = world.indexer._tended[str(hung)]
        tended.reconciler.rules = HangingRules(gate)  # type: ignore[assignment]
        await nursery.start(world.indexer.run)
        await eventually(lambda: found(world))
        (sick, well) = await world.indexer.status()
        assert NO_ANSWER in sick.degraded
        assert NO_ANSWER not in well.degraded
        with trio.fail_after(20 * LEAVE_S):
            await world.indexer.set_workspaces([world.indexer.workspaces[1]])
        nursery.cancel_scope.cancel()


async def found(world: World) -> bool:
    return await world.hits("gateway", 2) == ["b.md"]


async def test_a_root_that_hangs_is_what_it_was_and_the_others_are_looked_at(
    tmp_path: Path,
) -> None:
    inodes = _Inodes(Counters())
    (tmp_path / "a").mkdir()
    roots = (str(tmp_path / "a"), str(tmp_path / "b"))
    first = await inodes.of(roots, {})
    assert (first[roots[0]] is None, first[roots[1]]) == (False, None)
    # As while the look at all of them hangs.
    await inodes._together.acquire_on_behalf_of("a thread")
    await inodes._alone.setdefault(roots[0], anyio.CapacityLimiter(1)).acquire_on_behalf_of("too")
    (tmp_path / "b").mkdir()
    second = await inodes.of(roots, first)
    assert second[roots[0]] == first[roots[0]]
    assert second[roots[1]] is not None
