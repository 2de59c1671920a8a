"""Prefixes and options decide first, and never reach a query."""

from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.recall.gate import decide
from recalld.recall.model import Depth, RouteKind, Verdict
from recalld.recall.policy import GatePolicy, TriggerPolicy

Mode = Literal["on-demand", "explicit", "always"]
MODES: tuple[Mode, ...] = ("on-demand", "explicit", "always")
POLICY = TriggerPolicy()
GATE = GatePolicy()


@pytest.mark.parametrize(
    ("text", "query", "depth", "route"),
    [
        ("/recall what did we decide", "what did we decide", None, None),
        ("/Recall what did we decide", "what did we decide", None, None),
        ("/recall: caching", "caching", None, None),
        ("/recall：缓存", "缓存", None, None),
        ("  /recall   literal   error E1042  ", "error E1042", Depth.LITERAL, None),
        ("/memory balanced deploy checklist", "deploy checklist", Depth.BALANCED, None),
        ("/recall deep graph foo", "foo", Depth.DEEP, RouteKind.GRAPH),
        ("/recall hybrid deep: foo", "foo", Depth.DEEP, RouteKind.HYBRID),
        ("/recall vector foo", "foo", None, RouteKind.VECTOR),
        ("/recall deep literal foo", "literal foo", Depth.DEEP, None),
        ("/recall deep graph hybrid foo", "hybrid foo", Depth.DEEP, RouteKind.GRAPH),
        ("/recall deeper look", "deeper look", None, None),
        ("回忆： ：上次的结论", "上次的结论", None, None),
        ("记忆:: deep 部署脚本", "部署脚本", Depth.DEEP, None),
        ("/recall\nwhat now", "what now", None, None),
    ],
)
def test_a_forcing_prefix_means_yes_and_leaves_the_query(
    text: str, query: str, depth: Depth | None, route: RouteKind | None
) -> None:
    verdict = decide(text, policy=POLICY, gate=GATE)
    assert verdict.verdict is Verdict.YES
    assert verdict.reason == "explicit_prefix"
    assert (verdict.query, verdict.depth, verdict.route) == (query, depth, route)


@pytest.mark.parametrize(
    "text", ["/recall", "/recall:  ", "回忆：", "/recall deep", "/memory deep graph"]
)
def test_a_prefix_with_nothing_behind_it_means_no(text: str) -> None:
    verdict = decide(text, policy=POLICY, gate=GATE)
    assert verdict.verdict is Verdict.NO
    assert verdict.query == ""


@pytest.mark.parametrize(
    "text",
    [
        "/recaller foo",
        "/recalldeep foo",
        "回忆录怎么写",
        "记忆力差怎么办",
        "回忆 什么",
        "/no-recaller foo",
        "what does /recall do",
    ],
)
def test_what_only_starts_like_a_prefix_is_none(text: str) -> None:
    verdict = decide(text, policy=POLICY, gate=GATE)
    assert verdict.reason not in {"explicit_prefix", "suppressed"}
    assert verdict.query == text


@pytest.mark.parametrize(
    "text",
    [
        "/no-recall /recall foo",
        "/recall /no-recall foo",
        "/no-memory 还记得我们上次的结论吗",
        "不查记忆:还记得吗",
    ],
)
def test_suppression_wins_over_everything(text: str) -> None:
    for mode in MODES:
        policy = TriggerPolicy(mode=mode, additional_keywords=("foo", "记得"))
        verdict = decide(text, policy=policy, gate=GATE)
        assert verdict.verdict is Verdict.NO
        assert verdict.reason == "suppressed"


def test_always_mode_says_yes_to_anything_that_is_not_empty() -> None:
    policy = TriggerPolicy(mode="always")
    assert decide("thanks", policy=policy, gate=GATE).reason == "mode_always"
    assert decide(" ", policy=policy, gate=GATE).reason == "empty"


def test_explicit_mode_knows_only_prefixes_and_keywords() -> None:
    policy = TriggerPolicy(mode="explicit", additional_keywords=("Dossier",))
    assert decide("还记得我们上次的结论吗", policy=policy, gate=GATE).reason == "mode_explicit"
    assert decide("open the dossier", policy=policy, gate=GATE).reason == "custom_keyword"
    assert decide("/recall x", policy=policy, gate=GATE).reason == "explicit_prefix"


@pytest.mark.parametrize("keyword", ["a.b", "C++", "档案", "STRASSE"])
def test_a_keyword_is_literal_and_ignores_case(keyword: str) -> None:
    policy = TriggerPolicy(additional_keywords=(keyword,))
    verdict = decide(f"explain {keyword.lower()} please", policy=policy, gate=GATE)
    assert verdict.reason == "custom_keyword"
    assert verdict.rule == keyword


def test_a_keyword_is_no_pattern() -> None:
    policy = TriggerPolicy(additional_keywords=("a.b",))
    assert decide("explain axb", policy=policy, gate=GATE).reason != "custom_keyword"


def test_custom_prefixes_replace_the_default_ones() -> None:
    policy = TriggerPolicy(explicit_prefixes=("/mem", "查："), suppress_prefixes=("/off",))
    assert decide("/mem x", policy=policy, gate=GATE).query == "x"
    assert decide("查:x", policy=policy, gate=GATE).query == "x"
    assert decide("/off x", policy=policy, gate=GATE).reason == "suppressed"
    assert decide("/recall x", policy=policy, gate=GATE).reason != "explicit_prefix"


TAILS = st.text(st.characters(codec="utf-8"), max_size=40)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(POLICY.explicit_prefixes + POLICY.suppress_prefixes), min_size=1, max_size=4
    ),
    st.lists(st.sampled_from([*Depth, *RouteKind]), max_size=2, unique_by=type),
    TAILS,
    st.sampled_from(MODES),
    st.booleans(),
)
def test_a_control_prefix_always_wins_and_never_reaches_a_query(
    prefixes: list[str], options: list[str], tail: str, mode: Mode, extended: bool
) -> None:
    policy = TriggerPolicy(mode=mode)
    text = " ".join([*prefixes, *options, tail])
    verdict = decide(text, policy=policy, gate=GatePolicy(extended=extended))
    suppressed = any(prefix in policy.suppress_prefixes for prefix in prefixes)
    if suppressed:
        assert verdict.reason == "suppressed"
        assert verdict.verdict is Verdict.NO
    else:
        assert verdict.reason in {"explicit_prefix", "empty", "suppressed"}
    assert not verdict.query.lower().startswith(
        ("/recall ", "/memory ", "/no-recall ", "/no-memory ")
    )
    assert not verdict.query.startswith(("回忆：", "记忆：", "不查记忆："))
