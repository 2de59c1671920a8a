"""The state database lets go of what nobody asks for any more, and of nothing else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import aiosqlite
import pytest

from recalld.continuity.model import ChildResult, NewVersion, Origin
from recalld.counters import Counters
from recalld.store.bridge import Database
from recalld.store.checkpoints import CheckpointStore
from recalld.store.event_table import StoredEvent
from recalld.store.events import EventLog, open_event_log
from recalld.store.model import Sighting
from recalld.store.retention import (
    _OWED,
    _PAYLOADS,
    _REPLIES,
    _TOLD,
    _UNTOLD,
    _VERSIONS,
    BATCH_ROWS,
    Retention,
)
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
    checkpoints: CheckpointStore

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
                checkpoints=CheckpointStore(database),
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


def _child(name: str, world: World, result: str = "done") -> ChildResult:
    return ChildResult(child=name, outcome="ok", result=result, at=world.clock.at)


async def test_what_sub_agents_left_is_forgotten_and_a_newer_result_is_not(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as world:
        for name in ("told", "untold", "again"):
            await world.checkpoints.add_child("/w", SESSION, _child(name, world))
        await world.checkpoints.surface("/w", SESSION, ["told", "again"], at=world.clock.at)
        await world.checkpoints.set_pending("/w", "old", at=world.clock.at)
        world.clock.move(KEEP)
        await world.checkpoints.add_child("/w", SESSION, _child("again", world, "more"))
        await world.checkpoints.add_child("/w", SESSION, _child("new", world))
        await world.checkpoints.set_pending("/w", "new", at=world.clock.at)
        world.clock.move(timedelta(hours=1))
        await world.retention.sweep()
        waiting = await world.checkpoints.pending("/w", SESSION)
        assert [each.child for each in waiting] == ["again", "new"]
        assert await world.checkpoints.load_pending() == {("/w", "new")}
        for what in ("results", "untold_results", "owed_snapshots"):
            assert world.counters.get(f"store.{what}_forgotten") == 1


async def test_old_versions_are_forgotten_but_the_newest_of_each_workspace(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as world:
        for workspace in ("/one", "/two"):
            for number in range(3):
                version = NewVersion(
                    text="t", sha=f"{number}", origin=Origin.MACHINE, at=world.clock.at
                )
                await world.checkpoints.add_version(workspace, version)
        world.clock.move(KEEP + timedelta(hours=1))
        await world.retention.sweep()
        for workspace in ("/one", "/two"):
            assert [each.sha for each in await world.checkpoints.versions(workspace)] == ["2"]
        assert world.counters.get("store.checkpoints_forgotten") == 4


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


@pytest.mark.parametrize("sql", [_REPLIES, _PAYLOADS, _TOLD, _UNTOLD, _OWED, _VERSIONS])
async def test_what_is_due_is_found_without_reading_the_rest(tmp_path: Path, sql: str) -> None:
    async def plan(connection: aiosqlite.Connection) -> str:
        rows = await connection.execute_fetchall(f"EXPLAIN QUERY PLAN {sql}", ("", 1))
        return " ".join(str(row[3]) for row in rows)

    async with open_state(tmp_path / "state.db") as database:
        checked: Database = database
        assert "USING INDEX" in await checked.read(plan) or "COVERING" in await checked.read(plan)
