"""The state database is read while daemons come and go, and is left as it is."""

import subprocess
import sys
from pathlib import Path

import pytest

from recalld.cli._state import StateFile
from recalld.errors import Unavailable

# Opens, writes and closes, over and over: the files beside the database come and go.
BUSY = """
import sqlite3, sys
for number in range(int(sys.argv[2])):
    connection = sqlite3.connect(sys.argv[1])
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE IF NOT EXISTS session (key, workspace, client, started_at,"
        " seen_at, ended_at)")
    connection.execute("INSERT INTO session VALUES (?, NULL, NULL, '2026-05-04T10:00:00+00:00',"
        " '2026-05-04T10:00:00+00:00', NULL)", (str(number),))
    connection.commit()
    connection.close()
"""


def test_a_database_that_is_opened_and_closed_all_the_time_can_be_read(tmp_path: Path):
    path = tmp_path / "state.db"
    reads, most = 0, 0
    with subprocess.Popen([sys.executable, "-c", BUSY, str(path), "400"]) as writer:
        while writer.poll() is None:
            most = max(most, len(StateFile(tmp_path).sessions()))
            reads += 1
    assert writer.returncode == 0
    assert most <= len(StateFile(tmp_path).sessions()) == 400
    assert reads > 0


def test_what_is_no_database_is_named(tmp_path: Path):
    (tmp_path / "state.db").write_bytes(b"no database at all, and longer than a header" * 30)
    with pytest.raises(Unavailable, match=r"state\.db: file is not a database"):
        StateFile(tmp_path).sessions()
