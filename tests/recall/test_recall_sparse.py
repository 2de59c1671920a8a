"""The route by learned weights: when it is asked, and what it can and cannot do."""

import pytest

from recalld.recall.model import Depth, Status
from recalld.search.model import SearchResult
from support.recall_world import FakeGate, FakeSearcher, World, hit

TEXT = "what did we decide about the gate?"


class NoAnswer(FakeSearcher):
    """An engine that is loading."""

    async def search(self, query, *, scope, limit, now):
        self.calls.append((query, limit))
        return SearchResult(found=(), degraded=("sparse: bge_m3 is loading",))


@pytest.mark.parametrize(
    ("depth", "calls"), [(Depth.LITERAL, 0), (Depth.BALANCED, 1), (Depth.DEEP, 1)]
)
async def test_it_is_asked_the_literal_question_except_in_literal_depth(
    autojump_clock, depth, calls
):
    sparse = FakeSearcher(hits=(hit(raw=0.5),))
    searcher = FakeSearcher(hits=(hit(raw=0.6),))
    world = World(gate=FakeGate(depth=depth), searcher=searcher, sparse=sparse)
    seen = await world.recall(TEXT)
    assert [query for query, _ in sparse.calls] == [seen.literal] * calls


async def test_it_is_not_asked_after_a_strong_signal(autojump_clock):
    sparse = FakeSearcher()
    seen = await World(searcher=FakeSearcher(hits=(hit(raw=0.95),)), sparse=sparse).recall(TEXT)
    assert seen.signal is not None
    assert seen.signal.strong
    assert sparse.calls == []


async def test_a_hit_of_both_indexes_names_both_routes(autojump_clock):
    world = World(
        searcher=FakeSearcher(hits=(hit(raw=0.7),), by_query={"decision context": ()}),
        sparse=FakeSearcher(hits=(hit(raw=0.6),)),
    )
    seen = await world.recall(TEXT)
    assert seen.injection is not None
    (shown,) = seen.injection.shown
    assert "sparse" in shown.routes
    assert shown.best_raw_score == 0.7


async def test_an_engine_that_cannot_answer_costs_nothing_and_is_named(autojump_clock):
    world = World(searcher=FakeSearcher(hits=(hit(raw=0.7),)), sparse=NoAnswer())
    seen = await world.recall(TEXT)
    assert seen.status is Status.OK
    (mine,) = [hits for hits in seen.lists if hits.query.route == "sparse"]
    assert mine.degraded == ("sparse: bge_m3 is loading",)
    assert mine.query.weight == 1.0
