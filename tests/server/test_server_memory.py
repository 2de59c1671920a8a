"""Memory methods to the letter of the contract, and what they make of what is none of it."""

from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from support.memory_wire import open_wire
from support.store_world import HangingReads

FIELDS = [
    *("id", "owner", "content", "type", "state", "importance", "tags", "session", "agent"),
    *("created_at", "updated_at", "expires_at", "origin"),
]
NOW = "2026-03-01T10:00:00Z"
FULL = {
    "content": "Renew the certificate of the mail server",
    "type": "pLaN",
    "state": "stale",
    "owner": "acme/ann",
    "session": "agent:main:main",
    "agent": "coder",
    "importance": 0.9,
    "tags": ["mail", "critical"],
    "expires_at": "2026-03-09T18:00:00+02:00",
    "created_at": "2026-02-01T00:00:00Z",
    "event_id": "e1",
}


async def test_a_memory_has_the_fields_of_the_contract_and_no_other(tmp_path: Path):
    async with open_wire(tmp_path) as wire:
        result = await wire.told("add", **FULL)
        assert list(result) == ["memory", "duplicate_of"]
        memory = result["memory"]
        assert list(memory) == FIELDS
        assert memory == {
            **{name: value for name, value in FULL.items() if name in FIELDS},
            "id": memory["id"],
            "type": "PLAN",
            "expires_at": "2026-03-09T16:00:00Z",
            "updated_at": NOW,
            "origin": "user",
        }
        assert await wire.told("get", id=memory["id"]) == {"memory": memory}


async def test_what_is_not_said_is_what_its_type_usually_has(tmp_path: Path):
    async with open_wire(tmp_path) as wire:
        memory = (await wire.told("add", content=" I prefer tabs ", type="preference"))["memory"]
        assert memory == {
            "id": memory["id"],
            "owner": "default",
            "content": "I prefer tabs",
            "type": "PREFERENCE",
            "state": "active",
            "importance": 0.6,
            "tags": [],
            "session": None,
            "agent": "main",
            "created_at": NOW,
            "updated_at": NOW,
            "expires_at": None,
            "origin": "user",
        }


@pytest.mark.parametrize(
    "kind",
    ["identity", "PREFERENCE", "Relationship", "eVENT", "activity", "PLAN", "context", "Ephemeral"],
)
async def test_a_type_is_any_case_in_and_upper_case_out(tmp_path: Path, kind: str):
    async with open_wire(tmp_path, running=False) as wire:
        memory = (await wire.told("add", content="words", type=kind))["memory"]
        assert memory["type"] == kind.upper()
        assert len((await wire.told("list", types=[kind.lower()]))["memories"]) == 1
        changed = await wire.told("update", id=memory["id"], type=kind.swapcase())
        assert changed["memory"]["type"] == kind.upper()


async def test_the_same_event_does_nothing_and_gets_the_first_answer(tmp_path: Path):
    async with open_wire(tmp_path) as wire:
        first = await wire.told("add", content="one", type="event", event_id="e")
        await wire.told("update", id=first["memory"]["id"], content="changed since")
        again = await wire.told("add", content="two", type="plan", event_id="e")
        assert again == {**first, "duplicate": True}
        other = await wire.told("add", content="two", type="plan", event_id="e", owner="bob")
        assert "duplicate" not in other
        wire.clock.move(timedelta(hours=25))
        assert "duplicate" not in await wire.told("add", content="3", type="plan", event_id="e")


async def test_the_same_words_are_one_memory_and_the_answer_says_which(tmp_path: Path):
    async with open_wire(tmp_path) as wire:
        first = await wire.told("add", content="Anna owns billing", type="context")
        again = await wire.told("add", content="anna owns  billing.", type="context")
        assert again["duplicate_of"] == again["memory"]["id"] == first["memory"]["id"]


async def test_null_is_what_is_not_said(tmp_path: Path):
    nothing = dict.fromkeys(FULL)
    async with open_wire(tmp_path) as wire:
        said = await wire.told("add", content="I prefer tabs", type="preference")
        nulls = {**nothing, "content": "I prefer spaces", "type": "preference"}
        memory = (await wire.told("add", **nulls))["memory"]
        unlike = {name for name in FIELDS if memory[name] != said["memory"][name]}
        assert unlike <= {"id", "content", "created_at", "updated_at"}
        found = await wire.told("search", query="tabs", owner=None, exclude_ids=None, states=None)
        assert {one["memory"]["id"] for one in found["results"]} >= {said["memory"]["id"]}
        listed = await wire.told("list", owner=None, tags=None, exclude_ids=None)
        assert len(listed["memories"]) == 2


async def test_a_report_says_which_plans_it_resolved(tmp_path: Path):
    async with open_wire(tmp_path) as wire:
        plan = await wire.told("add", content="Fix the flaky upload test", type="plan")
        done = await wire.told("add", content="Fixed the flaky upload test", type="event")
        assert done["resolved"] == [plan["memory"]["id"]]
        found = await wire.told("get", id=plan["memory"]["id"])
        assert found["memory"]["state"] == "resolved"


async def test_an_update_changes_what_is_named_alone(tmp_path: Path):
    async with open_wire(tmp_path) as wire:
        old = (await wire.told("add", **FULL))["memory"]
        wire.clock.move(timedelta(hours=1))
        changed = await wire.told(
            "update", id=old["id"], content="Renew it by hand", importance=1, tags=[]
        )
        assert changed == {
            "memory": {
                **old,
                "content": "Renew it by hand",
                "importance": 1.0,
                "tags": [],
                "updated_at": "2026-03-01T11:00:00Z",
            }
        }
        later = await wire.told("update", id=old["id"], expires_at="2026-04-01T00:00:00Z")
        assert later["memory"]["expires_at"] == "2026-04-01T00:00:00Z"
        never = await wire.told("update", id=old["id"], expires_at=None)
        assert never["memory"]["expires_at"] is None
        back = await wire.told("update", id=old["id"], state="active")
        assert back["memory"]["state"] == "active"
        for _ in range(2):
            done = await wire.told("resolve", id=old["id"])
            assert done["memory"]["state"] == "resolved"


async def test_a_list_is_filtered_and_comes_by_the_page(tmp_path: Path):
    async with open_wire(tmp_path) as wire:
        for number in range(5):
            await wire.told(
                "add",
                content=f"note {number}",
                type="event" if number % 2 else "plan",
                tags=["odd"] if number % 2 else [],
                session=f"s{number}",
            )
            wire.clock.move(timedelta(hours=1))

        async def listed(**filters: Any) -> list[str]:
            found = (await wire.told("list", **filters))["memories"]
            return [memory["content"] for memory in found]

        page = await wire.told("list", limit=3)
        assert [memory["content"] for memory in page["memories"]] == ["note 4", "note 3", "note 2"]
        assert await listed(cursor=page["cursor"]) == ["note 1", "note 0"]
        assert await listed(types=["Event"]) == await listed(tags=["odd"]) == ["note 3", "note 1"]
        assert await listed(session="s2") == ["note 2"]
        assert await listed(since="2026-03-01T14:00:00+01:00") == ["note 4", "note 3"]
        assert await listed(until="2026-03-01T11:00:00Z") == ["note 0"]
        assert (
            await listed(query="NOTE 3") == await listed(query="3", types=["event"]) == ["note 3"]
        )
        assert await listed(states=["archived"]) == await listed(owner="bob") == []
        first = page["memories"][0]["id"]
        assert len(await listed(exclude_ids=[first])) == 4


async def test_a_search_tells_how_near_and_ranks(tmp_path: Path):
    async with open_wire(tmp_path) as wire:
        near = await wire.told(
            "add", content="The staging database runs on Postgres 15", type="context"
        )
        await wire.told("add", content="The printer is jammed again", type="event")
        asked = {"query": "which Postgres runs the staging database"}
        found = (await wire.told("search", **asked))["results"]
        assert set(found[0]) == {"memory", "similarity", "score"}
        assert found[0]["memory"] == near["memory"]
        assert found[0]["similarity"] > 0.5
        nothing: list[dict[str, Any]] = [
            {"types": ["plan"]},
            {"states": ["archived"]},
            {"owner": "bob"},
            {"min_score": 1.0},
            {"exclude_ids": [near["memory"]["id"]], "min_score": 0.5},
        ]
        for filters in nothing:
            assert (await wire.told("search", **asked, **filters))["results"] == []
        assert len((await wire.told("search", **asked, limit=1))["results"]) == 1


async def test_what_is_forgotten_is_receipted_and_gone_with_its_proposals(tmp_path: Path):
    async with open_wire(tmp_path) as wire:
        code = "The code of the safe is under the mat"
        added = await wire.told("add", content=code, type="context", event_id="e")
        receipt = await wire.told("forget", id=added["memory"]["id"])
        assert receipt["ids"] == [added["memory"]["id"]]
        assert receipt["removed"]["memories"] == receipt["removed"]["vectors"] == 1
        assert receipt["removed"]["proposals"] == 0
        assert any("notes" in place for place in receipt["out_of_reach"])
        for method in ("get", "forget", "resolve"):
            assert (await wire.refused(method, id=added["memory"]["id"]))["code"] == -32004
        again = await wire.refused("add", content=code, type="context", event_id="e")
        assert again["code"] == -32005


async def test_forgetting_by_words_needs_a_yes(tmp_path: Path):
    async with open_wire(tmp_path) as wire:
        kept = await wire.told("add", content="the code is public", type="context", owner="bob")
        for number in range(3):
            await wire.told("add", content=f"the code of safe {number}", type="context")
        await wire.told("add", content="nothing of the kind", type="context", state="archived")
        no = await wire.refused("forget", query="code safe")
        assert no["code"] == -32005
        assert "confirm" in no["message"]
        assert "3" in no["message"]
        receipt = await wire.told("forget", query="code safe", confirm=True)
        assert len(receipt["ids"]) == receipt["removed"]["memories"] == 3
        empty = await wire.told("forget", query="code safe", confirm=True)
        assert (empty["ids"], empty["removed"]) == ([], dict.fromkeys(receipt["removed"], 0))
        assert await wire.told("get", id=kept["memory"]["id"]) == {"memory": kept["memory"]}


async def test_a_heartbeats_words_are_refused(tmp_path: Path):
    said = "You have three open plans"
    async with open_wire(tmp_path, own_words=lambda _, content: content == said) as wire:
        own = await wire.refused("add", content=said, type="context")
        reply = await wire.refused(
            "add", content="I looked at them", type="event", session="agent:main:heartbeat"
        )
        assert own["code"] == reply["code"] == -32005
        assert wire.counters.get("memories.own_words") == 2
        # A session about heartbeats is none.
        fine = {"content": "beat", "type": "event", "session": "agent:main:my-heartbeats"}
        await wire.told("add", **fine)


async def test_a_store_that_hangs_is_unavailable_in_time_and_the_event_may_come_again(
    tmp_path: Path,
):
    one = {"content": "one", "type": "event", "event_id": "e"}
    async with open_wire(tmp_path, running=False, wrapped=HangingReads, limit_ms=100) as wire:
        await wire.told("list")
        with cast("HangingReads", wire.database).hanging():
            error = await wire.refused("add", **one)
            assert (error["code"], error["data"]["part"]) == (-32002, "store")
            assert wire.counters.get("memories.add_late") == 1
        assert "duplicate" not in await wire.told("add", **one)
        assert await wire.told("add", **one) == {
            **await wire.told("add", **one),
            "duplicate": True,
        }


@pytest.mark.parametrize(
    "tag",
    [
        *("cron:daly", "cron:", "cron:weekly:mon:25:00", "CRON:weekly:frieday:09:00"),
        *("cron:monthly:32:09:00", "cron:every:5x", "cron:daily:09:00:Mars/Base", "cron：每天"),
    ],
)
async def test_a_misspelt_schedule_is_refused_by_name(tmp_path: Path, tag: str):
    async with open_wire(tmp_path) as wire:
        fine = await wire.told("add", content="a", type="plan", tags=["work", "cron:daily:09:00"])
        for method, asked in (
            ("add", {"content": "Water the plants", "type": "plan", "tags": ["work", tag]}),
            ("update", {"id": fine["memory"]["id"], "tags": [tag]}),
        ):
            error = await wire.refused(method, **asked)
            assert (error["code"], error["data"]["key"]) == (-32602, "params.tags")
            assert tag.replace("：", ":") in error["message"]
        assert wire.counters.get("memories.refused_tag") == 2
        (kept,) = (await wire.told("list"))["memories"]
        assert kept == fine["memory"]


async def test_a_search_without_a_ready_engine_says_so(tmp_path: Path):
    async with open_wire(tmp_path, running=False) as wire:
        await wire.told("add", content="Anna owns billing", type="relationship")
        found = await wire.told("search", query="billing")
        assert [len(found["results"]), found["by_words"]] == [1, True]
        assert await wire.told("search", query="gardens") == {"results": [], "by_words": True}
    async with open_wire(tmp_path) as wire:
        assert "by_words" not in await wire.told("search", query="billing")
