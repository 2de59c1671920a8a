"""What a tick tells of the past, over the real store and the real memories, row by row."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from recalld.embed.port import Purpose
from recalld.errors import Unavailable
from recalld.heartbeat.graphport import Entity, Neighbour
from recalld.heartbeat.model import Reason
from recalld.heartbeat.policy import HeartbeatPolicy, QuietPolicy
from recalld.memories.model import Change, Memory, MemoryState, MemoryType
from recalld.server.heartbeats import result_of
from support.embedders import HashModel, hashed_embedder
from support.heartbeat_house import NOON, Room, open_room, related_ids

DECISION = "decided to pin the upload client because the upload test was flaky"
SIGNAL = "the flaky upload test of the upload client is back"


async def a_past(room: Room, text: str = DECISION, kind: MemoryType = MemoryType.EVENT, **values):
    usual = {"days_ago": 7, "session": "s0"}
    return await room.remember(text, kind, **{**usual, **values})


async def a_signal(room: Room, text: str = SIGNAL, **values) -> Memory:
    """A plan that is due in half an hour: it is told whatever the hour is."""
    usual = {"days_ago": 2, "session": "s1", "expires_at": NOON + timedelta(minutes=30)}
    return await room.remember(text, **{**usual, **values})


async def test_s1_1_and_s1_5_an_act_tells_what_was_decided_before_with_one_call(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        past = await a_past(room)
        signal = await a_signal(room)
        ticked = await room.tick(analyze=True)
        assert ticked.decision.reason is Reason.ACT_DEADLINE_CRITICAL
        assert related_ids(ticked) == [past.id]
        assert ticked.enrichment.related[0].signal_id == f"deadlines:{signal.id}"
        assert len(room.chat.asked) == ticked.llm_calls == 1
        # S1.19: the model is given it, with its age, and asked to make the connection.
        asked = room.chat.asked[0].user
        assert "Related past context:" in asked
        assert f'[7 days ago] "{DECISION}"' in asked
        # S1.23: and so is the host.
        assert f'[7 days ago] "{DECISION}"' in ticked.block


async def test_s1_2_and_s1_12_a_resolved_matter_is_found_an_archived_one_is_not(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        past = await a_past(room, "flaky upload test of the upload client, fixed by PR 812")
        gone = await a_past(room, "upload test flaky, the upload client was to blame")
        await room.house.service.resolve(past.id)
        await room.house.service.update(gone.id, Change(state=MemoryState.ARCHIVED))
        await a_signal(room)
        ticked = await room.tick()
        assert related_ids(ticked) == [past.id]
        assert "PR 812" in ticked.message
        assert "resolved" in ticked.message


@pytest.mark.parametrize("case", ["none", "conversation", "cooldown", "signals_only"])
async def test_s1_3_and_s1_27_a_tick_that_does_not_act_looks_nothing_up(tmp_path: Path, case: str):
    async with open_room(tmp_path) as room:
        await room.fill()
        await a_past(room)
        asked: dict[str, object] = {"analyze": True}
        if case == "none":
            await room.said("good morning")
        if case == "conversation":
            await a_signal(room, expires_at=None)
            asked["in_conversation"] = True
        if case in ("cooldown", "signals_only"):
            await a_signal(room)
        if case == "cooldown":
            assert (await room.tick()).decision.act
        asked["signals_only"] = case == "signals_only"
        ticked = await room.tick(**asked)
        assert not ticked.decision.act
        assert ticked.enrichment.lookups == ticked.llm_calls == len(room.chat.asked) == 0
        assert ticked.message == ticked.block == ""
        assert ticked.act_id is None


@pytest.mark.parametrize("reason", [Reason.FIRST_CONTACT, Reason.NUDGE])
async def test_s1_4_first_contact_and_a_nudge_ask_nobody(tmp_path: Path, reason: Reason):
    async with open_room(tmp_path) as room:
        await room.fill(5 if reason is Reason.NUDGE else 4)
        ticked = await room.tick(analyze=True)
        assert ticked.decision.reason is reason
        assert ticked.message
        assert ticked.act_id is not None
        assert ticked.enrichment.lookups == ticked.llm_calls == len(room.chat.asked) == 0


async def test_s1_4_without_a_provider_the_past_is_linked_without_a_model(tmp_path: Path):
    async with open_room(tmp_path, provider=None) as room:
        await room.fill()
        past = await a_past(room)
        await a_signal(room)
        ticked = await room.tick(analyze=True)
        assert related_ids(ticked) == [past.id]
        assert DECISION in ticked.message
        assert ticked.llm_calls == 0


async def test_s1_4_with_the_link_off_nothing_is_looked_up_without_a_model(tmp_path: Path):
    policy = HeartbeatPolicy(link="off")
    async with open_room(tmp_path, policy=policy, provider=None) as room:
        await room.fill()
        await a_past(room)
        await a_signal(room)
        ticked = await room.tick(analyze=True)
        assert ticked.decision.act
        assert ticked.enrichment.lookups == 0
        assert DECISION not in ticked.message


async def test_s1_7_and_s1_24_three_signals_ask_and_nine_is_the_most(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        matters = ("upload quota ledger", "badge printer queue", "ferry schedule page", "map tiles")
        for matter in matters:
            for number in range(5):
                await a_past(room, f"{matter} {matter} note {number}", session=f"s0{number}")
            await a_signal(room, f"{matter} {matter} broke")
        ticked = await room.tick()
        assert 3 < len(ticked.enrichment.related) <= 9
        asked = {one.signal_id for one in ticked.enrichment.related}
        assert len(asked) <= 3
        assert max(sum(o.signal_id == s for o in ticked.enrichment.related) for s in asked) <= 3


async def test_s1_8_the_kept_vector_is_asked_with(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        past = await a_past(room)
        await a_signal(room)
        assert related_ids(await room.tick()) == [past.id]
        assert room.memories.asked
        assert all(isinstance(asked, Memory) for asked in room.memories.asked)


async def test_s1_9_what_the_rules_leave_out_does_not_starve_the_rest(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        past = await a_past(room)
        for number in range(8):
            await a_past(room, f"{SIGNAL} {number}", session="s1")
        await a_signal(room)
        assert related_ids(await room.tick()) == [past.id]


async def test_s1_10_what_is_not_near_is_not_related(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        await a_past(room, "the ferry leaves from the east harbour on Sundays")
        await a_signal(room)
        ticked = await room.tick()
        assert ticked.decision.act
        assert related_ids(ticked) == []
        assert ticked.enrichment.lookups > 0


@pytest.mark.parametrize("kind", list(MemoryType))
async def test_s1_11_only_activities_plans_and_events_are_related(tmp_path: Path, kind: MemoryType):
    async with open_room(tmp_path) as room:
        await room.fill()
        past = await a_past(room, kind=kind, importance=0.1)
        await a_signal(room)
        related = related_ids(await room.tick())
        may = kind in (MemoryType.ACTIVITY, MemoryType.PLAN, MemoryType.EVENT)
        assert related == ([past.id] if may else [])


async def test_s1_13_and_s1_26_bc_19_never_itself_nor_its_own_session(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        pinned = "decided to pin the upload client to 1.8 because the upload test was flaky"
        m3 = await a_past(room, pinned, days_ago=7)
        await a_past(room, "flaky upload test seen again", days_ago=2, session="s1")
        m1 = await a_signal(room, "flaky upload test reopened")
        ticked = await room.tick()
        assert ticked.decision.act
        assert related_ids(ticked) == [m3.id]
        assert [one.memory.id for one in await room.service.relate(m1)] == [m3.id]


async def test_the_text_of_what_is_kept_is_not_embedded_again(tmp_path: Path):
    model = HashModel()
    async with open_room(tmp_path, embedder=hashed_embedder(model)) as room:
        await room.fill()
        past, signal = await a_past(room), await a_signal(room)
        model.batches.clear()
        assert related_ids(await room.tick()) == [past.id]
        assert Purpose.PASSAGE not in {purpose for purpose, _ in model.batches}
        # What is in no store has no vector there.
        unknown = replace(signal, id="unknown")
        assert (await room.service.relate(unknown))[0].memory.id == past.id
        assert (Purpose.PASSAGE, (SIGNAL,)) in model.batches


async def test_s1_13_two_signals_do_not_cite_each_other(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        await a_signal(room, f"{SIGNAL} once", session="s1")
        await a_signal(room, f"{SIGNAL} more", session="s2")
        ticked = await room.tick()
        assert len({m.id for s in ticked.decision.signals for m in s.memories}) == 2
        assert related_ids(ticked) == []


async def test_s1_14_and_s1_22_the_wire_has_memory_similarity_score_signal_and_age(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        past = await a_past(room)
        signal = await a_signal(room)
        (one,) = msgspec.to_builtins(result_of(await room.tick()))["related_context"]
        assert one["memory"]["id"] == past.id
        assert one["signal_id"] == f"deadlines:{signal.id}"
        assert (one["session"], one["age"]) == ("s0", "7 days ago")
        assert 0.5 <= one["similarity"] <= 1


class BrokenGraph:
    """``fails`` names what it cannot do; entities are always one."""

    def __init__(self, *fails: str) -> None:
        self.fails = fails

    async def entities_of(self, owner: str, memory_ids: Sequence[str]) -> Sequence[Entity]:
        if "entities" in self.fails or owner != "ann" or not memory_ids:
            raise Unavailable("graph", "is not there")
        return [Entity(name="upload client", type="tool")]

    async def neighbours(self, owner: str, entity: Entity) -> Sequence[Neighbour]:
        if "neighbours" in self.fails or owner != "ann":
            raise Unavailable("graph", "is not there")
        rows = [("pinned 1.8", "decided_by", 0.9, True), ("Zoe", "friend_of", 1.0, False)]
        rows.append(("CI", "depends_on", 0.5, False))
        return [
            Neighbour(
                entity=Entity(name=name, type="thing"), relation=kind, outward=way, strength=much
            )
            for name, kind, much, way in rows
        ]


async def test_s1_16_to_s1_18_and_s1_30_neighbours_of_topics_by_relation(tmp_path: Path):
    async with open_room(tmp_path, graph=BrokenGraph()) as room:
        await room.fill()
        await a_signal(room)
        found = (await room.tick()).enrichment
        assert found.entities == ("upload client",)
        assert len(found.graph) == 2
        assert "decided_by" in found.graph[0]
        assert "depends_on" in found.graph[1]
        assert not any("friend_of" in line for line in found.graph)


@pytest.mark.allow_errors
@pytest.mark.parametrize("fails", ["entities", "neighbours", "memories", "model"])
async def test_s1_15_a_look_up_that_fails_costs_itself_only(tmp_path: Path, fails: str):
    async with open_room(tmp_path, graph=BrokenGraph(fails)) as room:
        await room.fill()
        past = await a_past(room)
        await a_signal(room)
        if fails == "memories":
            room.memories.nearest_fails = True
        if fails == "model":
            room.chat.says = None
        ticked = await room.tick(analyze=fails == "model")
        assert ticked.decision.act
        assert ticked.act_id is not None
        assert ticked.message
        failed = fails in ("entities", "neighbours", "memories")
        assert bool(ticked.enrichment.problems) is failed
        assert (room.house.counters.get("heartbeat.lookups_failed") > 0) is failed
        assert related_ids(ticked) == ([] if fails == "memories" else [past.id])


async def test_s1_21_ages_are_counted_by_the_injected_clock(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        await a_past(room, days_ago=21)
        signal = await a_signal(room)
        (one,) = await room.service.relate(signal)
        assert one.age == "3 weeks ago"
        (later,) = await room.service.relate(signal, at=NOON + timedelta(days=60))
        assert later.age == "2 months ago"


async def test_s1_28_lines_about_the_past_are_bounded(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill()
        await a_past(room, f"{DECISION} " * 20)
        await a_signal(room)
        ticked = await room.tick(analyze=True)
        lines = [line for line in ticked.block.splitlines() if line.startswith("- [7 days ago]")]
        assert len(lines) == 1
        assert len(lines[0]) <= 200
        assert all(len(line) <= 400 for line in room.chat.asked[0].user.splitlines())


async def test_s1_31_a_signal_without_memories_asks_nothing(tmp_path: Path):
    async with open_room(tmp_path) as room:
        await room.fill(7)
        ticked = await room.tick()
        assert all(not signal.memories for signal in ticked.decision.signals)
        assert ticked.enrichment.lookups == 0


async def test_bc_18_quiet_hours_are_the_users_and_run_over_midnight(tmp_path: Path):
    quiet = QuietPolicy(enabled=True, start="22:00", end="07:30")
    policy = HeartbeatPolicy(quiet=quiet)
    ticks = ("02-01T12:59", "02-01T13:00", "02-01T18:00", "02-01T22:29", "02-01T22:30")
    reasons = []
    first = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)
    async with open_room(tmp_path, policy=policy, zone="Asia/Tokyo", at=first) as room:
        await room.fill()
        due = first + timedelta(hours=20)
        signal = await room.remember(SIGNAL, days_ago=2, expires_at=due, importance=0.9)
        for number, at in enumerate(ticks):
            room.house.clock.at = datetime.fromisoformat(f"2026-{at}:00+00:00")
            if number == 0:
                # An immediate thing passes even quiet hours once; this one is less urgent.
                await room.house.service.update(signal.id, Change(tags=("low-priority",)))
            ticked = await room.tick(analyze=True)
            reasons.append(ticked.decision.reason)
            if ticked.act_id is not None:
                await room.service.delivered(ticked.act_id, ok=True)
        quiet_ones = reasons[1:4]
        assert quiet_ones == [Reason.SUPPRESS_TIME_PERIOD] * 3
        assert reasons[0] in (Reason.ACT, Reason.ACT_CONFLUENCE)
        assert reasons[4] in (Reason.ACT, Reason.ACT_CONFLUENCE, Reason.ACT_STALE_ESCALATED)
        assert len(room.chat.asked) == 2
        kept = await room.service.ticks("ann")
        assert [tick.reason for tick in reversed(kept)] == [one.value for one in reasons]
        assert [tick.llm_calls for tick in reversed(kept)] == [1, 0, 0, 0, 1]
