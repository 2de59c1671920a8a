"""The event log: durable, batched, idempotent, and indifferent to who gives up waiting."""

import asyncio
import gc
import random
import sqlite3
import weakref
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TypeVar, cast

import aiosqlite
import anyio
import pytest
import trio.testing

from recalld.counters import Counters
from recalld.errors import BadRequest, Unavailable
from recalld.store.bridge import Database, Job
from recalld.store.event_table import REMEMBER_IDS
from recalld.store.events import Accepted, EventLog, open_event_log
from support.store_world import Clock, CountingWrites, new_event, open_state, runaway

DAY = REMEMBER_IDS
T = TypeVar("T")


async def test_an_acknowledged_event_is_in_the_file_for_others_to_read(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    async with (
        open_state(path) as database,
        open_event_log(database, now=Clock(), counters=Counters()) as log,
    ):
        accepted = await log.append(new_event("e1", text="hello"))
        with closing(sqlite3.connect(path)) as other:
            rows = other.execute("SELECT seq, event_id, payload, received_at FROM event")
            assert rows.fetchall() == [
                (accepted.seq, "e1", b'{"text": "hello"}', "2026-03-01T10:00:00.000000Z")
            ]


async def test_many_waiting_events_share_a_few_syncs_of_at_most_64(tmp_path: Path) -> None:
    async with open_state(tmp_path / "state.db") as real:
        database = CountingWrites(real)
        async with open_event_log(database, now=Clock(), counters=Counters()) as log:
            seqs: list[int] = []

            async def append(number: int) -> None:
                seqs.append((await log.append(new_event(f"e{number}"))).seq)

            async with anyio.create_task_group() as tasks:
                for number in range(200):
                    tasks.start_soon(append, number)
            assert sorted(seqs) == list(range(1, 201))
            assert 4 <= database.writes <= 5
            assert await log.count() == 200


async def test_a_repeat_gets_the_first_number_and_the_first_reply(tmp_path: Path) -> None:
    async with (
        open_state(tmp_path / "state.db") as database,
        open_event_log(database, now=Clock(), counters=Counters()) as log,
    ):
        first = await log.append(new_event("e1"))
        assert first == Accepted(seq=first.seq, duplicate=False, reply=None)
        early = await log.append(new_event("e1", text="other"))
        assert early == Accepted(seq=first.seq, duplicate=True, reply=None)
        await log.record_reply(first.seq, b'{"n": 1}')
        await log.record_reply(first.seq, b'{"n": 2}')
        late = await log.append(new_event("e1"))
        assert late == Accepted(seq=first.seq, duplicate=True, reply=b'{"n": 1}')
        assert await log.count() == 1


async def test_repeats_in_one_batch_are_one_event(tmp_path: Path) -> None:
    async with (
        open_state(tmp_path / "state.db") as database,
        open_event_log(database, now=Clock(), counters=Counters()) as log,
    ):
        found: list[Accepted] = []

        async def append() -> None:
            found.append(await log.append(new_event("same")))

        async with anyio.create_task_group() as tasks:
            for _ in range(30):
                tasks.start_soon(append)
        assert [a.duplicate for a in found].count(False) == 1
        assert {a.seq for a in found} == {1}


@pytest.mark.parametrize(
    ("event_id", "kind", "session", "duplicate"),
    [
        ("e1", "session.turn", "agent:main:1", True),
        ("e1", "session.turn", "agent:main:2", False),
        ("e1", "session.end", "agent:main:1", False),
        ("E1", "session.turn", "agent:main:1", False),
        (None, "session.turn", "agent:main:1", False),
    ],
)
async def test_only_session_kind_and_id_together_make_a_repeat(
    tmp_path: Path, event_id: str | None, kind: str, session: str, *, duplicate: bool
) -> None:
    async with (
        open_state(tmp_path / "state.db") as database,
        open_event_log(database, now=Clock(), counters=Counters()) as log,
    ):
        await log.append(new_event("e1"))
        await log.append(new_event(None))
        again = await log.append(new_event(event_id, kind=kind, session=session))
        assert again.duplicate is duplicate


@pytest.mark.parametrize(
    ("age", "duplicate"),
    [
        (timedelta(0), True),
        (DAY, True),
        (DAY + timedelta(microseconds=1), False),
        (timedelta(days=400), False),
    ],
)
async def test_an_id_may_be_used_again_after_a_day(
    tmp_path: Path, age: timedelta, *, duplicate: bool
) -> None:
    clock = Clock()
    async with (
        open_state(tmp_path / "state.db") as database,
        open_event_log(database, now=clock, counters=Counters()) as log,
    ):
        first = await log.append(new_event("e1"))
        clock.move(age)
        again = await log.append(new_event("e1"))
        assert again.duplicate is duplicate
        assert (again.seq == first.seq) is duplicate
        kept = await log.events_of("agent:main:1")
        assert [e.event_id for e in kept] == (["e1"] if duplicate else [None, "e1"])


async def test_random_appends_agree_with_a_dictionary(tmp_path: Path) -> None:
    chance, clock = random.Random(11), Clock()
    oracle: dict[tuple[str, str], tuple[int, float, bytes | None]] = {}
    elapsed_h = 0.0
    async with (
        open_state(tmp_path / "state.db") as database,
        open_event_log(database, now=clock, counters=Counters()) as log,
    ):
        for number in range(300):
            step_h = chance.choice((0.0, 0.0, 1.0, 7.0))
            elapsed_h += step_h
            clock.move(timedelta(hours=step_h))
            key = (chance.choice(("session.turn", "session.end")), chance.choice("abcdef"))
            got = await log.append(new_event(key[1], kind=key[0]))
            known = oracle.get(key)
            if known is not None and elapsed_h - known[1] <= 24:
                assert got == Accepted(seq=known[0], duplicate=True, reply=known[2])
                continue
            assert not got.duplicate
            assert got.seq > max((seq for seq, _, _ in oracle.values()), default=0)
            reply = chance.choice((None, str(number).encode()))
            if reply is not None:
                await log.record_reply(got.seq, reply)
            oracle[key] = (got.seq, elapsed_h, reply)


async def test_a_caller_who_gives_up_blocks_nobody_and_its_event_is_kept_once_at_most(
    tmp_path: Path,
) -> None:
    chance = random.Random(17)
    acknowledged: set[str] = set()
    async with (
        open_state(tmp_path / "state.db") as database,
        open_event_log(database, now=Clock(), counters=Counters()) as log,
    ):

        async def client(name: str) -> None:
            for number in range(20):
                event_id = f"{name}-{number}"
                with anyio.move_on_after(chance.uniform(0, 0.008)):
                    await log.append(new_event(event_id))
                    acknowledged.add(event_id)
                if chance.random() < 0.3:
                    await log.append(new_event(event_id))
                    acknowledged.add(event_id)

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                for name in "abcdefghijklmnop":
                    tasks.start_soon(client, name)
        kept = [e.event_id for e in await log.events_of("agent:main:1")]
    assert len(kept) == len(set(kept))
    assert acknowledged <= set(kept)


async def test_a_full_disk_refuses_the_events_counts_them_and_recovers(tmp_path: Path) -> None:
    counters = Counters()

    async def limit(connection: aiosqlite.Connection, pages: int) -> None:
        await connection.execute_fetchall(f"PRAGMA max_page_count = {pages}")

    async with (
        open_state(tmp_path / "state.db") as database,
        open_event_log(database, now=Clock(), counters=counters) as log,
    ):
        before = await log.append(new_event("before"))
        await database.write(lambda c: limit(c, 12))
        with pytest.raises(Unavailable, match="disk is full"):
            await log.append(new_event("big", text="x" * 100_000))
        assert counters.get("store.event_refused") == 1
        assert await log.count() == 1
        await database.write(lambda c: limit(c, 100_000))
        after = await log.append(new_event("big", text="x" * 100_000))
        assert (after.seq, after.duplicate) == (before.seq + 1, False)


async def test_leaving_the_log_keeps_what_is_queued(tmp_path: Path) -> None:
    acknowledged: list[int] = []
    release = asyncio.Event()

    async def hold(_: aiosqlite.Connection) -> None:
        await release.wait()

    async with open_state(tmp_path / "state.db") as database, anyio.create_task_group() as tasks:
        async with open_event_log(database, now=Clock(), counters=Counters()) as log:

            async def append(number: int) -> None:
                acknowledged.append((await log.append(new_event(f"e{number}"))).seq)

            tasks.start_soon(database.write, hold)
            await anyio.wait_all_tasks_blocked()
            for number in range(100):
                tasks.start_soon(append, number)
            await anyio.wait_all_tasks_blocked()
            assert acknowledged == []
            release.set()
        with pytest.raises(Unavailable, match="closed"):
            await log.append(new_event("late"))
        assert await log.count() == 100
    assert sorted(acknowledged) == list(range(1, 101))


async def test_a_cancelled_log_refuses_what_waits_and_what_comes(tmp_path: Path) -> None:
    refused: list[str] = []
    counters = Counters()
    async with open_state(tmp_path / "state.db") as database:
        log = EventLog(database, now=Clock(), counters=counters)
        async with anyio.create_task_group() as callers:

            async def append(event_id: str) -> None:
                with pytest.raises(Unavailable):
                    await log.append(new_event(event_id))
                refused.append(event_id)

            async with anyio.create_task_group() as writers:
                writers.start_soon(database.write, runaway)
                await anyio.sleep(0.01)
                writers.start_soon(log.run)
                for number in range(70):
                    callers.start_soon(append, str(number))
                await anyio.wait_all_tasks_blocked()
                await log.record_reply(1, b"{}")
                writers.cancel_scope.cancel()
            callers.start_soon(append, "after")
        assert len(refused) == 71
        assert counters.get("store.reply_lost") == 1
        assert await log.count() == 0


async def test_events_come_back_by_session_in_order_and_in_pages(tmp_path: Path) -> None:
    async with (
        open_state(tmp_path / "state.db") as database,
        open_event_log(database, now=Clock(), counters=Counters()) as log,
    ):
        for number in range(5):
            await log.append(new_event(f"e{number}"))
        page = await log.events_of("agent:main:1", after_seq=1, limit=2)
        assert [e.event_id for e in page] == ["e1", "e2"]
        assert await log.events_of("agent:main:2") == ()


async def test_text_that_is_not_unicode_is_refused_before_it_reaches_a_batch(
    tmp_path: Path,
) -> None:
    async with (
        open_state(tmp_path / "state.db") as database,
        open_event_log(database, now=Clock(), counters=Counters()) as log,
    ):
        with pytest.raises(BadRequest, match=r"params\.event_id"):
            await log.append(new_event("\ud800"))
        assert not (await log.append(new_event("会话"))).duplicate


class Hung(Database):
    """A database whose writes never end."""

    def __init__(self) -> None:
        """Nothing is opened."""

    async def write(self, job: Job[T]) -> T:
        del job
        await anyio.sleep_forever()
        raise AssertionError


class Key(str):
    """Text whose end can be observed."""

    __slots__ = ("__weakref__",)


async def test_events_given_up_are_let_go_while_the_store_hangs(
    autojump_clock: trio.testing.MockClock,
) -> None:
    log = EventLog(Hung(), now=Clock(), counters=Counters())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(log.run)
        seen = []
        for number in range(3):
            event = replace(new_event(f"e{number}"), session_key=Key("s"))
            seen.append(weakref.ref(cast("Key", event.session_key)))
            with anyio.move_on_after(1):
                await log.append(event)
            del event
        await anyio.sleep(0)  # trio holds the last thing a task awaited
        gc.collect()
        # The first is in the batch that hangs; the others only wait behind it.
        assert [ref() is None for ref in seen] == [False, True, True]
        tasks.cancel_scope.cancel()
