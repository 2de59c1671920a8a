"""A database on a bad day: full, locked, damaged, gone, or held by a reader."""

import os
import random
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import aiosqlite
import anyio
import pytest

from recalld.errors import Corrupt, Unavailable
from support.store_world import (
    open_pairs,
    pair,
    pairs,
    runaway,
)

PATIENCE_S = 10.0


async def test_a_lock_held_by_another_process_stops_writes_but_no_read(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    async with open_pairs(path, lock_wait_ms=200) as database:
        await database.write(pair("before"))
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(Unavailable, match="locked by another process"):
                await database.write(pair("refused"))
            assert await database.read(pairs) == {"before": 2}
            other.execute("ROLLBACK")
        await database.write(pair("after"))
        assert await database.read(pairs) == {"before": 2, "after": 2}


async def test_two_processes_write_and_a_reader_sees_whole_pairs_only(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    done: list[int] = []
    async with open_pairs(path) as database:

        async def other(name: str) -> None:
            await anyio.run_process(
                [sys.executable, "-m", "support.store_process", "pairs", str(path), name, "200"]
            )
            done.append(1)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(other, "one")
            tasks.start_soon(other, "two")
            while len(done) < 2:
                assert set((await database.read(pairs)).values()) <= {2}
                await anyio.sleep(0.002)
        found = await database.read(pairs)
    assert len(found) == 400
    assert set(found.values()) == {2}


async def test_a_full_disk_refuses_the_write_keeps_reads_and_recovers(tmp_path: Path) -> None:
    async def fill(connection: aiosqlite.Connection) -> None:
        await connection.execute(
            "INSERT INTO half (pair, side) VALUES ('big', hex(zeroblob(500000)))"
        )

    async def limit(connection: aiosqlite.Connection, pages: int) -> None:
        await connection.execute_fetchall(f"PRAGMA max_page_count = {pages}")

    async with open_pairs(tmp_path / "a.db") as database:
        await database.write(pair("before"))
        await database.write(lambda c: limit(c, 20))
        with pytest.raises(Unavailable, match="disk is full"):
            await database.write(fill)
        assert await database.read(pairs) == {"before": 2}
        await database.write(pair("small"))
        await database.write(lambda c: limit(c, 100_000))
        await database.write(fill)
        assert await database.read(pairs) == {"before": 2, "small": 2, "big": 1}


async def test_a_damaged_page_is_corrupt_and_named_by_the_check(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    async with open_pairs(path) as database:
        for number in range(500):
            await database.write(pair(f"pair number {number}"))
        assert await database.quick_check() == ()
        await database.checkpoint()
    with path.open("r+b") as file:
        file.seek(3 * 4096)
        file.write(random.Random(5).randbytes(3 * 4096))
    async with open_pairs(path) as database:
        with pytest.raises(Corrupt, match=r"a\.db"):
            await database.read(pairs)
        assert await database.quick_check() != ()


async def test_a_file_that_is_no_database_is_corrupt_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"dear diary, " * 1_000)
    with pytest.raises(Corrupt):
        async with open_pairs(path):
            pytest.fail("opened")
    assert path.read_bytes() == b"dear diary, " * 1_000


async def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Unavailable):
        async with open_pairs(tmp_path / "file" / "a.db"):
            pytest.fail("opened")


async def test_only_the_owner_may_read_the_files_whatever_the_umask(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    before = os.umask(0)
    try:
        async with open_pairs(folder / "a.db") as database:
            await database.write(pair("secret"))
            assert await database.wal_bytes() > 0
            modes = {f.name: stat.S_IMODE(f.stat().st_mode) for f in folder.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"a.db": 0o600, "a.db-wal": 0o600, "a.db-shm": 0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_closing_interrupts_a_runaway_read(tmp_path: Path) -> None:
    with anyio.fail_after(PATIENCE_S):
        async with open_pairs(tmp_path / "a.db") as database, anyio.create_task_group() as tasks:
            tasks.start_soon(database.read, runaway)
            await anyio.sleep(0.01)
            tasks.cancel_scope.cancel()


def test_a_reader_that_hangs_for_good_does_not_keep_the_process_alive(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "support.store_process", "stuck", str(tmp_path / "a.db")],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("stuck\n", "", 0)
