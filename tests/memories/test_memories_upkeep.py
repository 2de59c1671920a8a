"""What happens meanwhile: vectors, uses, fading; and what a restart finds."""

from datetime import timedelta
from pathlib import Path

import anyio
import pytest

from recalld.embed.none import NoEmbedder
from recalld.memories.model import Change, MemoryState, MemoryType, Wanted
from recalld.memories.scale import PLAIN
from support.embedders import HashModel, hashed_embedder
from support.memory_world import AT, House, new, open_house
from support.store_world import Clock

EVERY_STATE = frozenset(MemoryState)


async def embedded(house: House, count: int) -> None:
    """Wait until so many memories have vectors."""
    with anyio.fail_after(10):
        while True:
            ids = list((await house.service.snapshot("ann"))[0])
            if len(await house.service.vectors(ids)) == count:
                return
            await anyio.sleep(0.01)


async def test_before_there_are_vectors_words_find_and_afterwards_vectors_do(tmp_path: Path):
    async with open_house(tmp_path, ready=False) as house:
        wanted = await house.service.add(new("The staging database runs on Postgres 15"))
        await house.service.add(new("The printer is jammed again"))
        await house.service.add(new("测试环境的数据库每晚备份"))
        (found,) = (
            await house.service.search("ann", "postgres staging version", min_score=0.1)
        ).found
        assert found.memory.id == wanted.memory.id
        assert found.similarity == pytest.approx(2 / 3)
        (found,) = (await house.service.search("ann", "数据库备份了吗", min_score=0.1)).found
        assert found.memory.content == "测试环境的数据库每晚备份"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(house.embedder.run)
            tasks.start_soon(house.service.run)
            await embedded(house, 3)
            best = (await house.service.search("ann", "postgres staging version")).found[0]
            assert best.memory.id == wanted.memory.id
            tasks.cancel_scope.cancel()
    async with open_house(tmp_path) as house:
        assert len(await house.service.vectors([wanted.memory.id])) == 1


async def test_another_engine_makes_its_own_vectors(tmp_path: Path):
    async with open_house(tmp_path, embedder=hashed_embedder(name="one")) as house:
        added = await house.service.add(new("The staging database runs on Postgres 15"))
    model = HashModel(dimension=32)
    async with open_house(tmp_path, embedder=hashed_embedder(model, name="two")) as house:
        await embedded(house, 1)
        assert (await house.service.vectors([added.memory.id]))[added.memory.id].shape == (32,)
        ((_, vector),) = await house.store.page(after_id="", limit=9)
        assert vector is not None
        assert vector.identity == str(house.embedder.identity)
    async with open_house(tmp_path, embedder=hashed_embedder(name="one"), ready=False) as house:
        assert await house.service.vectors([added.memory.id]) == {}


async def test_a_text_that_breaks_the_engine_costs_no_other_its_vector(tmp_path: Path):
    async with open_house(tmp_path, ready=False) as house:
        for number in range(5):
            await house.service.add(new(f"note number {number}"))
        await house.service.add(new("a poisoned note"))
        for number in range(5, 10):
            await house.service.add(new(f"note number {number}"))
    model = HashModel(breaks="poisoned")
    async with open_house(tmp_path, embedder=hashed_embedder(model)) as house:
        await embedded(house, 10)
        assert house.counters.get("memories.not_embedded") == 1


async def test_a_memory_is_kept_in_time_while_the_engine_hangs(tmp_path: Path):
    model = HashModel(hangs="stuck")
    async with open_house(tmp_path, embedder=hashed_embedder(model)) as house:
        await house.service.add(new("warm up"))
        with anyio.fail_after(3):
            added = await house.service.add(new("the lift is stuck"))
        ((kept, vector),) = [
            pair for pair in await house.store.page(after_id="", limit=9) if pair[1] is None
        ]
        assert (kept.id, vector) == (added.memory.id, None)
        model.release.set()
        await embedded(house, 2)


async def test_other_words_are_embedded_anew_and_the_old_ones_find_nothing(tmp_path: Path):
    async with open_house(tmp_path) as house:
        added = await house.service.add(new("The printer is jammed"))
        before = (await house.service.vectors([added.memory.id]))[added.memory.id]
        changed = await house.service.update(added.memory.id, Change(content="Anna owns billing"))
        assert changed.content == "Anna owns billing"
        after = (await house.service.vectors([added.memory.id]))[added.memory.id]
        assert float(before @ after) < 0.5
        again = await house.service.add(new("The printer is jammed"))
        assert again.duplicate_of is None
        same = await house.service.add(new("Anna owns billing"))
        assert same.duplicate_of == added.memory.id
    async with open_house(tmp_path, ready=False) as house:
        kept = (await house.service.vectors([added.memory.id]))[added.memory.id]
        assert float(kept @ after) == pytest.approx(1.0, abs=1e-3)


async def test_uses_are_counted_at_once_and_written_at_the_end(tmp_path: Path):
    clock = Clock()
    async with open_house(tmp_path, clock=clock) as house:
        added = await house.service.add(new("Anna owns billing"))
        clock.move(timedelta(days=2))
        assert (await house.service.get(added.memory.id)).access_count == 1
        await house.service.search("ann", "billing")
        await house.service.touch([added.memory.id, "unknown"])
        await house.service.list("ann")
        await house.service.nearest("billing", "ann")
        ((stored, _),) = await house.store.page(after_id="", limit=9)
        assert stored.access_count == 0
    async with open_house(tmp_path, clock=clock, ready=False) as house:
        kept = (await house.service.snapshot("ann"))[0][added.memory.id]
        assert (kept.access_count, kept.accessed_at) == (3, AT + timedelta(days=2))
        assert kept.stability_days > added.memory.stability_days


async def test_time_moves_memories_on_once_and_an_update_brings_one_back(tmp_path: Path):
    async with open_house(tmp_path, ready=False) as house:
        brief = await house.service.add(new("lunch is at noon", MemoryType.EPHEMERAL))
        plan = await house.service.add(new("Write the migration guide", MemoryType.PLAN))
        daily = await house.service.add(new("water plants", MemoryType.PLAN, tags=("cron:daily",)))
        lasting = await house.service.add(new("Anna is a doctor", MemoryType.IDENTITY))
        house.later(days=80)
        assert await house.service.age() == 2
        assert await house.service.age() == 0
        assert house.counters.get("memories.became_stale") == 1
        memories = (await house.service.snapshot("ann"))[0]
        assert brief.memory.id not in memories
        assert memories[plan.memory.id].state is MemoryState.STALE
        assert memories[daily.memory.id] == daily.memory
        assert memories[lasting.memory.id] == lasting.memory
        back = await house.service.update(plan.memory.id, Change(state=MemoryState.ACTIVE))
        assert back.state is MemoryState.ACTIVE
        assert await house.service.age() == 0
        listed = await house.service.list("ann", Wanted(states=EVERY_STATE))
        assert len(listed.memories) == 4
        house.later(days=89)
        await house.service.age()
        assert (await house.service.get(brief.memory.id)).state is MemoryState.DELETED
        house.later(days=1)
        assert await house.service.age() >= 1
        assert house.counters.get("memories.purged") == 1
        assert await house.service.count() == 3
    async with open_house(tmp_path, ready=False) as house:
        assert await house.service.count() == 3


async def test_a_use_keeps_a_fading_memory_and_revives_a_stale_one(tmp_path: Path):
    async with open_house(tmp_path, ready=False) as house:
        plan = await house.service.add(new("Write the migration guide", MemoryType.PLAN))
        house.later(days=80)
        await house.service.age()
        assert (await house.service.get(plan.memory.id)).state is MemoryState.STALE
        await house.service.age()
        assert (await house.service.get(plan.memory.id)).state is MemoryState.ACTIVE


async def test_the_snapshot_stays_as_it_was_and_finds_without_asking_anybody(tmp_path: Path):
    async with open_house(tmp_path) as house:
        one = await house.service.add(new("The staging database runs on Postgres 15"))
        two = await house.service.add(new("The staging database is backed up nightly"))
        await house.service.add(new("The printer is jammed"))
        await house.service.add(new("The staging database is slow", owner="bob"))
        memories, nearest = await house.service.snapshot("ann")
        before = nearest(one.memory)
        await house.service.update(two.memory.id, Change(content="Bob likes tea"))
        await house.service.forget([one.memory.id])
        assert set(memories) == {"M00000001", "M00000002", "M00000003"}
        assert nearest(one.memory) == before
        assert before[0].memory == two.memory
        assert all(each.memory.id != one.memory.id for each in before)
        assert all(each.memory.owner == "ann" for each in before)
        assert before[0].similarity == before[0].score


async def test_a_report_from_before_there_were_vectors_closes_its_plan_later(tmp_path: Path):
    async with open_house(tmp_path, ready=False) as house:
        plan = await house.service.add(new("Fix the flaky upload test", MemoryType.PLAN))
        report = await house.service.add(new("Fixed the flaky upload test", MemoryType.EVENT))
        assert report.resolved == ()
        assert house.counters.get("memories.embedded_later") == 2
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(house.embedder.run)
            tasks.start_soon(house.service.run)
            with anyio.fail_after(10):
                while not house.counters.get("memories.resolved"):
                    await anyio.sleep(0.01)
            tasks.cancel_scope.cancel()
        closed = await house.service.get(plan.memory.id)
        assert (closed.state, closed.resolved_by) == (MemoryState.RESOLVED, report.memory.id)
        await house.service.update(plan.memory.id, Change(state=MemoryState.ACTIVE))
    async with open_house(tmp_path, embedder=hashed_embedder(name="another")) as house:
        await embedded(house, 2)
        assert (await house.service.get(plan.memory.id)).state is MemoryState.ACTIVE


async def test_without_an_engine_words_alone_find_and_compare(tmp_path: Path):
    async with (
        open_house(tmp_path, ready=False, embedder=NoEmbedder()) as house,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(house.service.run)
        added = await house.service.add(new("Anna owns billing"))
        (found,) = (await house.service.search("ann", "billing")).found
        assert found.memory.id == added.memory.id
        assert house.counters.get("memories.searched_by_words") == 1
        again = await house.service.add(new("Anna owns billing."))
        assert again.duplicate_of == added.memory.id
        assert house.service.scale == PLAIN
        tasks.cancel_scope.cancel()
