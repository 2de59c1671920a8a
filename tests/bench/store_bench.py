"""What the store costs: ``python -m bench.store_bench`` prints it, in about ten seconds.

Reads are trivial, so the figure is the bridge's own; appends come from 64 clients that think for
20 ms between two events, as in the promise of an acknowledgement's latency.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import aiosqlite
import anyio

from recalld.counters import Counters
from recalld.store.bridge import Database, open_database, open_loop
from recalld.store.events import EventLog, NewEvent, open_event_log

READS = 3_000
CLIENTS = 64
EVENTS_PER_CLIENT = 60
THINK_MS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Milliseconds at three points of a distribution."""

    p50_ms: float
    p99_ms: float
    max_ms: float

    @classmethod
    def of(cls, samples_s: Sequence[float]) -> "Spread":
        ordered = sorted(s * 1_000 for s in samples_s)
        return cls(
            p50_ms=statistics.median(ordered),
            p99_ms=ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))],
            max_ms=ordered[-1],
        )

    def __str__(self) -> str:
        return f"p50 {self.p50_ms:.3f} ms, p99 {self.p99_ms:.3f} ms, max {self.max_ms:.3f} ms"


async def timed(work: Callable[[], Awaitable[object]], *, times: int) -> Spread:
    samples_s: list[float] = []
    for _ in range(times):
        began_s = time.perf_counter()
        await work()
        samples_s.append(time.perf_counter() - began_s)
    return Spread.of(samples_s)


async def trivial(connection: aiosqlite.Connection) -> None:
    await connection.execute_fetchall("SELECT 1")


async def nothing(_: aiosqlite.Connection) -> None:
    """A write transaction that writes nothing: BEGIN IMMEDIATE and COMMIT, no sync."""


async def measure_appends(log: EventLog, *, payload_bytes: int = 500) -> tuple[Spread, float]:
    """Latency of an acknowledged append under all clients, and events a second."""
    samples_s: list[float] = []

    async def client(name: int) -> None:
        for number in range(EVENTS_PER_CLIENT):
            event = NewEvent(
                event_id=f"{name}-{number}",
                kind="session.turn",
                session_key=f"s{name}",
                agent="main",
                workspace=None,
                at="2026-03-01T10:00:00Z",
                payload=b'"' + b"x" * payload_bytes + b'"',
            )
            began_s = time.perf_counter()
            await log.append(event)
            samples_s.append(time.perf_counter() - began_s)
            await anyio.sleep(THINK_MS / 1_000)

    began_s = time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for name in range(CLIENTS):
            tasks.start_soon(client, name)
    return Spread.of(samples_s), len(samples_s) / (time.perf_counter() - began_s)


def fsync_cost(folder: Path, *, times: int = 100) -> Spread:
    """The disk's own share: write 4 KiB and sync it."""
    samples_s: list[float] = []
    with closing(os.fdopen(os.open(folder / "probe", os.O_CREAT | os.O_WRONLY), "wb", 0)) as probe:
        for _ in range(times):
            began_s = time.perf_counter()
            probe.write(b"\0" * 4096)
            os.fdatasync(probe.fileno())
            samples_s.append(time.perf_counter() - began_s)
    return Spread.of(samples_s)


async def cancel_cost(database: Database, *, times: int = 40) -> Spread:
    """How long after a 20 ms deadline a runaway read returns."""

    async def runaway(connection: aiosqlite.Connection) -> None:
        await connection.execute_fetchall(
            "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
        )

    samples_s: list[float] = []
    for _ in range(times):
        began_s = time.perf_counter()
        with anyio.move_on_after(0.02):
            await database.read(runaway)
        samples_s.append(time.perf_counter() - began_s - 0.02)
    return Spread.of(samples_s)


async def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("disk sync, 4 KiB      ", fsync_cost(folder))
        async with (
            open_loop(),
            open_database(folder / "s.db", migrations="state", synchronous="FULL") as database,
        ):
            reads = await timed(lambda: database.read(trivial), times=READS)
            print("trivial read          ", reads)
            print(
                "empty write           ", await timed(lambda: database.write(nothing), times=1000)
            )
            print("overshoot of a cancel ", await cancel_cost(database))
            async with open_event_log(
                database, now=lambda: datetime.now(UTC), counters=Counters()
            ) as log:
                spread, rate = await measure_appends(log)
            print(f"append, {CLIENTS} clients   ", spread, f"({rate:.0f} events/s)")


if __name__ == "__main__":
    anyio.run(main, backend="trio")
