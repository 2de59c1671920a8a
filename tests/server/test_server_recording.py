"""Events kept once, cleaned before they are kept."""

from datetime import UTC, datetime
from functools import partial

import anyio
import orjson
import pytest

from recalld.counters import Counters
from recalld.errors import Unavailable
from recalld.server.answers import KEEP_S, MOST, Answers
from recalld.server.params import EventParams, SessionParam
from recalld.server.recording import Recorder
from support.journals import FakeJournal

NOW = datetime(2026, 5, 1, tzinfo=UTC)
BLOCK = "<recall-context>\nwhat we said ourselves\n</recall-context>"


def params(event_id=None, key="s", **session):
    return EventParams(session=SessionParam(key=key, **session), event_id=event_id)


def recorder(journal):
    return Recorder(journal, counters=Counters())


async def entry(record, payload, **options):
    return await record.entry("session.turn", params(**options), at=NOW, payload=payload)


async def test_own_blocks_and_secrets_never_reach_the_journal(autojump_clock):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    made = await entry(
        recorder(FakeJournal()),
        {"user": f"hi {BLOCK} there", "messages": [{"content": f"token {secret}"}], "n": 1},
    )
    kept = orjson.loads(made.payload)
    assert "what we said" not in kept["user"]
    assert secret not in made.payload.decode()
    assert kept["n"] == 1


async def test_a_long_text_is_cleaned_beside_the_loop():
    made = await entry(recorder(FakeJournal()), {"user": f"{'x ' * 40_000}{BLOCK}"})
    assert len(orjson.loads(made.payload)["user"]) == 80_000


async def test_the_same_id_returns_the_first_reply_and_does_nothing(autojump_clock):
    journal = FakeJournal()
    record = recorder(journal)
    runs = []

    async def work():
        runs.append(1)
        return {"value": len(runs)}

    made = await entry(record, {}, event_id="e")
    first = await record.once(made, work, limit_ms=100, wait_ms=4_000)
    second = await record.once(made, work, limit_ms=100, wait_ms=4_000)
    assert first == {"value": 1}
    assert second == {"value": 1, "duplicate": True}
    assert len(runs) == 1


async def test_a_duplicate_that_overtakes_the_answer_waits_for_it(autojump_clock):
    record = recorder(FakeJournal())
    made = await entry(record, {}, event_id="e")
    results = []

    async def slow():
        await anyio.sleep(3)
        return {"slow": True}

    async def ask():
        results.append(await record.once(made, slow, limit_ms=100, wait_ms=4_000))

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(ask)
    assert results.count({"slow": True}) == 1
    assert results.count({"slow": True, "duplicate": True}) == 4
    assert anyio.current_time() < 4


async def test_a_duplicate_waits_no_longer_than_its_own_budget(autojump_clock):
    record = recorder(FakeJournal())
    made = await entry(record, {}, event_id="e")

    async def endless():
        await anyio.sleep_forever()

    async def own():
        return {"status": "timeout"}

    async with anyio.create_task_group() as tasks:
        first = partial(record.once, made, endless, limit_ms=100, wait_ms=4_000)
        tasks.start_soon(first)
        await anyio.wait_all_tasks_blocked()
        late = await record.once(made, own, limit_ms=100, wait_ms=300)
        tasks.cancel_scope.cancel()
    assert late == {"status": "timeout"}
    assert anyio.current_time() == pytest.approx(0.3, abs=0.01)


async def test_the_same_id_in_another_session_is_another_event(autojump_clock):
    record = recorder(FakeJournal())
    results = []

    async def ask(key):
        async def work():
            await anyio.sleep(1)
            return {"of": key}

        made = await entry(record, {}, event_id="e", key=key)
        results.append(await record.once(made, work, limit_ms=100, wait_ms=4_000))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask, "one")
        tasks.start_soon(ask, "two")
    assert sorted(result["of"] for result in results) == ["one", "two"]
    assert not any(result.get("duplicate") for result in results)
    assert anyio.current_time() == pytest.approx(1, abs=0.1)


async def test_of_many_duplicates_one_at_a_time_takes_the_place_of_a_first_that_failed(
    autojump_clock,
):
    record = recorder(FakeJournal())
    running, most = [], []

    async def work():
        running.append(1)
        most.append(len(running))
        await anyio.sleep(1)
        running.pop()
        raise Unavailable("search", "broke")

    async def ask():
        made = await entry(record, {"text": "x"}, event_id="e")
        with pytest.raises(Unavailable):
            await record.once(made, work, limit_ms=100, wait_ms=4_000)

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(ask)
    assert max(most) == 1


@pytest.mark.allow_errors
@pytest.mark.parametrize("trouble", [{"fails": True}, {"hangs": True}])
async def test_a_store_in_trouble_costs_a_prompt_little_and_its_answer_is_still_the_first(
    autojump_clock, trouble
):
    journal = FakeJournal(**trouble)
    record = recorder(journal)
    made = await entry(record, {}, event_id="e")
    began = anyio.current_time()
    runs = []

    async def work():
        runs.append(1)
        return {"value": len(runs)}

    assert await record.once(made, work, limit_ms=100, wait_ms=4_000) == {"value": 1}
    assert anyio.current_time() - began < 0.2
    again = {"value": 1, "duplicate": True}
    assert await record.once(made, work, limit_ms=100, wait_ms=4_000) == again
    # The store is well again: nothing changes for what was answered without it.
    journal.fails = journal.hangs = False
    assert await record.once(made, work, limit_ms=100, wait_ms=4_000) == again
    other = await entry(record, {}, event_id="e2")
    assert await record.once(other, work, limit_ms=100, wait_ms=4_000) == {"value": 2}
    assert len(journal.entries) == 1


@pytest.mark.parametrize("way", ["once", "through"])
async def test_an_answer_the_journal_lost_is_still_the_first(autojump_clock, way):
    class Forgetful(FakeJournal):
        async def record_reply(self, seq, reply):
            raise Unavailable("store", "the disk is full")

    record = recorder(Forgetful())
    made = await entry(record, {}, event_id="e")
    runs = []

    async def work():
        runs.append(1)
        return {"value": len(runs)}

    waits = {"limit_ms": 100} | ({"wait_ms": 4_000} if way == "once" else {})
    assert await getattr(record, way)(made, work, **waits) == {"value": 1}
    assert await getattr(record, way)(made, work, **waits) == {"value": 1, "duplicate": True}


async def test_answers_are_remembered_for_a_day_and_the_latest_of_them(autojump_clock):
    answers = Answers()
    record = recorder(FakeJournal())
    events = [await entry(record, {}, event_id=f"e{number}") for number in range(MOST + 1)]
    answers.keep(await entry(record, {}), b"{}")
    for number, made in enumerate(events):
        answers.keep(made, b"%d" % number)
    assert answers.of(events[0]) is None
    assert answers.of(events[1]) == b"1"
    assert answers.of(events[MOST]) == b"%d" % MOST
    await anyio.sleep(KEEP_S - 1)
    assert answers.of(events[1]) == b"1"
    await anyio.sleep(2)
    assert answers.of(events[1]) is None


@pytest.mark.allow_errors
@pytest.mark.parametrize("trouble", [{"fails": True}, {"hangs": True}])
async def test_a_store_in_trouble_refuses_a_turn_in_time(autojump_clock, trouble):
    record = recorder(FakeJournal(**trouble))
    with pytest.raises(Unavailable):
        await record.keep(await entry(record, {}))
    assert anyio.current_time() < 10
