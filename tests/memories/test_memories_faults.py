"""Races, cancels and a store that fails: acknowledged is kept, refused is not, nothing twice."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from recalld.errors import NotFound, Refused, Unavailable
from recalld.memories.model import (
    Change,
    Memory,
    MemoryState,
    MemoryType,
    Receipt,
    Visibility,
    Write,
)
from recalld.store.memories import MemoryStore
from support.memory_world import House, new, open_house


class Troubled(MemoryStore):
    """The real store, with something that happens before or after each write."""

    before: Callable[[], Awaitable[None]] | None = None
    after: Callable[[], Awaitable[None]] | None = None

    async def put(self, write: Write) -> None:
        if self.before is not None:
            await self.before()
        await super().put(write)
        if self.after is not None:
            await self.after()

    async def forget(self, memories: Sequence[Memory]) -> Receipt:
        receipt = await super().forget(memories)
        if self.after is not None:
            await self.after()
        return receipt


async def fail() -> None:
    raise Unavailable("store", "the disk is full")


async def hang() -> None:
    await anyio.sleep(60)


def troubled(house: House) -> Troubled:
    assert isinstance(house.store, Troubled)
    return house.store


async def test_a_memory_that_is_refused_is_nowhere_and_can_be_sent_again(tmp_path: Path):
    async with open_house(tmp_path, store=Troubled) as house:
        troubled(house).before = fail
        with pytest.raises(Unavailable):
            await house.service.add(new("Anna owns billing", event_id="e"))
        troubled(house).before = None
        assert await house.service.count() == 0
        assert (await house.service.add(new("Anna owns billing", event_id="e"))).memory is not None
        assert await house.service.count() == 1


async def test_a_plan_stays_open_when_its_report_is_not_kept(tmp_path: Path):
    async with open_house(tmp_path, store=Troubled) as house:
        plan = await house.service.add(new("Fix the flaky upload test", MemoryType.PLAN))
        troubled(house).before = fail
        with pytest.raises(Unavailable):
            await house.service.add(new("Fixed the flaky upload test", MemoryType.EVENT))
        troubled(house).before = None
        memories, _ = await house.service.snapshot("ann")
        assert memories == {plan.memory.id: plan.memory}


@pytest.mark.parametrize("trouble", [fail, hang])
async def test_a_write_whose_end_nobody_saw_is_read_again(
    tmp_path: Path, trouble: Callable[[], Awaitable[None]]
):
    async with open_house(tmp_path, store=Troubled) as house:
        troubled(house).after = trouble
        with anyio.move_on_after(0.3):
            with pytest.raises(Unavailable):
                await house.service.add(new("Anna owns billing", event_id="e"))
            assert trouble is fail
        troubled(house).after = None
        (kept,) = (await house.service.snapshot("ann"))[0].values()
        assert (await house.service.get(kept.id)).content == "Anna owns billing"
        again = await house.service.add(new("Anna owns billing", event_id="e"))
        assert again.repeated
        assert again.memory.id == kept.id
        assert await house.service.count() == 1


async def test_a_forgetting_whose_end_nobody_saw_is_looked_up(tmp_path: Path):
    async with open_house(tmp_path, store=Troubled) as house:
        added = await house.service.add(new("Anna owns billing"))
        troubled(house).after = fail
        with pytest.raises(Unavailable):
            await house.service.forget([added.memory.id])
        troubled(house).after = None
        with pytest.raises(NotFound):
            await house.service.get(added.memory.id)


async def test_of_twenty_equal_messages_at_once_one_is_a_memory(tmp_path: Path):
    async with open_house(tmp_path) as house:
        ids: list[str] = []

        async def say(number: int) -> None:
            added = await house.service.add(new("Anna owns billing", session=f"s{number % 4}"))
            ids.append(added.memory.id)

        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(say, number)
        assert len(ids) == 20
        assert len({*ids}) == 1
        said = await house.service.occurrences(ids[0])
        assert sum(each.count for each in said) == 19
        assert (await house.service.get(ids[0])).access_count == 20


async def test_of_one_event_sent_twice_at_once_both_get_one_answer(tmp_path: Path):
    async with open_house(tmp_path) as house:
        answers = []

        async def say(content: str) -> None:
            answers.append(await house.service.add(new(content, event_id="e")))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(say, "first words")
            tasks.start_soon(say, "second words")
        one, other = answers
        assert one.memory == other.memory
        assert [one.repeated, other.repeated] == [False, True]
        assert await house.service.count() == 1


async def test_event_ids_of_two_owners_have_nothing_to_do_with_each_other(tmp_path: Path):
    async with open_house(tmp_path) as house:
        await house.service.add(new("one", event_id="e"))
        other = await house.service.add(new("one", owner="bob", event_id="e"))
        assert not other.repeated
        assert other.duplicate_of is None


async def test_an_update_and_a_forgetting_at_once_leave_one_of_both(tmp_path: Path):
    async with open_house(tmp_path) as house:
        added = await house.service.add(new("Anna owns billing"))

        async def update() -> None:
            with suppress(NotFound):
                await house.service.update(added.memory.id, Change(content="Bob owns billing"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(update)
            tasks.start_soon(house.service.forget, [added.memory.id])
        assert await house.service.count() == 0
    async with open_house(tmp_path) as house:
        assert await house.service.count() == 0
    for file in tmp_path.iterdir():
        assert b"owns billing" not in file.read_bytes()


async def test_uses_counted_while_a_memory_changes_write_no_old_words(tmp_path: Path):
    async with open_house(tmp_path) as house:
        added = await house.service.add(new("Anna owns billing"))

        async def use() -> None:
            for _ in range(30):
                await house.service.touch([added.memory.id])
                await house.service.flush()

        async def change() -> None:
            for number in range(30):
                await house.service.update(added.memory.id, Change(content=f"number {number}"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(use)
            tasks.start_soon(change)
        ((stored, vector),) = await house.store.page(after_id="", limit=9)
        assert stored.content == "number 29"
        assert vector is not None


async def test_another_owner_may_read_what_is_shared_and_change_nothing(tmp_path: Path):
    async with open_house(tmp_path) as house:
        shared = await house.service.add(
            new("Anna owns billing", owner="acme/ann", visibility=Visibility.TEAM)
        )
        private = await house.service.add(new("Anna is ill", owner="acme/ann"))
        bob = "acme/bob"
        assert (await house.service.get(shared.memory.id, viewer=bob)).owner == "acme/ann"
        with pytest.raises(Refused):
            await house.service.update(shared.memory.id, Change(importance=0.0), viewer=bob)
        with pytest.raises(Refused):
            await house.service.forget([shared.memory.id], viewer=bob)
        with pytest.raises(NotFound):
            await house.service.get(private.memory.id, viewer=bob)
        with pytest.raises(NotFound):
            await house.service.resolve(private.memory.id, viewer=bob)
        found = (await house.service.search(bob, "Anna")).found
        assert [each.memory.id for each in found] == [shared.memory.id]
        assert (await house.service.resolve(private.memory.id)).state is MemoryState.RESOLVED
