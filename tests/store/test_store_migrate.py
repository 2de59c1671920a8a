"""Schema versions: each step whole or not at all, newer ones refused, older ones copied first."""

import hashlib
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from recalld.errors import BadConfig
from recalld.store.bridge import open_database, open_loop
from recalld.store.migrate import Family, Migration, migrate, shipped, statements
from support.store_process import SLOW_STEP
from support.store_world import PAIRS, open_pairs, pair, pairs

SECOND = Migration(number=2, sql="ALTER TABLE half ADD COLUMN weight INTEGER;")
BROKEN = Migration(number=2, sql="CREATE TABLE extra (id); INSERT INTO nowhere VALUES (1);")


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        ((version,),) = connection.execute("PRAGMA user_version")
        return int(version)


def columns_of(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [row[1] for row in connection.execute("PRAGMA table_info(half)")]


def fingerprint(folder: Path) -> dict[str, str]:
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in folder.iterdir()}


@pytest.mark.parametrize("family", ["state", "index"])
def test_the_shipped_migrations_make_a_sound_database(tmp_path: Path, family: Family) -> None:
    steps = shipped(family)
    path = tmp_path / "a.db"
    migrate(path, family, steps)
    assert version_of(path) == len(steps) > 0
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    assert migrate(path, "state", (PAIRS,)) == 0
    assert migrate(path, "state", (PAIRS,)) == 1
    assert [f.name for f in tmp_path.iterdir()] == ["a.db"]


async def test_an_older_database_is_copied_before_it_is_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    async with open_pairs(path) as database:
        await database.write(pair("kept"))
    (tmp_path / "a.db.v0.backup").write_text("an earlier one")
    async with (
        open_loop(),
        open_database(path, migrations=("state", (PAIRS, SECOND)), synchronous="FULL") as database,
    ):
        assert await database.read(pairs) == {"kept": 2}
    assert "weight" in columns_of(path)
    backup = tmp_path / "a.db.v1.backup"
    assert [f for f in tmp_path.iterdir() if "backup" in f.name] == [backup]
    assert backup.stat().st_mode & 0o777 == 0o600
    assert "weight" not in columns_of(backup)
    with closing(sqlite3.connect(backup)) as copy:
        assert copy.execute("SELECT count(*) FROM half").fetchone() == (2,)


@pytest.mark.parametrize("leftover_log", ["without a log", "with a log"])
async def test_a_newer_schema_is_refused_and_untouched(tmp_path: Path, leftover_log: str) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    path = tmp_path / "a.db"
    migrate(path, "state", (PAIRS, SECOND))
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("INSERT INTO half (pair, side) VALUES ('new', 'left')")
        writer.commit()
        for name in ("a.db", "a.db-wal") if leftover_log == "with a log" else ():
            (folder / name).write_bytes((tmp_path / name).read_bytes())
    if leftover_log == "without a log":
        (folder / "a.db").write_bytes(path.read_bytes())
    before = fingerprint(folder)
    with pytest.raises(BadConfig, match="has schema 2, this version knows up to 1"):
        async with open_pairs(folder / "a.db"):
            pytest.fail("opened")
    assert fingerprint(folder).items() >= before.items()


@pytest.mark.parametrize("kind", ["foreign", "other family"])
def test_somebody_elses_database_is_refused_and_untouched(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.db"
    if kind == "foreign":
        with closing(sqlite3.connect(path)) as foreign:
            foreign.execute("CREATE TABLE bookmarks (url)")
            foreign.commit()
    else:
        migrate(path, "index", (PAIRS,))
    before = fingerprint(tmp_path)
    with pytest.raises(BadConfig, match="is not a state database"):
        migrate(path, "state", (PAIRS, SECOND))
    assert fingerprint(tmp_path).items() >= before.items()


def test_a_step_that_fails_leaves_the_schema_before_it(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        migrate(path, "state", (PAIRS, BROKEN))
    assert version_of(path) == 1
    with closing(sqlite3.connect(path)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert tables == {"half"}


async def test_a_migration_killed_anywhere_leaves_the_old_or_the_new_schema(
    tmp_path: Path,
) -> None:
    """Ten kills, each when the log has grown to another size: before, in and after the step."""
    schemas: dict[int, set[bool]] = {}
    for kill in range(10):
        path = tmp_path / str(kill) / "a.db"
        path.parent.mkdir()
        migrate(path, "state", (PAIRS,))
        wal = path.with_name("a.db-wal")
        process = subprocess.Popen(
            [sys.executable, "-m", "support.store_process", "migrate", str(path)]
        )
        with anyio.fail_after(30):
            while process.poll() is None:
                if wal.exists() and wal.stat().st_size > kill * 900_000:
                    process.kill()
                await anyio.sleep(0.0005)
        schemas.setdefault(version_of(path), set()).add("weight" in columns_of(path))
        migrate(path, "state", (PAIRS, SLOW_STEP))
        assert version_of(path) == 2
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("SELECT count(*) FROM filler").fetchone() == (4000,)
    assert schemas.pop(1) == {False}
    assert schemas in ({}, {2: {True}})


@pytest.mark.parametrize(
    ("script", "count"),
    [
        ("", 0),
        (" \n", 0),
        ("-- nothing; but a remark\n", 1),
        ("SELECT 1; SELECT 2", 2),
        ("SELECT 1;", 1),
        ("SELECT 'a;b'; SELECT 2;", 2),
        ("/* a; b */ SELECT 1; -- c;\nSELECT 2;\n-- the end", 3),
        ("CREATE TRIGGER t AFTER INSERT ON x BEGIN SELECT 1; SELECT 2; END; SELECT 3;", 2),
    ],
)
def test_a_script_is_cut_where_sqlite_would_cut_it(script: str, count: int) -> None:
    assert len(list(statements(script))) == count


def test_random_scripts_lose_no_character() -> None:
    chance = random.Random(3)
    parts = ["SELECT 1;", "SELECT ';';", "-- x;\n", "/* ; */", "\n", 'SELECT "a;b";']
    for _ in range(200):
        script = "".join(chance.choices(parts, k=6)) + "SELECT 9;"
        assert "".join(statements(script)) == script
