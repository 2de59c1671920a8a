"""The order of a recall: what is searched, what is not, and how it ends."""

from dataclasses import dataclass

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.budget import Outcome
from recalld.errors import Unavailable
from recalld.recall.model import Depth, RouteKind, Status, Verdict
from recalld.recall.pipeline import GATE_EMBEDDING_MS
from recalld.recall.policy import GatePolicy, GraphMemoryPolicy, RecallPolicy
from recalld.recall.record import GateStatus
from recalld.recall.trace import balanced_llm_invariant
from support.recall_world import FakeEmbed, FakeGate, FakeSearcher, World, hit, outcome_of, prompt
from support.virtual import run_virtual

UNCERTAIN = FakeGate(verdict=Verdict.UNCERTAIN, reason="user_specific_context")
AXIS = "decision context"


def searching(*found, **changes):
    return FakeSearcher(hits=found, **changes)


@dataclass(kw_only=True)
class ExactlySlow(FakeSearcher):
    """Hangs on the query that is, or for an axis ends with, ``words``."""

    words: str

    async def search(self, query, *, scope, limit, now):
        if query == self.words or (query.endswith(self.words) and "decision" in self.words):
            await anyio.sleep(60)
        return await super().search(query, scope=scope, limit=limit, now=now)


async def test_no_searches_nothing_and_ends_at_once(autojump_clock):
    world = World(gate=FakeGate(verdict=Verdict.NO, reason="default"), searcher=searching(hit()))
    seen = await world.recall("什么是 RRF？")
    assert seen.status is Status.SKIPPED_NOT_NEEDED
    assert (world.searcher.calls, seen.stages, seen.injection) == ([], (), None)


async def test_strong_literal_hit_is_injected_after_one_search(autojump_clock):
    world = World(searcher=searching(hit(raw=0.9)))
    seen = await world.recall()
    assert seen.status is Status.OK
    assert len(world.searcher.calls) == 1
    assert seen.expansion == ()
    assert seen.injection is not None
    assert "note in memory/a.md" in seen.injection.block


async def test_weak_literal_hit_is_injected_when_a_second_route_agrees(autojump_clock):
    world = World(searcher=searching(hit(raw=0.6), by_query={AXIS: (hit(raw=0.58),)}))
    seen = await world.recall()
    assert seen.status is Status.OK
    assert len(world.searcher.calls) == 2
    assert seen.chosen[0].routes == ("literal", "det:axis")


async def test_weak_literal_hit_alone_is_not_injected(autojump_clock):
    world = World(searcher=searching(hit(raw=0.6), by_query={AXIS: ()}))
    seen = await world.recall()
    assert (seen.status, seen.injection) == (Status.LOW_QUALITY, None)


@pytest.mark.allow_errors
async def test_search_that_throws_gives_nothing_and_no_error(autojump_clock):
    world = World(searcher=FakeSearcher(fails=Unavailable("search", "no leg could run")))
    seen = await world.recall()
    assert (seen.status, seen.injection) == (Status.FAIL_OPEN, None)
    assert seen.reason == "literal: failed"


async def test_nothing_found_is_told_apart_from_nothing_good_enough(autojump_clock):
    assert (await World().recall()).status is Status.NO_RESULT
    weak = World(searcher=searching(hit(raw=0.2)))
    assert (await weak.recall()).status is Status.LOW_QUALITY


async def test_hung_search_ends_as_timeout_within_the_total(autojump_clock):
    seen = await World(searcher=searching(hit(), delay_ms=60_000)).recall()
    assert seen.status is Status.TIMEOUT
    assert seen.elapsed_ms == pytest.approx(4_400)
    assert {note.outcome for note in seen.stages} == {Outcome.TIMEOUT}


async def test_slow_route_does_not_cost_the_literal_hits(autojump_clock):
    searcher = searching(hit(raw=0.7), slow={AXIS: 60_000}, delay_ms=30)
    seen = await World(searcher=searcher).recall()
    assert seen.status is Status.PARTIAL
    assert seen.injection is not None
    assert (outcome_of(seen, "det:axis"), seen.reason) == (Outcome.TIMEOUT, "det:axis: timeout")
    assert seen.elapsed_ms == pytest.approx(2_230)


@pytest.mark.parametrize(
    ("route", "words"),
    [
        ("literal", "what was the human-gate plugin rule"),
        ("det:axis", "project decision plan"),
        ("det:alias", "what was the human gate plugin rule"),
        ("det:focus", "human-gate plugin rule"),
    ],
)
async def test_each_hung_route_of_a_deep_recall_costs_only_itself(autojump_clock, route, words):
    searcher = ExactlySlow(hits=(hit(raw=0.7),), words=words)
    world = World(gate=FakeGate(depth=Depth.DEEP), searcher=searcher)
    seen = await world.recall("what was the human-gate plugin rule?")
    outcomes = {note.name: note.outcome for note in seen.stages}
    assert outcomes.pop(route) is Outcome.TIMEOUT
    assert set(outcomes.values()) == {Outcome.OK}
    assert (len(outcomes), seen.status) == (3, Status.PARTIAL)
    assert seen.elapsed_ms == pytest.approx(2_200)


async def test_slow_literal_does_not_cost_the_other_routes(autojump_clock):
    searcher = searching(
        hit(raw=0.7), by_query={AXIS: (hit("memory/b.md", 0.7),)}, slow={AXIS: 30}, delay_ms=60_000
    )
    seen = await World(searcher=searcher).recall()
    assert seen.status is Status.PARTIAL
    assert seen.injection is not None
    assert [shown.found.path for shown in seen.injection.shown] == ["memory/b.md"]


async def test_route_that_would_start_after_the_total_is_skipped(autojump_clock):
    world = World(searcher=searching(delay_ms=60_000), total_ms=1_000)
    seen = await world.recall()
    assert seen.status is Status.TIMEOUT
    assert (outcome_of(seen, "literal"), outcome_of(seen, "det:axis")) == ("timeout", "skipped")
    assert seen.elapsed_ms == pytest.approx(1_000)


async def test_leg_that_did_not_take_part_is_named_beside_a_good_answer(autojump_clock):
    world = World(searcher=searching(hit(), degraded=("dense: no vectors yet",)))
    seen = await world.recall()
    assert (seen.status, seen.reason) == (Status.OK, "dense: no vectors yet")


async def test_passed_probe_is_the_literal_result_and_not_searched_again(autojump_clock):
    world = World(gate=UNCERTAIN, searcher=searching(hit(raw=0.7), by_query={AXIS: ()}))
    seen = await world.recall("tune the nightly threshold")
    assert (seen.status, seen.gate_status) == (Status.OK, GateStatus.BGE_PROBE_PASS)
    assert [limit for _, limit in world.searcher.calls] == [1, 5]
    assert len({text for text, _ in world.searcher.calls}) == 2
    assert seen.chosen[0].routes == ("literal",)


async def test_strong_probe_needs_no_other_search(autojump_clock):
    world = World(gate=UNCERTAIN, searcher=searching(hit(raw=0.95)))
    seen = await world.recall("tune the nightly threshold")
    assert (seen.status, len(world.searcher.calls)) == (Status.OK, 1)


@pytest.mark.parametrize("raw", [0.649, 0.55, 0.1])
async def test_probe_with_a_top_hit_below_the_high_score_recalls_nothing(autojump_clock, raw):
    world = World(gate=UNCERTAIN, searcher=searching(hit(raw=raw)))
    seen = await world.recall("tune the nightly threshold")
    assert (seen.status, seen.gate_status) == (Status.SKIPPED_PROBE_NO, GateStatus.FAIL)
    assert len(world.searcher.calls) == 1


async def test_probe_that_does_not_answer_recalls_nothing(autojump_clock):
    world = World(gate=UNCERTAIN, searcher=searching(hit(), delay_ms=60_000))
    seen = await world.recall("tune the nightly threshold")
    assert (seen.status, seen.gate_status) == (Status.SKIPPED_PROBE_NO, GateStatus.ERROR)
    assert seen.elapsed_ms == pytest.approx(2_200)


async def test_uncertain_message_that_names_nothing_is_not_searched(autojump_clock):
    gate = FakeGate(verdict=Verdict.UNCERTAIN, reason="user_specific_context", deictic=True)
    world = World(gate=gate, searcher=searching(hit()))
    seen = await world.recall("fix it")
    assert (seen.status, seen.reason) == (Status.SKIPPED_PROBE_NO, "deictic")
    assert world.searcher.calls == []


async def test_seed_flow_without_additions_probes_such_a_message_too(autojump_clock):
    gate = FakeGate(verdict=Verdict.UNCERTAIN, reason="user_specific_context", deictic=True)
    plain = RecallPolicy(gate=GatePolicy(extended=False))
    world = World(gate=gate, searcher=searching(hit()), policy=plain)
    await world.recall("fix it")
    assert len(world.searcher.calls) == 1


@pytest.mark.parametrize(
    ("changes", "status", "reason"),
    [
        ({"policy": RecallPolicy(enabled=False)}, Status.DISABLED, "recall.enabled"),
        ({"policy": RecallPolicy(agents=("writer",))}, Status.DISABLED, "recall.agents"),
        ({"gate": FakeGate(internal=True)}, Status.SKIPPED_INTERNAL, None),
        ({"gate": FakeGate(system_event=True)}, Status.SKIPPED_SYSTEM_EVENT, None),
    ],
)
async def test_what_recall_never_looks_at_has_no_verdict_and_no_trace(
    autojump_clock, changes, status, reason
):
    world = World(searcher=searching(hit()), **changes)
    seen = await world.recall()
    assert (seen.status, seen.reason, seen.verdict, seen.traced) == (status, reason, None, False)
    assert world.searcher.calls == []


async def test_agent_is_never_read_out_of_the_session_key(autojump_clock):
    world = World(searcher=searching(hit()))
    seen = await world.recall(prompt(session_key="agent:main:main", agent="other"))
    assert seen.status is Status.DISABLED


async def test_prompt_without_a_workspace_has_nowhere_to_look(autojump_clock):
    world = World(searcher=searching(hit()))
    seen = await world.recall(prompt(workspace_id=None))
    assert (seen.status, seen.reason) == (Status.NO_RESULT, "no_workspace")
    assert world.searcher.calls == []


async def test_search_stays_inside_the_workspace_of_the_prompt(autojump_clock):
    world = World(searcher=searching(hit(raw=0.6)))
    await world.recall(prompt(workspace_id=7))
    assert {scope.workspace_ids for scope in world.searcher.scopes} == {(7,)}


@pytest.mark.parametrize(
    ("profile", "asked", "depth", "limits"),
    [
        ("speed", None, Depth.LITERAL, [3]),
        ("balanced", None, Depth.BALANCED, [5, 5]),
        ("deep", None, Depth.DEEP, [8, 8, 8, 8]),
        ("balanced", Depth.DEEP, Depth.DEEP, [8, 8, 8, 8]),
        ("deep", Depth.LITERAL, Depth.LITERAL, [3]),
    ],
)
async def test_depth_asked_for_wins_over_the_profile(autojump_clock, profile, asked, depth, limits):
    world = World(gate=FakeGate(depth=asked), policy=RecallPolicy(profile=profile))
    seen = await world.recall("what did we decide about the human-gate plugin?")
    assert seen.depth is depth
    assert [limit for _, limit in world.searcher.calls] == limits


@pytest.mark.parametrize("route", [RouteKind.GRAPH, RouteKind.HYBRID])
@pytest.mark.parametrize(("on", "why"), [(False, "graph_disabled"), (True, "graph_unavailable")])
async def test_demanded_graph_is_recorded_and_answered_by_vector(autojump_clock, route, on, why):
    world = World(
        gate=FakeGate(route=route),
        searcher=searching(hit()),
        graph=GraphMemoryPolicy(enabled=on),
    )
    seen = await world.recall()
    assert (seen.route, seen.fallback_reason, seen.status) == (route, why, Status.OK)
    assert len(world.searcher.calls) == 1


async def test_vector_of_the_message_may_change_the_verdict(autojump_clock):
    gate = FakeGate(verdict=Verdict.NO, wants_vector=True, extended_verdict=Verdict.YES)
    embed = FakeEmbed()
    seen = await World(gate=gate, searcher=searching(hit()), embed=embed).recall()
    assert (seen.status, embed.calls) == (Status.OK, 1)


async def test_slow_vector_leaves_the_verdict_of_the_rules(autojump_clock):
    gate = FakeGate(verdict=Verdict.NO, wants_vector=True, extended_verdict=Verdict.YES)
    world = World(gate=gate, searcher=searching(hit()), embed=FakeEmbed(delay_ms=60_000))
    seen = await world.recall()
    assert seen.status is Status.SKIPPED_NOT_NEEDED
    assert seen.elapsed_ms == pytest.approx(GATE_EMBEDDING_MS)
    assert outcome_of(seen, "gate.extended") == Outcome.TIMEOUT


@pytest.mark.parametrize(
    ("gate", "policy", "ready"),
    [
        (FakeGate(verdict=Verdict.NO), RecallPolicy(), True),
        (
            FakeGate(verdict=Verdict.NO, wants_vector=True),
            RecallPolicy(gate=GatePolicy(extended=False)),
            True,
        ),
        (FakeGate(verdict=Verdict.NO, wants_vector=True), RecallPolicy(), False),
    ],
)
async def test_message_is_embedded_only_where_that_may_change_something(
    autojump_clock, gate, policy, ready
):
    embed = FakeEmbed(ready=ready)
    await World(gate=gate, policy=policy, embed=embed).recall()
    assert embed.calls == 0


async def test_secret_in_the_message_is_neither_searched_nor_kept(autojump_clock):
    world = World(searcher=searching(hit(raw=0.6)))
    secret = "ghp_" + "a1B2c3D4e5" * 4
    seen = await world.recall(f"what did we decide about {secret}?")
    assert not any(secret in text for text, _ in world.searcher.calls)
    assert secret not in seen.query


async def test_unrelated_notes_are_not_injected_whatever_their_rank(autojump_clock):
    notes = [hit(f"memory/{n}.md", raw) for n, raw in enumerate((0.41, 0.12, 0.03))]
    seen = await World(searcher=searching(*notes)).recall("zebra turbine sonnet 4471")
    assert (seen.status, seen.injection) == (Status.LOW_QUALITY, None)


scores = st.floats(0, 1)
worlds = st.fixed_dictionaries(
    {
        "verdict": st.sampled_from(Verdict),
        "depth": st.sampled_from([None, *Depth]),
        "raws": st.lists(scores, max_size=8),
        "delay_ms": st.integers(0, 6_000),
        "axis_delay_ms": st.integers(0, 6_000),
        "total_ms": st.integers(50, 6_000),
        "text": st.text(max_size=300),
    }
)


@settings(deadline=None)
@given(worlds)
def test_any_recall_ends_within_its_total_and_keeps_its_promises(drawn):
    found = tuple(
        hit(f"memory/{n % 3}.md", raw, start_line=n) for n, raw in enumerate(drawn["raws"])
    )
    world = World(
        gate=FakeGate(verdict=drawn["verdict"], depth=drawn["depth"]),
        searcher=FakeSearcher(
            hits=found, delay_ms=drawn["delay_ms"], slow={AXIS: drawn["axis_delay_ms"]}
        ),
        total_ms=drawn["total_ms"],
    )

    async def main():
        return await world.recall(drawn["text"])

    seen = run_virtual(main)
    assert seen.elapsed_ms <= drawn["total_ms"] + 1e-6
    texts = [text.casefold() for text, _ in world.searcher.calls]
    assert len(texts) == len(set(texts))
    assert seen.llm_calls == 0
    assert balanced_llm_invariant(seen.depth, seen.llm_calls)
    assert (seen.injection is not None) == (seen.status in {Status.OK, Status.PARTIAL})
    for shown in seen.chosen:
        medium = shown.best_raw_score >= 0.55 and shown.route_hits >= 2
        assert shown.best_raw_score >= 0.65 or medium


@pytest.mark.parametrize(
    ("depth", "calls", "holds"),
    [(Depth.BALANCED, 0, True), (Depth.BALANCED, 1, False), (Depth.DEEP, 1, True)],
)
def test_invariant_is_about_the_depth_in_effect(depth, calls, holds):
    assert balanced_llm_invariant(depth, calls) is holds
