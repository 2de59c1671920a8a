"""When a language model is asked, how often, and what becomes of its words."""

from dataclasses import replace
from functools import partial
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.counters import Counters
from recalld.errors import Unavailable
from recalld.llm.client import LlmClient
from recalld.llm.limiter import Limiter
from recalld.llm.model import Barred, ChatOutcome, ChatReply
from recalld.llm.policy import LlmPolicy
from recalld.recall.gate import decide
from recalld.recall.model import Depth, Status, Verdict
from recalld.recall.policy import (
    AssociationsPolicy,
    ExpansionPolicy,
    RecallPolicy,
    StrongSignalPolicy,
    TriggerPolicy,
)
from recalld.recall.trace import trace_of
from support import llm_server as toxic
from support.llm_server import KEY, KEY_NAME, answer, endpoint, message, saying
from support.recall_house import House, Settings
from support.recall_world import FakeChat, FakeGate, FakeSearcher, World, hit, outcome_of
from support.virtual import run_virtual

DEEP = FakeGate(depth=Depth.DEEP)
ANSWER = orjson.dumps(
    {
        "rewrite": "reason for the queue",
        "associations": [{"type": "decision", "query": "postgres queue"}],
    }
).decode()
WEAK = (hit(raw=0.3),)


def world(**changes) -> Any:
    parts = {"gate": DEEP, "searcher": FakeSearcher(hits=WEAK), "chat": FakeChat(content=ANSWER)}
    return World(**{**parts, **changes})


async def test_words_of_the_model_find_what_the_users_did_not(autojump_clock):
    found = {"postgres queue": (hit("memory/b.md", 0.8),)}
    here = world(searcher=FakeSearcher(hits=WEAK, by_query=found))
    seen = await here.recall("why no redis")
    assert (seen.status, seen.rescue.status, seen.llm_calls) == (Status.OK, "structured_ok", 1)
    assert [shown.found.path for shown in seen.injection.shown] == ["memory/b.md"]
    assert seen.chosen[0].routes == ("rescue:decision",)
    assert {text for text, _ in here.searcher.calls[-2:]} == {
        "reason for the queue",
        "postgres queue",
    }


async def test_searches_of_the_rescue_are_judged_like_any_other(autojump_clock):
    found = {"queue": (hit("memory/b.md", 0.64),)}
    alone = world(searcher=FakeSearcher(hits=WEAK, by_query={"postgres": found["queue"]}))
    assert (await alone.recall("why no redis")).status is Status.LOW_QUALITY
    agreed = world(searcher=FakeSearcher(hits=WEAK, by_query=found))
    seen = await agreed.recall("why no redis")
    assert seen.chosen[0].routes == ("rescue:decision", "rescue:rewrite")


NOT_DEEP = FakeGate(depth=Depth.BALANCED)
ROWS = [
    ("not deep", {"gate": NOT_DEEP}, "skipped_not_deep", None),
    ("literal", {"gate": FakeGate(depth=Depth.LITERAL)}, "skipped_not_deep", None),
    (
        "no intent",
        {"gate": FakeGate(depth=Depth.DEEP, reason="historical_reference")},
        "skipped_intent",
        None,
    ),
    ("something passed", {"searcher": FakeSearcher(hits=(hit(raw=0.7),))}, "skipped_quality", None),
    ("off", {"llm": LlmPolicy()}, "skipped_disabled", None),
    ("no client", {"chat": None}, "skipped_disabled", None),
    (
        "no room for a query",
        {
            "policy": RecallPolicy(
                expansion=ExpansionPolicy(associations=AssociationsPolicy(max_deep=0))
            )
        },
        "skipped_disabled",
        None,
    ),
    ("no key", {"chat": FakeChat(bar=Barred.KEY_MISSING)}, "skipped_no_key", "key_missing"),
    ("unsafe key", {"chat": FakeChat(bar=Barred.KEY_UNSAFE)}, "skipped_no_key", "key_unsafe"),
    (
        "asked to wait",
        {"chat": FakeChat(bar=Barred.RATE_LIMITED)},
        "skipped_rate_limited",
        "rate_limited",
    ),
    ("little is left", {"total_ms": 2_700}, "skipped_budget", None),
]


@pytest.mark.parametrize(
    ("changes", "status", "reason"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
async def test_nothing_is_sent_unless_every_condition_holds(
    autojump_clock, changes, status, reason
):
    here = world(**changes)
    seen = await here.recall()
    assert (seen.rescue.status, seen.rescue.reason, seen.llm_calls) == (status, reason, 0)
    assert here.chat is None or here.chat.requests == []


async def test_a_message_that_is_not_searched_is_not_sent(autojump_clock):
    for gate in (
        FakeGate(verdict=Verdict.NO, depth=Depth.DEEP),
        FakeGate(internal=True, depth=Depth.DEEP),
    ):
        here = world(gate=gate)
        assert (await here.recall()).rescue.status == "not_run"
        assert here.chat.requests == []


@pytest.mark.allow_errors
async def test_an_index_that_does_not_answer_sends_nothing_out(autojump_clock):
    here = world(searcher=FakeSearcher(fails=Unavailable("search", "gone")))
    seen = await here.recall()
    assert (seen.rescue.status, seen.rescue.reason) == ("not_run", "search_failed")
    assert (here.chat.requests, seen.status) == ([], Status.FAIL_OPEN)


@pytest.mark.parametrize(
    ("delay_ms", "minimum_ms", "timeout_ms", "sent"),
    [
        (1_000, 3_000, 100, True),
        (1_001, 3_000, 100, False),
        (1_250, 0, 2_500, True),
        (1_251, 0, 2_500, False),
    ],
)
async def test_the_budget_left_must_cover_minimum_and_timeout(
    autojump_clock, delay_ms, minimum_ms, timeout_ms, sent
):
    policy = RecallPolicy(
        expansion=ExpansionPolicy(min_remaining_budget_ms=minimum_ms, timeout_ms=timeout_ms)
    )
    here = world(searcher=FakeSearcher(hits=WEAK, delay_ms=delay_ms), policy=policy)
    seen = await here.recall()
    assert len(here.chat.requests) == int(sent)
    assert seen.rescue.remaining_ms == pytest.approx(5_000 - 2 * delay_ms)
    assert (seen.rescue.status == "skipped_budget") is not sent


async def test_a_model_that_hangs_is_left_at_its_timeout(autojump_clock):
    here = world(chat=FakeChat(delay_ms=60_000))
    seen = await here.recall()
    assert (seen.rescue.status, seen.rescue.reason, seen.llm_calls) == ("timeout", "timeout", 1)
    assert seen.elapsed_ms == pytest.approx(2_500)
    assert (seen.status, outcome_of(seen, "rescue")) == (Status.LOW_QUALITY, "timeout")


@pytest.mark.allow_errors
async def test_a_client_that_breaks_costs_only_the_rescue(autojump_clock):
    seen = await world(chat=FakeChat(fails=Unavailable("llm", "gone"))).recall()
    assert (seen.rescue.status, seen.status) == ("request_fail", Status.LOW_QUALITY)


async def test_a_pause_that_began_meanwhile_counts_as_no_call(autojump_clock):
    reply = ChatReply(outcome=ChatOutcome.BARRED, problem=Barred.RATE_LIMITED)
    seen = await world(chat=FakeChat(reply=reply)).recall()
    assert (seen.rescue.status, seen.llm_calls) == ("skipped_rate_limited", 0)


@pytest.mark.parametrize("content", ["", "null", "[]", "associations: a, b"])
async def test_a_hopeless_answer_leaves_the_answer_of_the_routes(autojump_clock, content):
    without = await world(llm=LlmPolicy()).recall()
    here = world(chat=FakeChat(content=content))
    seen = await here.recall()
    assert (seen.rescue.status, len(here.chat.requests)) == ("parse_fail", 1)
    assert (seen.status, seen.chosen) == (without.status, without.chosen)
    assert [done.stage for done in seen.searches] == [done.stage for done in without.searches]


@pytest.mark.parametrize(("most", "searches"), [(1, 1), (2, 2), (6, 2)])
async def test_max_deep_bounds_the_searches_of_the_rescue(autojump_clock, most, searches):
    policy = RecallPolicy(expansion=ExpansionPolicy(associations=AssociationsPolicy(max_deep=most)))
    seen = await world(policy=policy).recall()
    assert len(seen.rescue.queries) == searches


PROMPTS = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        [
            "do you remember why we chose the queue?",
            "你还记得我们为什么选 Redis 吗？",
            "what did we decide about the gate last week",
            "回忆：为什么不用 Redis",
        ]
    ),
    st.builds(
        "{} {}{}".format,
        st.sampled_from(["/recall", "/memory", "/recall --depth balanced", "/no-recall"]),
        st.text(max_size=40),
        st.sampled_from(["", " timeline", "？"]),
    ),
)
RULES = replace(DEEP.rules(), decide=decide)
BALANCED_RULES = replace(
    RULES, decide=lambda text, **policies: replace(decide(text, **policies), depth=Depth.BALANCED)
)
DEEP_RULES = replace(
    RULES, decide=lambda text, **policies: replace(decide(text, **policies), depth=Depth.DEEP)
)
LATENCIES = st.integers(0, 3_000)


def recalled(text: str, *, rules, delay_ms: int, raw: float):
    """The world after ``text`` was recalled with everything set for a rescue."""
    here = World(
        rules=rules,
        searcher=FakeSearcher(hits=(hit(raw=raw),), delay_ms=delay_ms),
        chat=FakeChat(content=ANSWER),
        policy=RecallPolicy(
            trigger=TriggerPolicy(mode="always"),
            expansion=ExpansionPolicy(min_remaining_budget_ms=0),
            strong_signal=StrongSignalPolicy(enabled=False),
        ),
    )
    return here, run_virtual(partial(here.recall, text))


@settings(max_examples=1_000, deadline=None)
@given(PROMPTS, LATENCIES, st.sampled_from([0.0, 0.6, 0.9]))
def test_balanced_depth_never_asks_a_model(text, delay_ms, raw):
    here, seen = recalled(text, rules=BALANCED_RULES, delay_ms=delay_ms, raw=raw)
    assert (len(here.chat.requests), seen.llm_calls) == (0, 0)
    assert trace_of(seen, queries="text")["balancedLlmInvariant"] is True


@settings(max_examples=300, deadline=None)
@given(PROMPTS, LATENCIES, st.sampled_from([0.0, 0.6, 0.9]))
def test_deep_recall_asks_a_model_at_most_once(text, delay_ms, raw):
    here, seen = recalled(text, rules=DEEP_RULES, delay_ms=delay_ms, raw=raw)
    assert len(here.chat.requests) == seen.llm_calls <= 1
    if seen.llm_calls:
        assert seen.rescue.remaining_ms >= 2_500


def test_the_deep_property_does_ask_sometimes():
    here, _ = recalled("/recall why redis", rules=DEEP_RULES, delay_ms=1, raw=0.0)
    assert len(here.chat.requests) == 1


async def test_trace_tells_the_rescue_without_a_word_of_it(autojump_clock):
    seen = await world().recall()
    trace = orjson.loads(orjson.dumps(trace_of(seen, queries="text")))
    assert trace["rescueStatus"] == trace["expansionStatus"] == "structured_ok"
    assert (trace["llmCalls"], trace["rescueQueries"]) == (1, 2)
    assert trace["rescueRemainingMs"] == pytest.approx(5_000, abs=100)
    assert trace["expansionShape"]["method"] == "strict"
    routes = {search["route"]: search["query"] for search in trace["searches"]}
    assert routes["rescue:rewrite"] is routes["rescue:decision"] is None
    assert routes["literal"] is not None
    for words in (b"reason for the queue", b"postgres queue"):
        assert words not in orjson.dumps(trace)


# Over a real socket: the whole of the service with the daemon's own client.


def house(root, url: str, *, timeout_ms: int = 2_500, **changes) -> House:
    chat = LlmClient(
        environ={KEY_NAME: KEY}, limiter=Limiter(jitter=lambda: 0.0), counters=changes["counters"]
    )
    policy = RecallPolicy(
        expansion=ExpansionPolicy(endpoint=url, api_key_env=KEY_NAME, timeout_ms=timeout_ms)
    )
    return House(
        root=root,
        searcher=FakeSearcher(hits=WEAK),
        gate=DEEP,
        chat=chat,
        settings=Settings(recall=policy, llm=LlmPolicy(enabled=True)),
        **changes,
    )


LOCATION = "Location: http://169.254.169.254/latest/meta-data/"
LIVE = [
    ("fenced", saying(f"```json\n{ANSWER}\n```"), "repair_success"),
    ("429", answer(b"", status="429 Too Many"), "http_fail"),
    ("500", answer(b"", status="500 Oops"), "http_fail"),
    ("redirect", answer(b"", status="302 Found", headers=LOCATION), "http_fail"),
    ("hang", toxic.hang, "timeout"),
    ("one byte a second", toxic.one_byte_a_second, "timeout"),
    ("endless body", toxic.endless_body, "payload_fail"),
    ("20 MB", answer(b" " * 20_000_000), "payload_fail"),
    ("HTML", answer(b"<html>"), "payload_fail"),
    ("garbage", saying("?? {]"), "parse_fail"),
    ("empty", saying(""), "parse_fail"),
    ("reasoning only", message(content=None, reasoning_content="hm"), "payload_fail"),
]


@pytest.mark.parametrize(("act", "status"), [row[1:] for row in LIVE], ids=[r[0] for r in LIVE])
async def test_whatever_the_endpoint_does_the_prompt_is_answered_after_one_request(
    tmp_path, act, status
):
    counters = Counters()
    async with endpoint(act) as served:
        timeout_ms = 300 if status == "timeout" else 2_500
        here = house(tmp_path, served.url, counters=counters, timeout_ms=timeout_ms)
        async with here.open_sink() as sink:
            result = await here.service(sink).prompt(here.prompt())
        assert len(served.requests) == served.connections == 1
    (line,) = here.lines()
    assert (line["rescueStatus"], line["llmCalls"], result.llm_calls) == (status, 1, 1)
    assert result.status is Status.LOW_QUALITY
    assert counters.get(f"rescue.{status}") == 1
    assert KEY.encode() not in (here.root / here.settings.trace.file).read_bytes()


async def test_after_429_the_next_recall_is_answered_without_asking(tmp_path):
    busy = answer(b"", status="429 Too Many", headers="Retry-After: 20")
    async with endpoint(busy) as served:
        here = house(tmp_path, served.url, counters=Counters())
        async with here.open_sink() as sink:
            service = here.service(sink)
            for _ in range(3):
                await service.prompt(here.prompt())
        assert len(served.requests) == 1
    assert [line["rescueStatus"] for line in here.lines()] == [
        "http_fail",
        "skipped_rate_limited",
        "skipped_rate_limited",
    ]
    assert here.lines()[0]["expansionShape"]["httpStatus"] == 429


async def test_balanced_recalls_over_a_socket_connect_to_nothing(tmp_path):
    async with endpoint(saying(ANSWER)) as served:
        here = house(tmp_path, served.url, counters=Counters())
        here.gate = FakeGate()
        async with here.open_sink() as sink:
            service = here.service(sink)
            for n in range(50):
                await service.prompt(here.prompt(f"do you remember topic {n}?"))
        assert served.connections == 0
