"""A damaged database is moved aside, kept and named; the service goes on with a fresh one."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

import anyio
import anyio.to_thread

from recalld.counters import Counters
from recalld.errors import Corrupt
from recalld.store.bridge import Database, open_database

# A check that takes longer is given up: being ready in time is promised, too.
CHECK_S = 1.0
KEEP_QUARANTINED = 2
SUFFIXES = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """``quarantined`` is the damaged file that was found at this start, where it lies now."""

    database: Database
    quarantined: Path | None


@asynccontextmanager
async def open_or_replace(
    path: Path,
    *,
    migrations: Literal["state", "index"],
    synchronous: Literal["FULL", "NORMAL"],
    counters: Counters,
    now: Callable[[], datetime],
) -> AsyncIterator[Opened]:
    """As ``open_database``; a damaged file becomes ``NAME.damaged-TIME`` and a new one is made.

    At most two damaged files of a name are kept. Counted: ``store.quarantined``.
    """
    async with AsyncExitStack() as stack:
        try:
            database = await _opened_sound(stack, path, migrations, synchronous)
            quarantined = None
        except Corrupt:
            counters.add("store.quarantined")
            quarantined = await anyio.to_thread.run_sync(_move_aside, path, now())
            database = await stack.enter_async_context(
                open_database(path, migrations=migrations, synchronous=synchronous)
            )
        yield Opened(database=database, quarantined=quarantined)


async def _opened_sound(
    stack: AsyncExitStack,
    path: Path,
    migrations: Literal["state", "index"],
    synchronous: Literal["FULL", "NORMAL"],
) -> Database:
    async with AsyncExitStack() as attempt:
        database = await attempt.enter_async_context(
            open_database(path, migrations=migrations, synchronous=synchronous)
        )
        with anyio.move_on_after(CHECK_S):
            found = await database.quick_check()
            if found:
                raise Corrupt(f"{path.name}: {found[0]}")
        stack.push_async_exit(attempt.pop_all())
        return database


def _move_aside(path: Path, now: datetime) -> Path:
    mark = now.strftime("%Y%m%dT%H%M%S%f")
    target = path.with_name(f"{path.name}.damaged-{mark}")
    for suffix in SUFFIXES:
        if os.path.lexists(f"{path}{suffix}"):
            Path(f"{path}{suffix}").rename(f"{target}{suffix}")
    for old in quarantined_files(path)[:-KEEP_QUARANTINED]:
        for suffix in SUFFIXES:
            Path(f"{old}{suffix}").unlink(missing_ok=True)
    return target


def quarantined_files(path: Path) -> tuple[Path, ...]:
    """Damaged files of this name, oldest first."""
    found = path.parent.glob(f"{path.name}.damaged-*")
    return tuple(sorted(file for file in found if not file.name.endswith(SUFFIXES[1:])))
