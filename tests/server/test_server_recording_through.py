"""Events that do something are kept first, done once, and done all the same without the store."""

from datetime import UTC, datetime

import anyio
import pytest

from recalld.counters import Counters
from recalld.errors import Busy, Unavailable
from recalld.server.params import EventParams, SessionParam
from recalld.server.recording import ANSWER_MS, Recorder
from support.journals import FakeJournal

NOW = datetime(2026, 5, 1, tzinfo=UTC)


async def entry(record, event_id=None, key="s"):
    params = EventParams(session=SessionParam(key=key), event_id=event_id)
    return await record.entry("session.reset", params, at=NOW, payload={"reason": "new"})


class Work:
    """Counts how often it was done; ``fails`` so many times first, and takes ``pause_s``."""

    def __init__(self, *, fails=0, pause_s=0.0):
        self.done = 0
        self.fails = fails
        self.pause_s = pause_s

    async def __call__(self):
        await anyio.sleep(self.pause_s)
        self.done += 1
        if self.done <= self.fails:
            raise Unavailable("continuity", "the disk is full")
        return {"archived": f"copy {self.done}"}


async def test_the_event_is_kept_before_anything_is_done(autojump_clock):
    journal = FakeJournal()
    record = Recorder(journal, counters=Counters())
    kept_before = []

    async def work():
        kept_before.append(len(journal.entries))
        return {}

    await record.through(await entry(record), work)
    assert kept_before == [1]


async def test_a_duplicate_does_nothing_and_gets_the_first_answer(autojump_clock):
    record, work = Recorder(FakeJournal(), counters=Counters()), Work(pause_s=1)
    answers = []

    async def ask():
        answers.append(await record.through(await entry(record, "e"), work))

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(ask)
    assert work.done == 1
    assert answers.count({"archived": "copy 1"}) == 1
    assert answers.count({"archived": "copy 1", "duplicate": True}) == 3


async def test_without_an_id_every_event_is_one_of_its_own(autojump_clock):
    journal = FakeJournal()
    record, work = Recorder(journal, counters=Counters()), Work()
    for number in (1, 2):
        answer = await record.through(await entry(record), work)
        assert answer == {"archived": f"copy {number}"}
    assert (len(journal.entries), journal.replies) == (2, {})


async def test_what_failed_is_done_again_when_it_is_sent_again(autojump_clock):
    record, work = Recorder(FakeJournal(), counters=Counters()), Work(fails=1)
    with pytest.raises(Unavailable, match="continuity: the disk is full"):
        await record.through(await entry(record, "e"), work)
    assert await record.through(await entry(record, "e"), work) == {"archived": "copy 2"}


@pytest.mark.allow_errors
@pytest.mark.parametrize("trouble", [{"fails": True}, {"hangs": True}])
async def test_without_the_store_it_is_done_and_yet_said_not_to_be_kept(autojump_clock, trouble):
    record, work = Recorder(FakeJournal(**trouble), counters=Counters()), Work()
    with pytest.raises(Unavailable, match=r"^store: "):
        await record.through(await entry(record, "e"), work, limit_ms=200)
    assert work.done == 1
    assert anyio.current_time() < 0.3


async def test_a_duplicate_does_not_wait_for_ever(autojump_clock):
    counters = Counters()
    record, work = Recorder(FakeJournal(), counters=counters), Work(pause_s=60)

    async def first():
        await record.through(await entry(record, "e"), work)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(first)
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(Busy):
            await record.through(await entry(record, "e"), work)
        assert anyio.current_time() == pytest.approx(ANSWER_MS / 1_000, abs=0.1)
        tasks.cancel_scope.cancel()
    assert counters.get("events.duplicate_late") == 1
