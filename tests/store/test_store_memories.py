"""Memories in the database: as they were written, over a kill, and gone when forgotten."""

import random
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiosqlite
import anyio
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recalld.counters import Counters
from recalld.memories.model import (
    Memory,
    MemoryState,
    MemoryType,
    NewReply,
    Occurrence,
    Origin,
    Reply,
    Vector,
    Visibility,
    Write,
)
from recalld.store.bridge import Database
from recalld.store.event_table import NewEvent
from recalld.store.events import open_event_log
from recalld.store.memories import MemoryStore
from recalld.store.memory_forget import EVENTS_AT_ONCE, FORGOTTEN
from support.memory_world import AT, memory
from support.store_world import open_state

KILLS = 8
CODE = "the code of the safe is 4711 4711"

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
TIMES = st.datetimes(timezones=st.just(UTC), min_value=datetime(1900, 1, 1))  # noqa: DTZ001
MEMORIES = st.builds(
    Memory,
    id=TEXTS,
    owner=TEXTS,
    content=TEXTS,
    type=st.sampled_from(MemoryType),
    state=st.sampled_from(MemoryState),
    importance=st.floats(0, 1),
    tags=st.lists(TEXTS, max_size=3).map(tuple),
    session=st.none() | TEXTS,
    agent=TEXTS,
    created_at=TIMES,
    updated_at=TIMES,
    expires_at=st.none() | TIMES,
    origin=st.sampled_from(Origin),
    visibility=st.sampled_from(Visibility),
    stability_days=st.floats(0.001, 1e4),
    accessed_at=TIMES,
    access_count=st.integers(0, 1 << 40),
    confidence_factors=st.lists(TEXTS, max_size=3).map(tuple),
    confidence=st.floats(0, 1),
    state_since=st.none() | TIMES,
    resolved_by=st.none() | TEXTS,
    burst_at=st.none() | TIMES,
    burst_count=st.integers(0, 99),
)


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[MemoryStore, Database]]:
    async with open_state(folder / "state.db") as database:
        yield MemoryStore(database), database


def vector_of(one: Memory, identity: str = "e/m/2") -> Vector:
    return Vector(memory_id=one.id, content=one.content, identity=identity, blob=b"\x00<\x00\x00")


@settings(max_examples=25, deadline=None, suppress_health_check=[*HealthCheck])
@given(st.lists(MEMORIES, max_size=6, unique_by=lambda one: one.id))
async def test_every_field_comes_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, memories: list[Memory]
):
    async with opened(tmp_path_factory.mktemp("round")) as (store, _):
        await store.put(Write(memories=tuple(memories)))
        await store.put(Write(memories=tuple(memories)))
        found = await store.page(after_id="", limit=10)
        by_id = sorted(memories, key=lambda one: one.id.encode())
        assert [one for one, _ in found] == by_id


async def test_pages_go_on_behind_the_last_id(tmp_path: Path):
    async with opened(tmp_path) as (store, _):
        await store.put(Write(memories=tuple(memory(id=f"m{at}") for at in range(7))))
        pages, after_id = [], ""
        while page := await store.page(after_id=after_id, limit=3):
            pages.append([one.id for one, _ in page])
            after_id = pages[-1][-1]
        assert pages == [["m0", "m1", "m2"], ["m3", "m4", "m5"], ["m6"]]
        assert [one.id for one, _ in await store.some(["m5", "m1", "none"])] == ["m1", "m5"]


async def test_a_vector_belongs_to_the_words_it_was_made_of(tmp_path: Path):
    one = memory()
    async with opened(tmp_path) as (store, _):
        await store.put(Write(memories=(one,), vectors=(vector_of(one),)))
        ((_, vector),) = await store.page(after_id="", limit=1)
        assert vector == vector_of(one)
        changed = replace(one, content="other words")
        await store.put(Write(memories=(changed,), stale_vectors=(one.id,)))
        await store.put(Write(vectors=(vector_of(one),)))
        assert await store.page(after_id="", limit=1) == [(changed, None)]
        await store.put(Write(vectors=(vector_of(changed, "new/m/2"),)))
        await store.put(Write(memories=(replace(changed, importance=0.9),)))
        ((_, vector),) = await store.page(after_id="", limit=1)
        assert vector == vector_of(changed, "new/m/2")


async def test_an_answer_is_remembered_for_its_owner_and_its_time(tmp_path: Path):
    one = memory()
    reply = NewReply(owner="ann", event_id="e", at=AT, memory_id=one.id, answer=b"{}")
    async with opened(tmp_path) as (store, _):
        await store.put(Write(memories=(one,), reply=reply))
        assert await store.reply_of("ann", "e", since=AT) == Reply(memory_id=one.id, answer=b"{}")
        assert await store.reply_of("bob", "e", since=AT) is None
        assert await store.reply_of("ann", "e", since=AT + timedelta(seconds=1)) is None
        assert await store.drop_replies(before=AT) == 0
        assert await store.drop_replies(before=AT + timedelta(seconds=1)) == 1
        assert await store.reply_of("ann", "e", since=AT) is None


async def test_the_same_words_of_one_session_are_one_row_with_a_count(tmp_path: Path):
    one = memory()
    said = Occurrence(
        memory_id=one.id,
        content="in other words",
        session=None,
        agent="main",
        origin=Origin.AGENT,
        at=AT,
    )
    later = replace(said, at=AT + timedelta(hours=1))
    elsewhere = replace(said, session="s2", at=AT + timedelta(minutes=1))
    async with opened(tmp_path) as (store, _):
        for each in (later, said, elsewhere):
            await store.put(Write(memories=(one,), occurrence=each))
        assert await store.occurrences(one.id) == (elsewhere, replace(later, count=2))
        assert await store.occurrences("none") == ()


async def test_half_a_write_is_never_kept(tmp_path: Path):
    said = Occurrence(
        memory_id="nobody", content="x", session=None, agent="a", origin=Origin.USER, at=AT
    )
    async with opened(tmp_path) as (store, _):
        with pytest.raises(sqlite3.IntegrityError):
            await store.put(Write(memories=(memory(),), occurrence=said))
        assert await store.page(after_id="", limit=1) == []


def turn(text: str, number: int = 0) -> NewEvent:
    return NewEvent(
        event_id=f"t{number}",
        kind="session.turn",
        session_key="s1",
        agent="main",
        workspace="/w",
        at="2026-03-01T10:00:00Z",
        payload=orjson.dumps({"user": text, "assistant": "noted", "messages": [{"content": text}]}),
        reply=orjson.dumps({"context": f"you said: {text}"}),
    )


async def payloads(database: Database) -> list[dict[str, object]]:
    async with open_event_log(database, now=lambda: AT, counters=Counters()) as log:
        return [orjson.loads(event.payload) for event in await log.events_of("s1")]


async def append(database: Database, *events: NewEvent) -> None:
    async with open_event_log(database, now=lambda: AT, counters=Counters()) as log:
        for event in events:
            await log.append(event)


async def told(connection: aiosqlite.Connection) -> None:
    """Two heartbeats, one of which quotes the code."""
    bodies = (orjson.dumps({"message": f"Recall: {CODE}."}), orjson.dumps({"message": "tea"}))
    rows = [(f"a{at}", "ann", "2026", body) for at, body in enumerate(bodies)]
    await connection.executemany("INSERT INTO heartbeat_act VALUES (?, ?, ?, ?)", rows)


async def test_forgetting_takes_rows_and_the_words_wherever_events_hold_them(tmp_path: Path):
    one, other = memory(content=CODE), memory(id="m2", content="tea", resolved_by="m1")
    wording = Occurrence(
        memory_id=one.id,
        content=f'"{CODE}"\n!',
        session="s1",
        agent="main",
        origin=Origin.USER,
        at=AT,
    )
    reply = NewReply(owner="ann", event_id="e", at=AT, memory_id=one.id, answer=CODE.encode())
    async with opened(tmp_path) as (store, database):
        await append(
            database,
            turn(f"by the way, {CODE}, right?", 1),
            turn(f'"{CODE}"\n!', 2),
            turn("we like tea", 3),
        )
        await store.put(Write(memories=(one, other), vectors=(vector_of(one),)))
        await store.put(Write(memories=(one,), occurrence=wording, reply=reply))
        await database.write(told)
        receipt = await store.forget([one])
        assert receipt.ids == ("m1",)
        assert receipt.removed == {
            "memories": 1,
            "vectors": 1,
            "occurrences": 1,
            "answers": 1,
            "events": 2,
            "heartbeats": 1,
        }
        assert any("transcripts" in place for place in receipt.beyond)
        first, second, third = await payloads(database)
        assert first["user"] == f"by the way, {FORGOTTEN}, right?"
        assert second["messages"] == [{"content": FORGOTTEN}]
        assert third["user"] == "we like tea"
        assert await store.reply_of("ann", "e", since=AT) == Reply(memory_id=None, answer=None)
        assert await store.page(after_id="", limit=9) == [(replace(other, resolved_by=None), None)]
        for file in tmp_path.iterdir():
            assert b"4711 4711" not in file.read_bytes(), file.name
        again = await store.forget([one])
        assert set(again.removed.values()) == {0}


async def test_short_words_are_forgotten_only_where_they_are_all_that_was_said(tmp_path: Path):
    one = memory(content="user")
    async with opened(tmp_path) as (store, database):
        await append(database, turn("the user likes tea", 1), turn(" user ", 2))
        await store.put(Write(memories=(one,)))
        assert (await store.forget([one])).removed["events"] == 1
        first, second = await payloads(database)
        assert first["user"] == "the user likes tea"
        assert second["user"] == FORGOTTEN


async def test_events_are_looked_through_to_the_last(tmp_path: Path):
    one = memory(content=CODE)
    async with opened(tmp_path) as (store, database):
        events = [turn(f"filler {number}", number) for number in range(2 * EVENTS_AT_ONCE)]
        async with (
            open_event_log(database, now=lambda: AT, counters=Counters()) as log,
            anyio.create_task_group() as tasks,
        ):
            for event in events:
                tasks.start_soon(log.append, event)
        await append(database, turn(CODE, 9_999))
        await store.put(Write(memories=(one,)))
        assert (await store.forget([one])).removed["events"] == 1


async def test_what_else_holds_the_words_is_told(tmp_path: Path):
    one = memory(content=CODE)
    (tmp_path / "state.db.v4.backup").write_bytes(b"old")
    (tmp_path / "state.db.damaged-2026").write_bytes(b"old")
    async with opened(tmp_path) as (store, database):
        await store.put(Write(memories=(one,)))

        async def keep(connection: aiosqlite.Connection) -> None:
            await connection.execute(
                "INSERT INTO checkpoint (workspace, sha, origin, at, body) VALUES (?, ?, ?, ?, ?)",
                ("/w", "0", "hand", "2026", f"- {CODE}"),
            )

        await database.write(keep)
        beyond = (await store.forget([one])).beyond
        assert any("checkpoints in this database: 1" in place for place in beyond)
        assert any("state.db.v4.backup" in place for place in beyond)
        assert any("state.db.damaged-2026" in place for place in beyond)


async def test_what_is_over_is_purged_with_all_that_hangs_on_it(tmp_path: Path):
    one = memory(content=CODE)
    async with opened(tmp_path) as (store, _):
        await store.put(Write(memories=(one,), vectors=(vector_of(one),)))
        await store.purge([one.id])
        assert await store.page(after_id="", limit=9) == []
        assert await store.occurrences(one.id) == ()


def acknowledged_until_killed(path: Path, run: str, *, after: int) -> list[tuple[str, str]]:
    command = [sys.executable, "-m", "support.memory_process", str(path), run]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(after)]
        process.kill()
        lines += process.stdout.readlines()
    assert process.returncode == -9
    return [(event_id, memory_id) for event_id, memory_id in map(str.split, lines)]


def test_kills_under_eight_writers_lose_no_acknowledged_memory(tmp_path: Path):
    chance = random.Random(20_260_303)
    path = tmp_path / "state.db"
    acknowledged: list[tuple[str, str]] = []
    for kill in range(KILLS):
        acknowledged += acknowledged_until_killed(path, f"r{kill}", after=chance.randint(1, 150))
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            stored = {row[0] for row in connection.execute("SELECT id FROM memory")}
            answers = dict(connection.execute("SELECT event_id, memory_id FROM memory_reply"))
            contents = [row[0] for row in connection.execute("SELECT content FROM memory")]
        assert {memory_id for _, memory_id in acknowledged} <= stored
        assert all(answers[event_id] == memory_id for event_id, memory_id in acknowledged)
        assert len(contents) == len({*contents})
    assert len(acknowledged) >= KILLS
