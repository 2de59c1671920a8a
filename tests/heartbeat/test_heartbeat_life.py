"""Acts from the tick that prepares them on: races, refusals, restarts, limits, answers."""

from datetime import timedelta
from pathlib import Path

import anyio
import pytest

from recalld.errors import NotFound, Unavailable
from recalld.heartbeat.model import ActState, Reason, Ticked
from recalld.heartbeat.policy import DeliveryPolicy, HeartbeatPolicy
from recalld.heartbeat.schedule import Scheduler
from recalld.heartbeat.writer import Keeper
from recalld.memories.model import Memory, MemoryType
from support.heartbeat_house import NO, NOON, OWNER, FakeChat, Room, open_room

DECISION = "decided to pin the upload client because the upload test was flaky"
SIGNAL = "the flaky upload test of the upload client is back"
TEXTS = (
    "the badge printer jams",
    "order the violin strings",
    "paint the granite step",
    "oil the ferry winch",
)


async def due(room: Room, text: str = SIGNAL, minutes: float = 30, **values) -> Memory:
    expires_at = room.house.clock() + timedelta(minutes=minutes)
    return await room.remember(text, days_ago=2, **{"expires_at": expires_at, **values})


async def one_act(room: Room, **asked) -> Ticked:
    await room.fill()
    await due(room)
    ticked = await room.tick(**asked)
    assert ticked.decision.act
    return ticked


def act_of(ticked: Ticked) -> str:
    assert ticked.act_id is not None
    return ticked.act_id


async def test_two_ticks_at_once_are_one_act_and_one_call(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        await due(room)
        found: list[Ticked] = []

        async def tick() -> None:
            found.append(await room.tick(analyze=True))

        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(tick)
        assert sum(ticked.decision.act for ticked in found) == 1
        assert len(room.chat.asked) == sum(ticked.llm_calls for ticked in found) == 1
        assert len(room.told) == 1


async def test_ticks_of_several_owners_hear_each_turn_once(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.said("it works now, thanks")
        keeper = Keeper(room.store, room.house.counters)
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(keeper.messages, NOON)
        assert len(await keeper.messages(NOON)) == 1


async def test_an_act_is_on_its_way_for_half_an_hour_and_then_comes_back(tmp_path: Path):
    async with open_room(tmp_path) as room:
        first = await one_act(room)
        room.house.later(minutes=5)
        assert (await room.tick()).decision.reason is Reason.SUPPRESS_STALE
        room.house.later(minutes=26)
        again = await room.tick()
        assert again.decision.act
        assert again.act_id != first.act_id


async def test_a_crash_between_act_and_delivery_neither_doubles_nor_loses(tmp_path: Path):
    async with open_room(tmp_path) as room:
        first = await one_act(room)
    async with open_room(tmp_path) as room:
        room.house.later(minutes=1)
        assert not (await room.tick()).decision.act
        room.house.later(minutes=30)
        again = await room.tick()
        assert again.decision.act
        # The first was shown after all, and says so late.
        assert await room.service.delivered(act_of(first), ok=True) is ActState.DELIVERED


async def test_what_failed_comes_back_at_once_and_rests_after_three(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        await room.remember(SIGNAL, days_ago=2, importance=0.9)
        for _ in range(3):
            ticked = await room.tick(delivers=True)
            assert ticked.decision.act
            assert await room.service.delivered(act_of(ticked), ok=False) is ActState.FAILED
            room.house.later(minutes=1)
        assert (await room.tick(delivers=True)).decision.reason is Reason.DELIVERY_SUSPENDED
        # A host that takes the message itself is not what failed.
        assert (await room.tick()).decision.act


async def test_a_second_word_on_a_delivered_act_changes_nothing(tmp_path: Path):
    async with open_room(tmp_path) as room:
        act_id = act_of(await one_act(room))
        assert await room.service.delivered(act_id, ok=False) is ActState.FAILED
        assert await room.service.delivered(act_id, ok=True) is ActState.DELIVERED
        assert await room.service.delivered(act_id, ok=False) is ActState.DELIVERED
        with pytest.raises(NotFound):
            await room.service.delivered("nothing", ok=True)


async def test_a_reminder_that_was_delivered_is_over(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        tags = ("cron:once:2026-06-10T11:59:00Z",)
        memory = await room.remember("call the ferry office", days_ago=1, tags=tags)
        ticked = await room.tick()
        assert [signal.check for signal in ticked.decision.signals] == ["scheduled"]
        await room.service.delivered(act_of(ticked), ok=True)
    async with open_room(tmp_path) as room:
        kept = (await room.house.service.snapshot("ann"))[0][memory.id]
        assert kept.access_count == 1
        room.house.later(days=1)
        assert "scheduled" not in [one.check for one in (await room.tick()).decision.signals]


async def test_a_refusal_of_the_store_tells_nobody_and_asks_no_model(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        await due(room)
        room.store.refusal = Unavailable("store", "the disk is full")
        for _ in range(3):
            with pytest.raises(Unavailable):
                await room.tick(analyze=True)
        assert not room.told
        assert not room.chat.asked
        room.store.refusal = None
        assert (await room.tick(analyze=True)).decision.act
        assert len(room.chat.asked) == 1


async def test_a_tick_cut_short_in_its_call_has_counted_it(tmp_path: Path):
    class Slow(FakeChat):
        async def complete(self, request):
            self.asked.append(request)
            await anyio.sleep_forever()

    policy = HeartbeatPolicy(max_llm_calls_per_day=1)
    async with open_room(tmp_path, chat=Slow(), policy=policy) as room:
        await room.fill()
        await due(room)
        with anyio.move_on_after(1):
            await room.tick(analyze=True)
        ticked = await room.tick(analyze=True)
        assert ticked.decision.act
        assert ticked.llm_calls == 0
        assert len(room.chat.asked) == 1


async def test_a_model_that_said_no_is_not_asked_the_same_again(tmp_path: Path):
    async with open_room(tmp_path, chat=FakeChat(says=NO)) as room:
        await room.fill()
        await room.remember(DECISION, MemoryType.EVENT, days_ago=7, session="s0")
        await due(room)
        first = await room.tick(analyze=True)
        assert first.decision.reason is Reason.SUPPRESS_LLM
        assert (first.message, first.block, first.act_id) == ("", "", None)
        assert first.enrichment.related == ()
        for _ in range(4):
            room.house.later(minutes=5)
            again = await room.tick(analyze=True)
            assert (again.decision.reason, again.llm_calls) == (Reason.SUPPRESS_LLM, 0)
        assert len(room.chat.asked) == 1
        room.house.later(minutes=15)
        await room.tick(analyze=True)
        assert len(room.chat.asked) == 2


async def test_the_days_messages_and_calls_end_at_the_users_midnight(tmp_path: Path):
    """Also on the day of 25 hours, of which the last hour but one comes twice."""
    policy = HeartbeatPolicy(max_messages_per_day=3, max_llm_calls_per_day=2)
    start = NOON.replace(month=10, day=25, hour=8)
    zone = "Europe/Berlin"
    async with open_room(tmp_path, policy=policy, zone=zone, at=start) as room:
        await room.fill()
        calls: list[int] = []
        for text in TEXTS:
            await due(room, text)
            ticked = await room.tick(analyze=True)
            calls.append(ticked.llm_calls)
            if ticked.act_id is not None:
                await room.service.delivered(ticked.act_id, ok=True)
            room.house.later(hours=4, minutes=50)
        assert calls == [1, 1, 0, 0]
        kept = [tick.reason for tick in await room.service.ticks("ann")]
        assert kept[0] == Reason.SUPPRESS_DAILY_CAP
        # 22:59 UTC is a minute to midnight there, in winter time by now.
        for minute, calls_made in ((59, 2), (60, 3)):
            room.house.clock.at = start.replace(hour=22, minute=0) + timedelta(minutes=minute)
            await room.tick(analyze=True)
            assert len(room.chat.asked) == calls_made


async def test_an_answer_is_heard_even_when_nobody_ticked_for_a_day(tmp_path: Path):
    async with open_room(tmp_path) as room:
        first = await one_act(room)
        await room.service.delivered(act_of(first), ok=True)
        room.house.later(minutes=20)
        await room.said("yes, I am on it")
        room.house.later(hours=14)
        await room.said("good evening")
        room.house.later(hours=8)
        await room.tick()
        assert (await room.act(act_of(first))).answered_at == NOON + timedelta(minutes=20)


async def test_a_heartbeats_own_words_are_no_answer_also_after_a_restart(tmp_path: Path):
    async with open_room(tmp_path) as room:
        first = await one_act(room)
        await room.service.delivered(act_of(first), ok=True)
    async with open_room(tmp_path) as room:
        await room.service.remember()
        assert room.own.holds("ann", first.message)
        assert not room.own.holds("ann", SIGNAL)
        room.house.later(minutes=5)
        await room.said(first.message)
        await room.said("HEARTBEAT", heartbeat=True)
        await room.said("")
        await room.tick()
        assert (await room.act(act_of(first))).answered_at is None


async def test_what_was_acknowledged_is_silent_for_a_day_or_as_long_as_is_said(tmp_path: Path):
    async with open_room(tmp_path) as room:
        first = await one_act(room)
        await room.service.acknowledge(act_id=act_of(first), memory_id=None, snooze_s=None)
        assert (await room.act(act_of(first))).state is ActState.DELIVERED
        for hours in (1, 22):
            room.house.later(hours=hours)
            assert SIGNAL not in (await room.tick()).message
        room.house.later(hours=2)
        assert (await room.tick()).decision.reason is Reason.ACT_DEADLINE_CRITICAL


async def test_a_memory_is_put_off_by_its_id(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        memory = await due(room)
        await room.service.acknowledge(act_id=None, memory_id=memory.id, snooze_s=3_600)
        room.house.later(minutes=59)
        assert SIGNAL not in (await room.tick()).message
        room.house.later(minutes=1)
        assert (await room.tick()).decision.act
        for act_id, memory_id in (("nothing", None), (None, "nothing")):
            with pytest.raises(NotFound):
                await room.service.acknowledge(act_id=act_id, memory_id=memory_id, snooze_s=None)


@pytest.mark.allow_errors
async def test_the_scheduler_goes_on_after_a_store_that_failed(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        await due(room)
        said = tmp_path / "said"
        policy = HeartbeatPolicy(
            scheduled=True,
            delivery=DeliveryPolicy(
                command=("sh", "-c", f'printf %s "$1" >> {said}', "-", "{message}")
            ),
        )
        scheduler = Scheduler(service=room.service, world=room.world, environ=dict, owner=OWNER)
        room.store.refusal = Unavailable("store", "the disk is full")
        assert await scheduler.beat(policy) == 60
        assert room.house.counters.get("heartbeat.ticks_failed") == 1
        room.store.refusal = None
        assert await scheduler.beat(policy) > 0
        assert SIGNAL in said.read_text("utf-8")
        assert [told.act.state for told in room.told] == [ActState.PREPARED]
        assert room.house.counters.get("heartbeat.delivered") == 1


async def test_nothing_is_prepared_for_nobody(tmp_path: Path):
    async with open_room(tmp_path, is_heard=lambda: False) as room:
        await room.fill()
        await due(room)
        scheduler = Scheduler(service=room.service, world=room.world, environ=dict, owner=OWNER)
        await scheduler.beat(HeartbeatPolicy(scheduled=True))
        assert not room.told
        assert room.house.counters.get("heartbeat.unheard") == 1


async def test_a_tick_sees_what_came_since_the_one_before(tmp_path: Path):
    """What is kept between two ticks is of the very same memories."""
    async with open_room(tmp_path) as room:
        await room.fill()
        await room.said("good morning")
        assert (await room.tick()).decision.signals == ()
        assert (await room.tick(at=NOON - timedelta(days=60))).decision.signals == ()
        memory = await due(room)
        found = (await room.tick(signals_only=True)).decision.signals
        assert f"deadlines:{memory.id}" in [signal.id for signal in found]
        await room.house.service.resolve(memory.id)
        assert (await room.tick(signals_only=True)).decision.signals == ()


async def test_an_acknowledged_routine_comes_at_its_next_time(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        await room.remember("Stretch your back", tags=("cron:hourly",), days_ago=0.1)
        first = await room.tick()
        assert "Stretch" in first.message
        await room.service.acknowledge(act_id=act_of(first), memory_id=None, snooze_s=None)
        for minutes, comes in ((59, False), (1, True)):
            room.house.later(minutes=minutes)
            ticked = await room.tick()
            assert ("Stretch" in ticked.message) is comes
        (memory,) = [m for m in (await room.house.service.list("ann")).memories if m.tags]
        await room.service.delivered(act_of(ticked), ok=False)
        await room.service.acknowledge(act_id=None, memory_id=memory.id, snooze_s=None)
        for minutes, comes in ((59, False), (1, True)):
            room.house.later(minutes=minutes)
            assert ("Stretch" in (await room.tick()).message) is comes


@pytest.mark.parametrize("by_act", [True, False])
async def test_a_routine_that_was_told_and_put_off_comes_again_once(tmp_path: Path, by_act: bool):
    async with open_room(tmp_path) as room:
        await room.fill()
        memory = await room.remember("Take the pills", tags=("cron:daily:12:00",), days_ago=1)
        first = await room.tick()
        assert "pills" in first.message
        await room.service.delivered(act_of(first), ok=True)
        named = (act_of(first), None) if by_act else (None, memory.id)
        await room.service.acknowledge(act_id=named[0], memory_id=named[1], snooze_s=3_600)
    async with open_room(tmp_path, at=NOON) as room:
        for minutes, comes in ((59, False), (1, True), (30, True)):
            room.house.later(minutes=minutes)
            ticked = await room.tick()
            assert ("pills" in ticked.message) is comes
            if minutes == 1:
                await room.service.delivered(act_of(ticked), ok=False)
        await room.service.delivered(act_of(ticked), ok=True)
        for _ in range(20):
            room.house.later(hours=1)
            assert "pills" not in (await room.tick()).message
        room.house.later(hours=4)
        assert "pills" in (await room.tick()).message


async def test_a_routine_that_is_put_off_by_its_id_comes_after_that(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        memory = await room.remember("Stretch your back", tags=("cron:daily",), days_ago=1)
        await room.service.acknowledge(act_id=None, memory_id=memory.id, snooze_s=600)
        for minutes, comes in ((9, False), (1, True)):
            room.house.later(minutes=minutes)
            assert ("Stretch" in (await room.tick()).message) is comes
