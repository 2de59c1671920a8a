"""Transactions through the bridge: isolation, limits, faults, and the end of a process."""

import asyncio
import random
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import aiosqlite
import anyio
import pytest

from recalld.errors import Unavailable
from recalld.store.bridge import open_database, open_loop
from support.store_world import (
    HangingReads,
    count_to,
    one,
    open_pairs,
    open_state,
    pair,
    pairs,
    runaway,
)

PATIENCE_S = 10.0


async def test_a_write_is_seen_by_the_next_read(tmp_path: Path) -> None:
    async with open_pairs(tmp_path / "a.db") as database:
        await database.write(pair("first"))
        assert await database.read(pairs) == {"first": 2}


async def test_a_job_that_raises_leaves_no_half_and_its_error_is_its_own(tmp_path: Path) -> None:
    async def fails_half_way(connection: aiosqlite.Connection) -> None:
        await connection.execute("INSERT INTO half (pair, side) VALUES ('a', 'left')")
        raise LookupError("mine")

    async with open_pairs(tmp_path / "a.db") as database:
        with pytest.raises(LookupError, match="mine"):
            await database.write(fails_half_way)
        assert await database.read(pairs) == {}


async def test_a_violated_constraint_is_not_mistaken_for_a_failing_disk(tmp_path: Path) -> None:
    async def twice(connection: aiosqlite.Connection) -> None:
        for _ in range(2):
            await connection.execute("INSERT INTO half VALUES (1, 'a', 'left')")

    async with open_pairs(tmp_path / "a.db") as database:
        with pytest.raises(sqlite3.IntegrityError):
            await database.write(twice)


async def test_a_read_cannot_write(tmp_path: Path) -> None:
    async with open_pairs(tmp_path / "a.db") as database:
        with pytest.raises(Unavailable, match="cannot be written"):
            await database.read(pair("sneaked"))
        assert await database.read(pairs) == {}


async def test_a_read_sees_one_snapshot_from_its_first_statement_on(tmp_path: Path) -> None:
    seen_first, written = anyio.Event(), anyio.Event()

    async def look_twice(connection: aiosqlite.Connection) -> tuple[int, int]:
        before = len(await pairs(connection))
        seen_first.set()
        while not written.is_set():
            await asyncio.sleep(0.001)
        return before, len(await pairs(connection))

    async with open_pairs(tmp_path / "a.db") as database, anyio.create_task_group() as tasks:

        async def write_between() -> None:
            await seen_first.wait()
            await database.write(pair("late"))
            written.set()

        tasks.start_soon(write_between)
        assert await database.read(look_twice) == (0, 0)
        assert await database.read(pairs) == {"late": 2}


async def test_a_runaway_read_is_cut_and_its_connection_serves_again(tmp_path: Path) -> None:
    async with open_pairs(tmp_path / "a.db") as database:
        for _ in range(3):
            with pytest.raises(Unavailable, match="read cut after 30 ms"):
                await database.read(runaway, cut_ms=30)
        assert await database.read(one) == 1


async def test_random_cancels_leave_whole_pairs_and_interrupt_no_bystander(tmp_path: Path) -> None:
    """300 cancelled writes and 100 cancelled reads beside readers and a writer left in peace."""
    chance = random.Random(20_260_301)
    finished: set[str] = set()

    async with open_pairs(tmp_path / "a.db") as database:

        async def cancelled_writes(name: str) -> None:
            for number in range(100):
                with anyio.move_on_after(chance.uniform(0, 0.012)):
                    await database.write(pair(f"{name}-{number}", work=chance.choice((1, 10**7))))
                    finished.add(f"{name}-{number}")
                with anyio.fail_after(PATIENCE_S):
                    await database.write(pair(f"{name}-{number}-after"))
                finished.add(f"{name}-{number}-after")

        async def cancelled_reads() -> None:
            for _ in range(100):
                with anyio.move_on_after(chance.uniform(0, 0.012)):
                    await database.read(runaway)
                with anyio.fail_after(PATIENCE_S):
                    assert await database.read(one) == 1

        async def bystander(stop: anyio.CancelScope) -> None:
            with stop:
                while True:
                    assert await database.read(lambda c: count_to(c, 2_000)) == 2_000

        stop = anyio.CancelScope()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(bystander, stop)
            async with anyio.create_task_group() as cancelling:
                for name in ("x", "y", "z"):
                    cancelling.start_soon(cancelled_writes, name)
                cancelling.start_soon(cancelled_reads)
            stop.cancel()
        found = await database.read(pairs)

    assert set(found.values()) == {2}
    assert finished <= set(found)


async def test_a_cancelled_write_gives_the_lock_back_to_other_processes(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    async with open_pairs(path) as database:
        with anyio.move_on_after(0.02) as scope:
            await database.write(pair("gone", work=-1))
        assert scope.cancelled_caught
        with anyio.fail_after(PATIENCE_S):
            while database.settling:
                await anyio.sleep(0.001)
        with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert other.execute("SELECT count(*) FROM half").fetchone() == (0,)


@pytest.mark.parametrize("fate", ["deleted", "replaced"])
async def test_no_write_is_acknowledged_into_a_file_that_is_gone(tmp_path: Path, fate: str) -> None:
    path = tmp_path / "a.db"
    async with open_pairs(path) as database:
        await database.write(pair("before"))
        path.rename(tmp_path / "moved.db")
        if fate == "replaced":
            path.write_bytes((tmp_path / "moved.db").read_bytes())
        with pytest.raises(Unavailable, match="moved or deleted"):
            await database.write(pair("lost"))
        (tmp_path / "moved.db").rename(path)
        await database.write(pair("after"))
        assert await database.read(pairs) == {"before": 2, "after": 2}


async def test_an_interrupted_full_text_write_does_not_cost_the_writer(tmp_path: Path) -> None:
    """SQLite keeps the interrupt pending after one; only a new connection writes again."""
    words = [f"w{number}" for number in range(4_000)]
    rows = [(" ".join(random.Random(n).choices(words, k=200)),) for n in range(300)]

    async def fill(connection: aiosqlite.Connection) -> None:
        await connection.executemany("INSERT INTO t (a) VALUES (?)", rows)

    async def make(connection: aiosqlite.Connection) -> None:
        await connection.execute("CREATE VIRTUAL TABLE t USING fts5 (a, content='')")

    async with open_pairs(tmp_path / "pairs.db") as database:
        await database.write(make)
        chance = random.Random(7)
        for _ in range(60):
            with anyio.move_on_after(chance.random() * 0.03):
                await database.write(fill)
        await database.write(pair("after"))
        assert await database.quick_check() == ()
        assert await database.read(pairs) == {"after": 2}


@pytest.mark.parametrize("lane", ["read", "write"])
async def test_a_cursor_left_open_survives_neither_the_commit_nor_a_cancel(
    tmp_path: Path, lane: str
) -> None:
    """An unread SELECT keeps its snapshot, and keeps an interrupt pending for the ROLLBACK."""
    left: list[aiosqlite.Cursor] = []

    async def leave_open(connection: aiosqlite.Connection) -> None:
        sql = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
        left.append(await connection.execute(sql))
        await left[-1].fetchone()

    async def leave_open_and_wait(connection: aiosqlite.Connection) -> None:
        await leave_open(connection)
        await asyncio.sleep(60)

    async with open_pairs(tmp_path / "a.db") as database:
        run: Callable[..., Awaitable[object]] = getattr(database, lane)
        await run(leave_open)
        with anyio.move_on_after(0.02) as scope:
            await run(leave_open_and_wait)
        assert scope.cancelled_caught
        await database.write(pair("next"))
        assert await database.read(pairs) == {"next": 2}
        assert await database.checkpoint()


async def test_hung_readers_cost_a_cancelled_caller_nothing_more_and_no_write(
    tmp_path: Path,
) -> None:
    async with open_pairs(tmp_path / "a.db") as real:
        database = HangingReads(real)
        with database.hanging():
            for _ in range(5):
                with anyio.fail_after(PATIENCE_S), anyio.move_on_after(0.02) as scope:
                    await database.read(one)
                assert scope.cancelled_caught
            assert database.settling == 2
            await database.write(pair("meanwhile"))
        with anyio.fail_after(PATIENCE_S):
            assert await database.read(pairs) == {"meanwhile": 2}
            while database.settling:
                await anyio.sleep(0.001)


async def test_an_outdated_snapshot_is_retried_unseen(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    tries = 0

    async def outdated_at_first(connection: aiosqlite.Connection) -> None:
        nonlocal tries
        tries += 1
        if tries == 1:
            await connection.execute("COMMIT")
            await connection.execute("BEGIN DEFERRED")
            await pairs(connection)
            with closing(sqlite3.connect(path)) as other:
                other.execute("INSERT INTO half (pair, side) VALUES ('other', 'left')")
                other.commit()
        await pair("mine")(connection)

    async with open_pairs(path) as database:
        await database.write(outdated_at_first)
        assert tries == 2
        assert await database.read(pairs) == {"mine": 2, "other": 1}


async def test_an_idle_checkpoint_empties_the_log_unless_a_reader_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    async with open_pairs(path) as database:
        await database.write(pair("first"))
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM half").fetchone()
            await database.write(pair("second"))
            assert not await database.checkpoint()
        assert await database.checkpoint()
        assert await database.wal_bytes() == 0


@pytest.mark.parametrize(
    ("lane", "pragma", "value"),
    [
        ("write", "synchronous", 2),
        ("write", "foreign_keys", 1),
        ("write", "trusted_schema", 0),
        ("write", "cell_size_check", 1),
        ("write", "journal_size_limit", 64 * 1024 * 1024),
        ("write", "query_only", 0),
        ("read", "query_only", 1),
        ("read", "trusted_schema", 0),
        ("read", "cache_size", -8192),
        ("read", "temp_store", 2),
    ],
)
async def test_connections_are_set_up_as_promised(
    tmp_path: Path, lane: str, pragma: str, value: int
) -> None:
    async def ask(connection: aiosqlite.Connection) -> int:
        ((answer,),) = await connection.execute_fetchall(f"PRAGMA {pragma}")
        return int(answer)

    async with open_state(tmp_path / "state.db") as database:
        run: Callable[..., Awaitable[object]] = getattr(database, lane)
        assert await run(ask) == value


async def test_a_closed_database_says_so(tmp_path: Path) -> None:
    async with open_loop():
        async with open_database(
            tmp_path / "a.db", migrations="index", synchronous="NORMAL"
        ) as database:
            assert await database.read(one) == 1
        with pytest.raises(Unavailable, match="closed"):
            await database.read(one)
