"""Turns become proposals or memories behind the answers: once, and never of a heartbeat's words."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from recalld.heartbeat.policy import HeartbeatPolicy
from recalld.proposing import MAX_PER_TURN
from recalld.store.events import open_event_log
from support.memory_wire import Wire, open_wire
from support.store_world import HangingReads, new_event

DECIDED = "We decided to move the billing jobs to Frankfurt."
PLANNED = "我打算下周把老接口下线。"
USER_KEY = "agent:main:main"


async def said(wire: Wire, user: str, assistant: str = "", **values: Any) -> int:
    """The number of a turn that is kept and told of."""
    key = values.pop("key", USER_KEY)
    payload = json.dumps({"user": user, "assistant": assistant, **values}).encode()
    async with open_event_log(wire.database, now=wire.clock, counters=wire.counters) as log:
        event = replace(new_event(None, session=key), payload=payload, agent="coder")
        seq = (await log.append(event)).seq
    wire.remembering.hearing.heard(seq)
    return seq


async def heard(wire: Wire) -> None:
    with anyio.fail_after(10):
        while not wire.remembering.hearing.idle:
            await anyio.sleep(0.02)


async def contents(wire: Wire) -> list[str]:
    found = (await wire.told("proposals"))["proposals"]
    return [proposal["content"] for proposal in reversed(found)]


async def remembered(wire: Wire) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await wire.told("list"))["memories"]
    return found


async def test_a_proposal_waits_and_becomes_a_memory_by_a_yes_alone(tmp_path: Path):
    async with open_wire(tmp_path, propose="suggest") as wire:
        await said(wire, f"{DECIDED}\n{PLANNED}", "I fixed the flaky billing test.")
        await heard(wire)
        found = (await wire.told("proposals"))["proposals"]
        assert [(each["content"], each["type"], each["said_by"]) for each in reversed(found)] == [
            (DECIDED, "EVENT", "user"),
            (PLANNED, "PLAN", "user"),
            ("I fixed the flaky billing test.", "EVENT", "agent"),
        ]
        assert found[0] == {
            "id": found[0]["id"],
            "owner": "default",
            "content": "I fixed the flaky billing test.",
            "type": "EVENT",
            "session": USER_KEY,
            "agent": "coder",
            "said_by": "agent",
            "created_at": "2026-03-01T10:00:00Z",
        }
        assert await remembered(wire) == []
        added = await wire.told("accept", id=found[2]["id"])
        memory = added["memory"]
        assert (memory["origin"], memory["tags"]) == ("proposed", ["said-by:user"])
        assert (memory["session"], memory["agent"]) == (USER_KEY, "coder")
        assert await wire.told("reject", id=found[1]["id"]) == {}
        for method in ("accept", "reject"):
            for gone in (found[1]["id"], found[2]["id"], "01UNKNOWN"):
                assert (await wire.refused(method, id=gone))["code"] == -32004
        # Said again, what waits and what was rejected is no news; what was accepted is one memory.
        await said(wire, f"{DECIDED} {PLANNED}", "I fixed the flaky billing test.")
        await heard(wire)
        assert await contents(wire) == ["I fixed the flaky billing test.", DECIDED]
        newest = (await wire.told("proposals", limit=1))["proposals"][0]
        again = await wire.told("accept", id=newest["id"])
        assert again["duplicate_of"] == memory["id"]


async def test_where_it_is_on_memories_are_made_and_marked(tmp_path: Path):
    async with open_wire(tmp_path, propose="on") as wire:
        await said(wire, "Fix the flaky billing test before the release.")
        await said(wire, DECIDED, "Fixed the flaky billing test.")
        await heard(wire)
        made = await remembered(wire)
        assert {memory["content"] for memory in made} == {DECIDED, "Fixed the flaky billing test."}
        assert {memory["origin"] for memory in made} == {"proposed"}
        assert await contents(wire) == []
        assert wire.counters.get("proposals.added") == 2


async def test_while_it_is_off_turns_pass_by_for_good(tmp_path: Path):
    async with open_wire(tmp_path) as wire:
        await said(wire, DECIDED)
        await heard(wire)
        wire.policy = HeartbeatPolicy(propose="suggest")
        await said(wire, PLANNED)
        await heard(wire)
        assert await contents(wire) == [PLANNED]
        wire.policy = HeartbeatPolicy(propose="off")
        await said(wire, "I prefer tabs over spaces in Go code.")
        await heard(wire)
    async with open_wire(tmp_path, propose="suggest") as wire:
        await said(wire, "I like my summaries short.")
        await heard(wire)
        assert await contents(wire) == [PLANNED, "I like my summaries short."]


async def test_what_was_kept_and_not_heard_before_a_crash_is_heard_at_the_next_start(tmp_path):
    async with open_wire(tmp_path, propose="suggest") as wire:
        await said(wire, DECIDED)
        await heard(wire)
    async with open_wire(tmp_path, propose="suggest", running=False) as wire:
        await said(wire, PLANNED)
        assert await contents(wire) == [DECIDED]
    async with open_wire(tmp_path, propose="suggest") as wire:
        await heard(wire)
        assert await contents(wire) == [DECIDED, PLANNED]


async def test_a_turn_that_was_heard_twice_makes_one_memory(tmp_path: Path):
    async with open_wire(tmp_path, propose="on") as wire:
        seq = await said(wire, DECIDED)
        await heard(wire)
        await wire.told("update", id=(await remembered(wire))[0]["id"], content="edited since")
        await wire.remembering.hearing._world.store.set_heard(seq - 1)
    async with open_wire(tmp_path, propose="on") as wire:
        await heard(wire)
        assert [memory["content"] for memory in await remembered(wire)] == ["edited since"]


@pytest.mark.parametrize(
    "turn",
    [
        {"user": DECIDED, "heartbeat": True},
        {"user": DECIDED, "key": "agent:main:heartbeat"},
        {"user": DECIDED, "key": "agent:main:cron:42"},
        {"user": DECIDED, "key": "agent:main:subagent:7f"},
        {"user": f"Read HEARTBEAT.md and follow it. {DECIDED}"},
        {"user": f"HEARTBEAT: {DECIDED}"},
        {"user": "go on", "assistant": "I decided to nag about the certificate every hour."},
        {"user": "go on", "assistant": "I added the alarms of the pager runbook to the wiki."},
    ],
)
@pytest.mark.parametrize("propose", ["suggest", "on"])
async def test_a_heartbeats_words_and_replies_to_it_and_echoes_are_no_news(tmp_path, turn, propose):
    async with open_wire(
        tmp_path,
        propose=propose,
        own_words=lambda _, content: "nag about" in content,
        is_echo=lambda content: "pager runbook" in content,
    ) as wire:
        await said(wire, **turn)
        await heard(wire)
        assert await contents(wire) == []
        assert await remembered(wire) == []
        counted = wire.counters.snapshot()
        assert sum(count for name, count in counted.items() if "proposals." in name) == 1


async def test_one_turn_proposes_so_much_and_no_more(tmp_path: Path):
    many = "\n".join(f"- We decided to close branch number {number}." for number in range(9))
    async with open_wire(tmp_path, propose="suggest") as wire:
        await said(wire, many)
        await heard(wire)
        assert len(await contents(wire)) == MAX_PER_TURN
        assert wire.counters.get("proposals.over_limit") == 9 - MAX_PER_TURN


async def test_a_turn_that_cannot_be_read_costs_itself(tmp_path: Path):
    async with open_wire(tmp_path, propose="suggest") as wire:
        for payload in (b"{}", b"not json", b'{"user": 5}', b'{"user": "x", "success": "no"}'):
            async with open_event_log(wire.database, now=wire.clock, counters=wire.counters) as log:
                accepted = await log.append(replace(new_event(None), payload=payload))
            wire.remembering.hearing.heard(accepted.seq)
        await said(wire, DECIDED)
        await heard(wire)
        assert await contents(wire) == [DECIDED]
        assert wire.counters.get("proposals.unread") == 3


@pytest.mark.allow_errors
async def test_a_store_that_hangs_is_late_and_comes_to_it_later(tmp_path: Path):
    async with open_wire(tmp_path, propose="suggest", wrapped=HangingReads) as wire:
        await said(wire, "hello")
        await heard(wire)
        assert (await wire.remembering.condition()).degraded == ()
        with cast("HangingReads", wire.database).hanging():
            await said(wire, DECIDED)
            with anyio.fail_after(10):
                while not wire.remembering.hearing.late:
                    await anyio.sleep(0.02)
            assert any("wait" in why for why in (await wire.remembering.condition()).degraded)
        await heard(wire)
        assert await contents(wire) == [DECIDED]


async def test_forgetting_a_memory_takes_its_proposals_along(tmp_path: Path):
    async with open_wire(tmp_path, propose="suggest") as wire:
        await said(wire, f"{DECIDED}\n{PLANNED}")
        await heard(wire)
        memory = (await wire.told("add", content=DECIDED, type="event"))["memory"]
        receipt = await wire.told("forget", id=memory["id"])
        assert receipt["removed"]["proposals"] == 1
        assert receipt["removed"]["events"] == 1
        assert await contents(wire) == [PLANNED]
        waiting = (await wire.told("proposals"))["proposals"][0]["id"]
        await wire.told("reject", id=waiting)
        assert await wire.database.checkpoint()
    words = (tmp_path / "state.db").read_bytes()
    assert DECIDED.encode() not in words
    assert (await_count := words.count(PLANNED.encode())) == 1, await_count
