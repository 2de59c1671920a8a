"""kill -9 under load: what was acknowledged is there, once, in a database that is sound."""

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

KILLS = 20


def acknowledged_until_killed(path: Path, run: str, *, after: int) -> list[str]:
    """Ids printed by 8 writing tasks before and after the kill that follows the ``after``-th."""
    command = [sys.executable, "-m", "support.store_process", "events", str(path), run]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(after)]
        process.kill()
        lines += process.stdout.readlines()
    assert process.returncode == -9
    return [line.strip() for line in lines]


def test_twenty_kills_under_eight_writers_lose_no_acknowledged_event(tmp_path: Path) -> None:
    chance = random.Random(20_260_302)
    path = tmp_path / "state.db"
    acknowledged: list[str] = []
    for kill in range(KILLS):
        acknowledged += acknowledged_until_killed(path, f"r{kill}", after=chance.randint(1, 300))
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
            stored = [row[0] for row in connection.execute("SELECT event_id FROM event")]
        assert len(stored) == len(set(stored))
        assert set(acknowledged) <= set(stored)
    assert len(acknowledged) >= KILLS
