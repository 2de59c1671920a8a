"""Searching by named routes: each runs its own query, and the hits say who found them."""

import pytest

from recalld.errors import Unavailable
from recalld.recall.policy import RecallPolicy
from recalld.recall.routed import RouteSearch
from recalld.recall.routes import ROUTES
from recalld.search.model import Scope
from support.recall_world import NOW, FakeSearcher, hit

AXIS = "decision context"
TEXT = "what did we decide about the human-gate?"
SCOPE = Scope(workspace_ids=(1,))


def searching(**changes):
    found = (hit("memory/a.md", 0.8), hit("memory/b.md", 0.7))
    return FakeSearcher(hits=found, by_query={AXIS: (hit("memory/b.md", 0.6),)}, **changes)


async def asked(searcher, *routes, text=TEXT, sparse=None):
    search = RouteSearch(searcher, routes=ROUTES, policy=RecallPolicy, sparse=sparse)
    return await search.search(text, routes=routes, scope=SCOPE, limit=10, now=NOW)


async def test_the_literal_route_alone_keeps_the_searchers_order_and_score(autojump_clock):
    searcher = searching()
    routed = await asked(searcher, "literal")
    assert [(h.found.path, h.rank_score) for h in routed.hits] == [
        ("memory/a.md", 0.8),
        ("memory/b.md", 0.7),
    ]
    assert searcher.calls == [(TEXT, 10)]
    assert {h.routes for h in routed.hits} == {("literal",)}


async def test_who_sorts_by_the_rank_score_gets_the_same_order(autojump_clock):
    scores = {"a.md": 0.5, "b.md": 0.2, "c.md": 0.4, "d.md": 0.4, "e.md": 0.1}
    found = tuple(hit(path, 0.9, order_score=score) for path, score in scores.items())
    routed = await asked(FakeSearcher(hits=found), "literal")
    assert [h.found.path for h in routed.hits] == list(scores)
    assert [h.rank_score for h in routed.hits] == [0.5, 0.4, 0.4, 0.4, 0.1]


async def test_a_hit_of_two_routes_names_both_and_counts_them(autojump_clock):
    routed = await asked(searching(), "literal", "det:axis")
    both = next(h for h in routed.hits if h.found.path == "memory/b.md")
    assert (both.routes, both.route_hits, both.best_raw_score) == (("literal", "det:axis"), 2, 0.7)
    assert [hits.query.route for hits in routed.lists] == ["literal", "det:axis"]
    assert routed.hits[0] is both


async def test_every_route_can_be_asked_and_has_a_list(autojump_clock):
    names = [route.name for route in ROUTES]
    weights = FakeSearcher(hits=(hit("memory/w.md", 0.4),))
    routed = await asked(searching(), *names, sparse=weights)
    assert [hits.query.route for hits in routed.lists] == names
    # The question is the literal one, put to another index.
    assert len(weights.calls) == 1
    assert {h.routes for h in routed.hits if h.found.path == "memory/w.md"} == {("sparse",)}


def test_the_sparse_route_is_known_where_the_engine_gives_weights():
    without = RouteSearch(searching(), routes=ROUTES, policy=RecallPolicy)
    assert "sparse" not in without.names
    given = RouteSearch(searching(), routes=ROUTES, policy=RecallPolicy, sparse=searching())
    assert "sparse" in given.names


async def test_a_route_named_twice_is_searched_once(autojump_clock):
    searcher = searching()
    await asked(searcher, "literal", "literal")
    assert len(searcher.calls) == 1


async def test_a_route_with_nothing_of_its_own_to_ask_brings_nothing(autojump_clock):
    searcher = searching()
    routed = await asked(searcher, "literal", "det:focus", text="gate")
    assert len(searcher.calls) == 1
    assert routed.lists[1].found == ()


async def test_a_late_route_costs_itself_and_is_named(autojump_clock):
    routed = await asked(searching(slow={AXIS: 60_000}), "literal", "det:axis")
    assert len(routed.hits) == 2
    assert routed.degraded == ("det:axis: no answer",)


@pytest.mark.allow_errors
async def test_no_route_that_answers_is_no_answer(autojump_clock):
    with pytest.raises(Unavailable, match="no leg"):
        await asked(searching(fails=Unavailable("search", "no leg could run")), "literal")


async def test_files_are_not_limited_to_a_few_chunks(autojump_clock):
    found = tuple(hit("memory/a.md", 0.9, start_line=line) for line in range(1, 60, 10))
    searcher = FakeSearcher(hits=found, by_query={AXIS: found})
    assert len((await asked(searcher, "literal", "det:axis")).hits) == 6
