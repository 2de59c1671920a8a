"""Adding, finding, changing: what is acknowledged is there, once, and as it was said."""

from pathlib import Path

import pytest

from recalld.errors import BadRequest, NotFound, Refused
from recalld.memories.model import Change, MemoryState, MemoryType, Origin, Wanted
from support.memory_world import new, open_house


async def test_what_was_added_is_there_after_a_restart(tmp_path: Path):
    async with open_house(tmp_path) as house:
        added = await house.service.add(new("Anna owns billing", MemoryType.RELATIONSHIP))
        assert added.duplicate_of is None
    async with open_house(tmp_path) as house:
        assert (await house.service.snapshot("ann"))[0] == {added.memory.id: added.memory}
        assert added.memory.id in await house.service.vectors([added.memory.id])


async def test_the_same_words_again_are_one_memory_and_an_occurrence(tmp_path: Path):
    async with open_house(tmp_path) as house:
        first = await house.service.add(new("Anna owns billing", session="s1"))
        house.later(hours=2)
        again = await house.service.add(new("Anna owns billing!", session="s2"))
        assert again.duplicate_of == first.memory.id
        assert again.memory.access_count == 1
        assert again.memory.confidence > first.memory.confidence
        (said,) = await house.service.occurrences(first.memory.id)
        assert (said.content, said.session) == ("Anna owns billing!", "s2")
        assert await house.service.count() == 1


async def test_an_event_id_again_does_nothing_and_gets_the_first_answer(tmp_path: Path):
    async with open_house(tmp_path) as house:
        first = await house.service.add(new("one", event_id="e1"))
        again = await house.service.add(new("two", event_id="e1"))
        assert again.repeated
        assert again.memory == first.memory
        house.later(hours=25)
        assert not (await house.service.add(new("two", event_id="e1"))).repeated


async def test_a_report_resolves_the_plan_and_an_update_takes_it_back(tmp_path: Path):
    async with open_house(tmp_path) as house:
        plan = await house.service.add(new("Fix the flaky upload test", MemoryType.PLAN))
        done = await house.service.add(new("Fixed the flaky upload test", MemoryType.EVENT))
        assert done.resolved == (plan.memory.id,)
        found = await house.service.get(plan.memory.id)
        assert (found.state, found.resolved_by) == (MemoryState.RESOLVED, done.memory.id)
        back = await house.service.update(found.id, Change(state=MemoryState.ACTIVE))
        assert (back.state, back.resolved_by) == (MemoryState.ACTIVE, None)


async def test_search_ranks_what_is_near_and_counts_the_use(tmp_path: Path):
    async with open_house(tmp_path) as house:
        near = await house.service.add(new("The staging database runs on Postgres 15"))
        await house.service.add(new("The printer is jammed again"))
        found = (
            await house.service.search("ann", "which Postgres runs the staging database")
        ).found
        assert found[0].memory.id == near.memory.id
        assert (await house.service.snapshot("ann"))[0][near.memory.id].access_count == 1


async def test_a_list_comes_in_pages_newest_first(tmp_path: Path):
    async with open_house(tmp_path) as house:
        for number in range(5):
            await house.service.add(
                new(f"note {number}", tags=("even",) if number % 2 == 0 else ())
            )
            house.later(minutes=1)
        page = await house.service.list("ann", limit=3)
        assert [memory.content for memory in page.memories] == ["note 4", "note 3", "note 2"]
        rest = await house.service.list("ann", limit=3, cursor=page.cursor)
        assert [memory.content for memory in rest.memories] == ["note 1", "note 0"]
        assert rest.cursor is None
        even = await house.service.list("ann", Wanted(tags=frozenset({"even"})))
        assert len(even.memories) == 3


async def test_what_is_forgotten_is_gone(tmp_path: Path):
    async with open_house(tmp_path) as house:
        added = await house.service.add(new("the code of the safe is under the mat", event_id="e"))
        receipt = await house.service.forget([added.memory.id])
        assert receipt.removed["memories"] == 1
        with pytest.raises(NotFound):
            await house.service.get(added.memory.id)
        with pytest.raises(Refused):
            await house.service.add(new("the code of the safe is under the mat", event_id="e"))
    for file in tmp_path.iterdir():
        assert b"under the mat" not in file.read_bytes()


async def test_a_heartbeats_own_words_are_refused_and_counted(tmp_path: Path):
    async with open_house(tmp_path) as house:
        house.said_by_heartbeat.add("You have three open plans")
        for said in (
            new("You have three open plans"),
            new("Thanks, I will look at them", origin=Origin.HEARTBEAT),
        ):
            with pytest.raises(Refused):
                await house.service.add(said)
        assert house.counters.get("memories.own_words") == 2
        assert await house.service.count() == 0


@pytest.mark.parametrize("content", ["", "  \n", "\0", "a\ud800b", "x" * 9_000, "字" * 3_000])
async def test_what_cannot_be_kept_is_refused_by_name(tmp_path: Path, content: str):
    async with open_house(tmp_path) as house:
        with pytest.raises(BadRequest) as caught:
            await house.service.add(new(content))
        assert caught.value.key == "params.content"


async def test_looking_at_a_routine_or_wording_it_better_does_not_move_its_schedule(
    tmp_path: Path,
):
    async with open_house(tmp_path) as house:
        tags = ("cron:every:2h",)
        routine = (await house.service.add(new("Water plants", MemoryType.PLAN, tags=tags))).memory
        since = routine.accessed_at
        house.later(hours=1)
        assert await house.service.get(routine.id) == routine
        (found,) = (await house.service.search("ann", "Water plants")).found
        assert found.memory == routine
        again = await house.service.add(new("Water plants!", MemoryType.PLAN))
        assert again.duplicate_of == routine.id
        assert (again.memory.accessed_at, again.memory.access_count) == (since, 0)
        worded = await house.service.update(routine.id, Change(content="Water the roses"))
        assert (worded.accessed_at, worded.updated_at) == (since, house.clock())
        # What is due at other times counts from now, and so does what is taken up again.
        moved = await house.service.update(routine.id, Change(tags=("cron:daily",)))
        assert moved.accessed_at == house.clock()
        house.later(hours=1)
        await house.service.touch([routine.id])
        assert (await house.service.get(routine.id)).accessed_at == house.clock()
