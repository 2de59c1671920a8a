"""Processes that tests start, and kill: ``python -m support.store_process ROLE PATH …``.

``pairs PATH NAME N`` writes N pairs. ``events PATH RUN`` appends events with 8 tasks until it is
killed and prints the id of each acknowledged one. ``migrate PATH`` takes the second, slow step of
the schema. ``stuck PATH`` ends its program while a reader's thread hangs for good.
"""

import os
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import aiosqlite
import anyio

from recalld.counters import Counters
from recalld.store.events import open_event_log
from recalld.store.migrate import Migration, migrate
from support.store_world import PAIRS, new_event, open_pairs, open_state, pair

WRITERS = 8
SLOW_STEP = Migration(
    number=2,
    sql="""
    ALTER TABLE half ADD COLUMN weight INTEGER;
    CREATE TABLE filler (id INTEGER PRIMARY KEY, body BLOB);
    WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 4000)
      INSERT INTO filler SELECT x, randomblob(2000) FROM n;
    CREATE INDEX half_weight ON half (weight);
    """,
)


def say(line: str) -> None:
    """One write system call a line, so that a kill cannot lose a part of it."""
    os.write(1, line.encode() + b"\n")


async def write_pairs(path: Path, name: str, count: int) -> None:
    async with open_pairs(path) as database:
        for number in range(count):
            await database.write(pair(f"{name}-{number}"))


async def append_events(path: Path, run: str) -> None:
    async with (
        open_state(path) as database,
        open_event_log(database, now=lambda: datetime.now(UTC), counters=Counters()) as log,
        anyio.create_task_group() as tasks,
    ):

        async def write(writer: int) -> None:
            number = 0
            while True:
                event_id = f"{run}-{writer}-{number}"
                await log.append(new_event(event_id))
                say(event_id)
                number += 1

        for writer in range(WRITERS):
            tasks.start_soon(write, writer)


async def leave_a_stuck_reader(path: Path) -> None:
    async def hang(connection: aiosqlite.Connection) -> None:
        await connection.create_function("hang", 0, threading.Event().wait)
        await connection.execute("SELECT hang()")

    async with open_pairs(path) as database:
        with anyio.move_on_after(0.05):
            await database.read(hang)
        say("stuck" if database.settling else "not stuck")


def main(role: str, path: Path, *rest: str) -> None:
    match role, rest:
        case "pairs", (name, count):
            anyio.run(write_pairs, path, name, int(count), backend="trio")
        case "events", (run,):
            anyio.run(append_events, path, run, backend="trio")
        case "migrate", ():
            migrate(path, "state", (PAIRS, SLOW_STEP))
        case "stuck", ():
            anyio.run(leave_a_stuck_reader, path, backend="trio")
        case _:
            raise SystemExit(f"unknown role {role} {rest}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
