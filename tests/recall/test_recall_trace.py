"""The trace: names that others read, and nothing that may not be kept."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import orjson
import pytest

from recalld.recall.answer import result_of
from recalld.recall.explain import explanation_of
from recalld.recall.ids import TraceIds, is_trace_id
from recalld.recall.model import Depth, Status, Verdict
from recalld.recall.policy import RecallPolicy
from recalld.recall.trace import rfc3339, shown_text, trace_of
from recalld.text.estimate import estimate_tokens
from support.recall_world import FakeGate, FakeSearcher, World, hit, prompt

FIELDS = {
    *("ts", "session", "profile", "status", "elapsedMs"),
    *("totalMs", "literalMs", "gateMs", "expansionMs", "searchMs"),
    *("fusionMs", "vectorMs", "graphMs", "profileMs", "queryChars"),
    *("cleanedChars", "trigger", "recallDepth", "routeDecision", "fallbackReason"),
    *("graphTimedOut", "vectorHits", "graphHits", "profileHits", "gateDecision"),
    *("gateStatus", "gateReason", "probeTopScore", "probePassed", "deterministicQueries"),
    *("llmCalls", "balancedLlmInvariant", "rescueStatus", "rescueRemainingMs", "expansionStatus"),
    *("expansionReason", "searches", "fusionTop", "injectedChars", "injectedTokens"),
    *("injectedProfileChars", "injectedVectorChars", "injectedGraphChars", "traceId", "candidates"),
}
SEARCH_FIELDS = {"route", "query", "hits", "spawnMs", "searchMs", "totalMs"}
PLACE_FIELDS = {
    *("path", "source", "bestRawScore", "rrfScore", "sourceWeight", "finalRankScore"),
    *("finalScore", "routes", "routeHits", "occurrences"),
}
SECRET = "ghp_" + "a1B2c3D4e5" * 4


def searcher(**changes):
    found = {
        "hits": (hit(raw=0.7), hit("memory/b.md", 0.3), hit("memory/c.md", 0.56)),
        "by_query": {"decision context": (hit("memory/d.md", 0.66), hit(raw=0.68))},
    }
    return FakeSearcher(**{**found, **changes})


def answered(seen):
    return result_of(seen)


def explained(trace):
    return explanation_of(trace)


def shown(text, *, queries="text", limit_chars=1_000):
    return shown_text(text, queries=queries, limit_chars=limit_chars)


def traced(seen, queries="text"):
    return orjson.loads(orjson.dumps(trace_of(seen, queries=queries)))


@pytest.mark.parametrize("verdict", Verdict)
async def test_every_recall_has_every_field(autojump_clock, verdict):
    seen = await World(gate=FakeGate(verdict=verdict), searcher=searcher()).recall()
    trace = traced(seen)
    assert set(trace) >= FIELDS
    assert all(set(search) >= SEARCH_FIELDS for search in trace["searches"])
    assert all(set(place) >= PLACE_FIELDS for place in trace["fusionTop"])
    assert all(place["finalScore"] == place["finalRankScore"] for place in trace["fusionTop"])


async def test_trace_tells_what_was_decided_and_found(autojump_clock):
    world = World(searcher=searcher(delay_ms=30), gate=FakeGate(reason="historical_reference"))
    trace = traced(await world.recall())
    assert (trace["status"], trace["gateDecision"]) == ("ok", "yes")
    assert trace["gateReason"] == "historical_reference"
    assert (trace["vectorHits"], trace["qualityAccepted"], trace["qualityRejected"]) == (5, 2, 1)
    assert (trace["literalMs"], trace["searchMs"], trace["elapsedMs"]) == (30.0, 60.0, 60.0)
    assert (trace["totalMs"], trace["budgetMs"]) == (trace["elapsedMs"], 5_000)
    assert [search["route"] for search in trace["searches"]] == ["literal", "det:axis"]
    assert trace["deterministicQueries"] == ["what did we decide about the gate decision context"]
    assert (trace["llmCalls"], trace["balancedLlmInvariant"]) == (0, True)
    assert (trace["probeTopScore"], trace["probePassed"]) == (None, None)


@pytest.mark.parametrize(
    ("raw", "status", "passed"), [(0.7, "bge_probe_pass", True), (0.6, "fail", False)]
)
async def test_trace_tells_how_the_probe_went(autojump_clock, raw, status, passed):
    gate = FakeGate(verdict=Verdict.UNCERTAIN)
    trace = traced(await World(gate=gate, searcher=FakeSearcher(hits=(hit(raw=raw),))).recall())
    assert (trace["gateStatus"], trace["probeTopScore"], trace["probePassed"]) == (
        status,
        raw,
        passed,
    )


@pytest.mark.parametrize(
    ("depth", "reason", "raw", "status"),
    [
        (Depth.BALANCED, "memory_intent", 0.7, "skipped_not_deep"),
        (Depth.DEEP, "historical_reference", 0.3, "skipped_intent"),
        (Depth.DEEP, "memory_intent", 0.7, "skipped_quality"),
        (Depth.DEEP, "explicit_prefix", 0.3, "skipped_disabled"),
    ],
)
async def test_trace_tells_why_no_rescue_was_run(autojump_clock, depth, reason, raw, status):
    gate = FakeGate(depth=depth, reason=reason)
    trace = traced(await World(gate=gate, searcher=FakeSearcher(hits=(hit(raw=raw),))).recall())
    assert (trace["rescueStatus"], trace["rescueRemainingMs"]) == (status, None)
    told = explained(trace)["rescue"]
    assert told == {
        "status": status,
        "reason": trace["rescueReason"],
        "remaining_ms": None,
        "queries": 0,
    }


async def test_every_candidate_names_the_rule_that_cut_it(autojump_clock):
    found = [hit(f"memory/{n}.md", 0.9 - n / 100) for n in range(4)]
    found += [
        hit("memory/0.md", 0.89, start_line=20),
        hit("memory/0.md", 0.88, start_line=30),
        hit("memory/x.md", 0.6),
        hit("memory/y.md", 0.2),
    ]
    policy = RecallPolicy(chunks_per_path=2, top_k=4, profile="deep", inject_token_budget=90)
    world = World(searcher=FakeSearcher(hits=tuple(found)), policy=policy)
    world.searcher.by_query = {"decision context": ()}
    trace = traced(await world.recall("billing retries"))
    rules = {(row["path"][7], row["startLine"]): row["cutBy"] for row in trace["candidates"]}
    assert rules == {
        ("0", 1): None,
        ("1", 1): None,
        ("0", 20): None,
        ("2", 1): "token_budget",
        ("3", 1): "top_k",
        ("0", 30): "chunks_per_path",
        ("x", 1): "quality_gate",
        ("y", 1): "min_score",
    }


async def test_candidate_keeps_its_rank_and_score_in_every_route(autojump_clock):
    trace = traced(await World(searcher=searcher()).recall())
    row = next(row for row in trace["candidates"] if row["path"] == "memory/a.md")
    assert row["routes"] == [
        {"route": "literal", "rank": 1, "raw": 0.7},
        {"route": "det:axis", "rank": 2, "raw": 0.68},
    ]
    assert row["bestRaw"] == 0.7


@pytest.mark.parametrize(
    ("queries", "kept"),
    [("text", "what did we decide?"), ("off", None), ("hash", "sha256:")],
)
async def test_words_of_the_user_are_kept_as_configured(autojump_clock, queries, kept):
    trace = traced(await World(searcher=searcher()).recall("what did we decide?"), queries)
    if queries == "hash":
        assert trace["prompt"].startswith(kept)
        assert trace["searches"][0]["query"].startswith(kept)
    else:
        assert trace["prompt"] == kept
    if queries != "text":
        assert b"decide" not in orjson.dumps(trace)


def test_hash_groups_equal_words_only():
    assert shown("a", queries="hash") == shown("a", queries="hash") != shown("b", queries="hash")


async def test_secrets_and_notes_stay_out_of_the_trace(autojump_clock):
    found = hit(raw=0.7, text="the note itself")
    world = World(searcher=FakeSearcher(hits=(found,)))
    seen = await world.recall(prompt(f"did we rotate {SECRET}?", session_key=f"agent:{SECRET}"))
    kept = orjson.dumps(trace_of(seen, queries="text"))
    assert SECRET.encode() not in kept
    assert b"the note itself" not in kept
    assert SECRET not in answered(seen).decision.query


@pytest.mark.parametrize("place", [985, 995, 999, 3_990])
def test_cut_never_leaves_half_a_secret(place):
    text = "x " * (place // 2) + SECRET + " y" * 3_000
    kept = shown(text)
    assert len(kept) <= 1_000
    assert "ghp_" not in kept


async def test_long_prompt_makes_a_short_trace(autojump_clock):
    seen = await World(searcher=searcher()).recall("project plan " * 20_000)
    assert len(orjson.dumps(trace_of(seen, queries="text"))) < 16_000
    assert traced(seen)["queryChars"] == 260_000


def test_time_is_utc_to_the_millisecond():
    at = datetime(2026, 8, 24, 17, 30, 0, 123_456, tzinfo=timezone(timedelta(hours=8)))
    assert rfc3339(at) == "2026-08-24T09:30:00.123Z"
    assert rfc3339(datetime(2026, 1, 1, tzinfo=UTC)) == "2026-01-01T00:00:00.000Z"


async def test_answer_lists_exactly_the_hits_of_its_block(autojump_clock):
    seen = await World(searcher=searcher()).recall()
    result = answered(replace(seen, trace_id="T"))
    assert [one.path for one in result.hits] == ["memory/a.md", "memory/d.md"]
    assert all(one.path in result.context for one in result.hits)
    assert result.context.count("- [memory]") == len(result.hits)
    assert result.hits[0].routes == ("literal", "det:axis")
    assert [stage.name for stage in result.stages] == ["literal", "det:axis"]
    assert (result.trace_id, result.llm_calls, result.recovery) == ("T", 0, None)
    assert result.tokens == estimate_tokens(result.context)


async def test_answer_of_a_disabled_recall_has_no_decision(autojump_clock):
    result = answered(await World(policy=RecallPolicy(enabled=False)).recall())
    assert (result.status, result.decision, result.context) == (Status.DISABLED, None, None)
    assert (result.hits, result.tokens) == ((), 0)


async def test_answer_of_a_no_still_has_its_decision(autojump_clock):
    gate = FakeGate(verdict=Verdict.NO, reason="default")
    decision = answered(await World(gate=gate).recall("什么是 RRF？")).decision
    assert (decision.verdict, decision.reason, decision.query) == ("no", "default", "什么是 RRF？")


async def test_explanation_tells_rule_ranks_and_cuts(autojump_clock):
    told = explained(traced(await World(searcher=searcher()).recall()))
    assert told["gate"]["rule"] == "fake"
    assert told["status"] == "ok"
    ranks = [(row["path"], row["rank"], row["raw_score"]) for row in told["routes"]["det:axis"]]
    assert ranks == [("memory/d.md", 1, 0.66), ("memory/a.md", 2, 0.68)]
    assert [row["path"] for row in told["shown"]] == ["memory/a.md", "memory/d.md"]
    assert {row["path"]: row["rule"] for row in told["cut"]} == {
        "memory/b.md": "min_score",
        "memory/c.md": "quality_gate",
    }


@pytest.mark.parametrize(
    "trace",
    [{}, {"candidates": 7, "searches": None}, {"candidates": [1, {"id": "a", "routes": 3}]}],
)
def test_damaged_trace_is_explained_as_far_as_it_goes(trace):
    told = explained(trace)
    assert told["gate"]["decision"] is None
    assert told["routes"] == {}


def test_trace_ids_only_ever_grow():
    times = iter([5, 5, 5, 4, 6, 10**13])
    ids = TraceIds(now_ms=lambda: next(times), chance=lambda bits: (1 << bits) - 9)
    made = [ids.next() for _ in range(6)]
    assert made == sorted(set(made))
    assert all(is_trace_id(one) for one in made)


def test_trace_id_starts_with_its_time():
    ids = TraceIds(now_ms=lambda: 1, chance=lambda _: 0)
    assert ids.next() == "00000000010000000000000000"


@pytest.mark.parametrize("text", ["", "01J", "i" * 26, "0" * 25 + '"', "0" * 27])
def test_other_text_is_no_trace_id(text):
    assert not is_trace_id(text)
