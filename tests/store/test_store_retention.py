"""The state database lets go of what nobody asks for any more, and of nothing else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import aiosqlite
import pytest

from recalld.counters import Counters
from recalld.store.bridge import Database
from recalld.store.event_table import StoredEvent
from recalld.store.events import EventLog, open_event_log
from recalld.store.model import Sighting
from recalld.store.retention import _PAYLOADS, _REPLIES, BATCH_ROWS, Retention
from recalld.store.sessions import Sessions
from support.store_world import Clock, CountingWrites, new_event, open_state

KEEP = timedelta(days=90)
SESSION = "agent:main:1"


@dataclass(frozen=True, kw_only=True)
class World:
    clock: Clock
    database: CountingWrites
    log: EventLog
    sessions: Sessions
    retention: Retention
    counters: Counters

    async def events(self) -> tuple[StoredEvent, ...]:
        return await self.log.events_of(SESSION)


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[World]:
    clock, counters = Clock(), Counters()
    async with open_state(folder / "state.db") as real:
        database = CountingWrites(real)
        async with open_event_log(database, now=clock, counters=counters) as log:
            yield World(
                clock=clock,
                database=database,
                log=log,
                sessions=Sessions(database),
                retention=Retention(
                    database, now=clock, keep_days=lambda: KEEP.days, counters=counters
                ),
                counters=counters,
            )


async def test_a_reply_is_forgotten_after_a_day_and_its_event_is_kept(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await world.log.append(replace(new_event("old"), reply=b'{"n": 1}'))
        world.clock.move(timedelta(hours=23))
        await world.log.append(replace(new_event("new"), reply=b'{"n": 2}'))
        world.clock.move(timedelta(hours=2))
        await world.retention.sweep()
        old, new = await world.events()
        assert (old.reply, new.reply) == (None, b'{"n": 2}')
        assert (await world.log.append(new_event("new"))).reply == b'{"n": 2}'
        assert world.counters.get("store.replies_forgotten") == 1


async def test_only_the_words_of_old_prompts_go(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await world.log.append(new_event("p1", kind="session.prompt"))
        await world.log.append(new_event("t1", kind="session.turn"))
        world.clock.move(KEEP - timedelta(hours=1))
        await world.log.append(new_event("p2", kind="session.prompt"))
        world.clock.move(timedelta(hours=2))
        await world.retention.sweep()
        kept = b'{"text": "hi"}'
        assert [event.payload for event in await world.events()] == [b"{}", kept, kept]
        assert world.counters.get("store.prompts_forgotten") == 1


async def test_a_session_nobody_has_seen_for_so_long_is_forgotten(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        for key in ("gone", "here"):
            seen = Sighting(key=key, agent="main", workspace="/w", client=None, at=world.clock.at)
            await world.sessions.note(seen)
            world.clock.move(KEEP)
        await world.retention.sweep()
        assert await world.sessions.get("gone") is None
        assert await world.sessions.get("here") is not None


async def test_much_is_forgotten_in_small_batches_and_nothing_costs_no_write(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as world:
        for number in range(BATCH_ROWS + 1):
            await world.log.append(replace(new_event(f"e{number}"), reply=b"{}"))
        world.clock.move(timedelta(days=2))
        before = world.database.writes
        await world.retention.sweep()
        assert world.database.writes - before == 2
        await world.retention.sweep()
        assert world.database.writes - before == 2


@pytest.mark.parametrize("sql", [_REPLIES, _PAYLOADS])
async def test_what_is_due_is_found_without_reading_the_events(tmp_path: Path, sql: str) -> None:
    async def plan(connection: aiosqlite.Connection) -> str:
        rows = await connection.execute_fetchall(f"EXPLAIN QUERY PLAN {sql}", ("", 1))
        return " ".join(str(row[3]) for row in rows)

    async with open_state(tmp_path / "state.db") as database:
        checked: Database = database
        assert "USING INDEX" in await checked.read(plan) or "COVERING" in await checked.read(plan)
