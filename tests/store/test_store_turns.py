"""Turns by session and workspace, and how far they have become checkpoints."""

import sqlite3
from contextlib import closing
from dataclasses import replace

from recalld.counters import Counters
from recalld.store.events import open_event_log
from recalld.store.migrate import migrate, shipped
from recalld.store.turns import TurnLog
from support.store_world import Clock, new_event, open_state


def turn(session, workspace, *, kind="session.turn", at="2026-03-01T10:00:00.000000Z"):
    return replace(new_event(None, kind=kind, session=session), workspace=workspace, at=at)


async def kept(database, *events):
    async with open_event_log(database, now=Clock(), counters=Counters()) as log:
        return [(await log.append(event)).seq for event in events]


async def test_turns_are_found_by_session_and_workspace_and_nothing_else_is(tmp_path):
    async with open_state(tmp_path / "s.db") as database:
        log = TurnLog(database)
        first, _, other, elsewhere, unplaced, second = await kept(
            database,
            turn("a", "/w"),
            turn("a", "/w", kind="session.prompt"),
            turn("b", "/w"),
            turn("a", "/x"),
            turn("c", None),
            turn("a", "/w", at="2026-03-01T11:00:00.500000Z"),
        )
        places = await log.places(after_seq=0, limit=9)
        assert [(place.seq, place.session_key, place.workspace) for place in places] == [
            (first, "a", "/w"),
            (other, "b", "/w"),
            (elsewhere, "a", "/x"),
            (unplaced, "c", None),
            (second, "a", "/w"),
        ]
        assert [place.seq for place in await log.places(after_seq=first, limit=2)] == [
            other,
            elsewhere,
        ]
        found = await log.turns("a", "/w", after_seq=0, limit=9)
        assert [each.seq for each in found] == [first, second]
        assert found[1].at.isoformat() == "2026-03-01T11:00:00.500000+00:00"
        assert found[1].received_at == Clock()()
        assert [each.seq for each in await log.turns("a", "/w", after_seq=first, limit=9)] == [
            second
        ]
        assert [each.seq for each in await log.latest("/w", limit=2)] == [other, second]
        assert await log.latest("/nowhere", limit=2) == ()


async def test_the_place_in_the_log_goes_forward_only_and_outlives_a_restart(tmp_path):
    async with open_state(tmp_path / "s.db") as database:
        (first, second) = await kept(database, turn("a", "/w"), turn("a", "/w"))
        log = TurnLog(database)
        assert await log.progress() == (0, second)
        await log.set_done(second)
        await log.set_done(first)
    async with open_state(tmp_path / "s.db") as database:
        assert await TurnLog(database).progress() == (second, second)


def test_what_was_said_before_there_were_checkpoints_is_not_made_into_one(tmp_path):
    path = tmp_path / "s.db"
    migrate(path, "state", shipped("state")[:3])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO event (kind, session_key, agent, at, received_at, payload)"
            " VALUES ('session.turn', 'a', 'main', '', '', '{}')",
            [()] * 3,
        )
    migrate(path, "state", shipped("state"))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT seq FROM turns_done").fetchall() == [(3,)]


def test_the_last_turns_of_a_workspace_are_found_without_reading_the_log(tmp_path):
    path = tmp_path / "s.db"
    migrate(path, "state", shipped("state"))
    with closing(sqlite3.connect(path)) as connection:
        plan = connection.execute(
            "EXPLAIN QUERY PLAN SELECT payload FROM event"
            " WHERE kind = 'session.turn' AND workspace = ? ORDER BY seq DESC LIMIT 9",
            ("/w",),
        ).fetchall()
    assert "USING INDEX event_turn (workspace=?)" in plan[0][3]
    assert len(plan) == 1
