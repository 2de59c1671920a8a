"""Proposals wait until somebody says yes or no; their words go when they are rejected."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from recalld.counters import Counters
from recalld.errors import NotFound
from recalld.store.events import open_event_log
from recalld.store.migrate import migrate, shipped
from recalld.store.model import KeptProposal
from recalld.store.proposals import MAX_WAITING, Progress, ProposalStore
from support.memory_world import AT
from support.store_world import Clock, new_event, open_state

SAID = "We decided to keep the queue in memory."


def proposal(number: int = 1, **values) -> KeptProposal:
    usual = KeptProposal(
        id=f"P{number:06d}",
        owner="ann",
        key=f"key {number}".encode(),
        content=f"{SAID} {number}",
        type="EVENT",
        session="agent:main:1",
        agent="main",
        said_by="user",
        said_at=AT,
    )
    return replace(usual, **values)


async def test_a_proposal_is_there_after_a_restart_once_and_its_owners_alone(tmp_path):
    async with open_state(tmp_path / "s.db") as database:
        store = ProposalStore(database)
        put = await store.put([proposal(1), proposal(2), proposal(3, key=b"key 1")], heard=7)
        assert (put.added, put.dropped) == (2, 0)
        assert (await store.put([proposal(4, owner="bob", key=b"key 1")], heard=8)).added == 1
    async with open_state(tmp_path / "s.db") as database:
        store = ProposalStore(database)
        assert await store.waiting("ann", limit=9) == (proposal(2), proposal(1))
        assert await store.waiting("ann", limit=1) == (proposal(2),)
        assert await store.get("P000001") == proposal(1)
        assert (await store.progress()).heard == 8
        assert await store.count() == 3


async def test_what_is_rejected_leaves_no_words_and_is_not_proposed_again(tmp_path):
    async with open_state(tmp_path / "s.db") as database:
        store = ProposalStore(database)
        await store.put([proposal(1), proposal(2)], heard=1)
        await store.reject("P000001", at=AT)
        assert (await store.put([proposal(5, key=b"key 1")], heard=2)).added == 0
        assert await store.waiting("ann", limit=9) == (proposal(2),)
        for again in (store.get("P000001"), store.reject("P000001", at=AT), store.get("x")):
            with pytest.raises(NotFound):
                await again
        await store.drop("P000002")
        await store.drop("P000002")
        assert await store.count() == 0
        assert await database.checkpoint()
    assert SAID.encode() not in (tmp_path / "s.db").read_bytes()


async def test_words_that_are_forgotten_are_erased_by_text_and_by_key(tmp_path):
    async with open_state(tmp_path / "s.db") as database:
        store = ProposalStore(database)
        holds = proposal(1, content=f"As I said: {SAID}")
        others = proposal(3, owner="bob", content=SAID), proposal(4, content="It is so short")
        await store.put([holds, proposal(2), *others], heard=1)
        await store.reject("P000002", at=AT)
        assert await store.erase("ann", [SAID, "so short"], [b"key 2"]) == 2
        assert await store.waiting("ann", limit=9) == (others[1],)
        assert await store.waiting("bob", limit=9) == (others[0],)


async def test_the_oldest_make_room(tmp_path):
    async with open_state(tmp_path / "s.db") as database:
        store = ProposalStore(database)
        many = [proposal(number) for number in range(MAX_WAITING + 5)]
        put = await store.put(many, heard=1)
        assert (put.added, put.dropped) == (MAX_WAITING + 5, 5)
        kept = await store.waiting("ann", limit=1_000)
        assert [each.id for each in kept] == [each.id for each in reversed(many[5:])]


async def test_turns_are_read_in_order_from_where_one_stopped(tmp_path):
    async with open_state(tmp_path / "s.db") as database:
        store = ProposalStore(database)
        assert await store.progress() == Progress(heard=None, last=0)
        async with open_event_log(database, now=Clock(), counters=Counters()) as log:
            kinds = ("session.turn", "session.prompt", "session.turn", "session.turn")
            seqs = [
                (await log.append(replace(new_event(None, kind=kind), agent="coder"))).seq
                for kind in kinds
            ]
        found = await store.turns(after_seq=0, limit=2)
        assert [turn.seq for turn in found] == [seqs[0], seqs[2]]
        assert (found[0].agent, found[0].payload) == ("coder", b'{"text": "hi"}')
        assert [turn.seq for turn in await store.turns(after_seq=seqs[2], limit=9)] == seqs[3:]
        await store.set_heard(seqs[2])
        assert await store.progress() == Progress(heard=seqs[2], last=seqs[3])
        await store.set_heard(None)
        assert (await store.progress()).heard is None


def test_what_was_said_before_the_update_is_not_heard(tmp_path):
    steps, path = shipped("state"), tmp_path / "s.db"
    before = next(step.number for step in steps if "memory_proposal" in step.sql) - 1
    migrate(path, "state", steps[:before])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO event (kind, session_key, agent, at, received_at, payload)"
            " VALUES ('session.turn', 's1', 'main', ?, ?, '{}')",
            (AT.isoformat(), (AT + timedelta(seconds=1)).isoformat()),
        )
    migrate(path, "state", steps)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT seq FROM turns_heard").fetchall() == [(None,)]
