"""The literal query and the deterministic routes."""

import pkgutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.recall import routes
from recalld.recall.expand import MAX_QUERY_CHARS, cut, expand, folded, literal_query
from recalld.recall.model import Depth
from recalld.recall.policy import AssociationsPolicy, ExpansionPolicy, RecallPolicy
from recalld.recall.routes import ROUTES
from recalld.recall.routes.det_axis import axis_of

DEEP_QUERY = "the human-gate rules of that plugin"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("还记得我们上次给 human-gate 定的规则吗？", "我们 给 human-gate 定的规则"),
        ("Do you remember what we decided about the gate?", "what we decided about the gate"),
        ("please, can you still recall our deployment plan?", "our deployment plan"),
        ("What did we decide last time about human-gate?", "What did we decide about human-gate"),
        ("ｆｕｌｌｗｉｄｔｈ　１２３", "fullwidth 123"),
        ("“审批插件”（v1.2）现在怎样？", "审批插件 v1.2 现在怎样"),
        ("(a+)+$aaa!", "a+ +$aaa"),
        ("什么是 RRF？", "什么是 RRF"),
        ("rotate token [redacted:github_token:f34b] of the gate", "rotate token of the gate"),
    ],
)
def test_literal_query_keeps_the_words_that_name_something(text, query):
    assert literal_query(text) == query


@pytest.mark.parametrize("word", ["last week", "昨天", "3 weeks ago", "2026-08-01", "以前", "now"])
def test_dates_and_state_words_stay_for_the_search_to_read(word):
    assert word in literal_query(f"what was chosen {word}?")


@pytest.mark.parametrize("text", ["？？？", "上次", "Do you remember?", "吗"])
def test_text_that_normalising_would_empty_is_searched_as_it_is(text):
    assert literal_query(text) == text


def test_long_text_is_cut_to_its_head_and_tail():
    text = "a" * 300 + " " + "b" * 300
    query = literal_query(text)
    assert len(query) == MAX_QUERY_CHARS
    assert query == "a" * 180 + " " + "b" * 219


@given(st.text(max_size=1_500))
def test_literal_query_is_bounded_and_empty_only_for_blank_text(text):
    query = literal_query(text)
    assert len(query) <= MAX_QUERY_CHARS
    assert bool(query) == bool(text.split())


@pytest.mark.parametrize(
    ("query", "axis"),
    [
        ("when was the release moved", "temporal"),
        ("审批插件推进到哪一步", "temporal"),
        ("human-gate 和 Codex 有什么关系", "relation"),
        ("按我的偏好调整配置", "preference"),
        ("the approval plugin", "project"),
        ("billing retries", "default"),
    ],
)
def test_axis_follows_from_the_words_of_the_question(query, axis):
    assert axis_of(query)[0] == axis


def test_axis_terms_are_english_also_for_a_chinese_question():
    (query,) = expand("按我的偏好调整", depth=Depth.BALANCED, policy=RecallPolicy(), routes=ROUTES)
    assert query.route == "det:axis"
    assert query.text == "按我的偏好调整 preference choice"


@pytest.mark.parametrize(
    ("depth", "names"),
    [
        (Depth.LITERAL, []),
        (Depth.BALANCED, ["det:axis"]),
        (Depth.DEEP, ["det:axis", "det:alias", "det:focus"]),
    ],
)
def test_each_depth_adds_its_routes_in_order(depth, names):
    queries = expand(DEEP_QUERY, depth=depth, policy=RecallPolicy(), routes=ROUTES)
    assert [query.route for query in queries] == names
    assert {query.weight for query in queries} <= {1.0}


def test_alias_splits_names_and_focus_keeps_content_words():
    queries = expand(DEEP_QUERY, depth=Depth.DEEP, policy=RecallPolicy(), routes=ROUTES)
    texts = {query.route: query.text for query in queries}
    assert texts["det:alias"] == "the human gate rules of that plugin"
    assert texts["det:focus"] == "human-gate rules plugin"


def test_query_equal_to_the_literal_after_folding_is_dropped_and_costs_no_place():
    policy = RecallPolicy(expansion=ExpansionPolicy(associations=AssociationsPolicy(max_deep=2)))
    queries = expand("Approval  Plugin", depth=Depth.DEEP, policy=policy, routes=ROUTES)
    assert [query.route for query in queries] == ["det:axis"]
    named = expand("approval human-gate", depth=Depth.DEEP, policy=policy, routes=ROUTES)
    assert [query.route for query in named] == ["det:axis", "det:alias"]


@given(st.text(max_size=600), st.sampled_from(Depth))
def test_no_text_is_ever_searched_twice(text, depth):
    literal = literal_query(text)
    queries = expand(literal, depth=depth, policy=RecallPolicy(), routes=ROUTES)
    texts = [folded(cut(literal)), *(folded(query.text) for query in queries)]
    assert len(texts) == len(set(texts)) or texts == [""]
    assert all(0 < len(query.text) <= MAX_QUERY_CHARS for query in queries)


def test_every_route_file_is_registered_under_its_own_name():
    files = {module.name for module in pkgutil.iter_modules(routes.__path__)}
    assert files == {route.name.replace(":", "_") for route in ROUTES}
    assert len({route.name for route in ROUTES}) == len(ROUTES)
    assert ROUTES[0].name == "literal"
