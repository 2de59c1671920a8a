"""A question that many notes answer shows more of them, and shorter."""

import pytest

from recalld.recall.lists import SHOWN, SNIPPET_CHARS, asks_for_list, with_room
from recalld.recall.policy import RecallPolicy
from support.recall_world import FakeSearcher, World, hit


@pytest.mark.parametrize(
    ("text", "many"),
    [
        ("What books did we read for the offsite?", True),
        ("Which cities has Maria visited?", True),
        ("what kinds of art does she make", True),
        ("How many servers do we run?", True),
        ("what do both Ana and Ben like", True),
        ("list all open decisions", True),
        ("我们用过哪些端口？", True),
        ("他去过几个城市", True),
        ("What is his address?", False),
        ("What does James like?", False),
        ("which port does the gateway use?", False),
        ("what was decided", False),
        ("When did we move?", False),
        ("现在用哪个端口？", False),
        ("", False),
    ],
)
def test_a_question_for_several_things_is_told_from_one_for_one(text: str, many: bool) -> None:
    assert asks_for_list(text) is many


def test_room_is_never_taken_away() -> None:
    wide = RecallPolicy(top_k=15, snippet_chars=60)
    assert with_room(wide) == wide
    roomy = with_room(RecallPolicy())
    assert (roomy.top_k, roomy.snippet_chars) == (SHOWN, SNIPPET_CHARS)


@pytest.mark.parametrize(
    ("text", "brought", "shown"),
    [("What books did we read?", 10, 10), ("Which book did we read last?", 5, 3)],
)
async def test_up_to_ten_short_hits_are_shown_within_the_budget(
    autojump_clock: object, text: str, brought: int, shown: int
) -> None:
    notes = tuple(hit(f"memory/{n:02}.md", raw=0.8, text="We read it. " * 40) for n in range(20))
    world = World(searcher=FakeSearcher(hits=notes))
    seen = await world.recall(text)
    assert {limit for _, limit in world.searcher.calls} == {brought}
    assert seen.injection is not None
    assert len(seen.injection.shown) == shown
    assert seen.injection.tokens <= 800
    longest = max(map(len, seen.injection.snippets))
    assert longest <= SNIPPET_CHARS if shown == SHOWN else longest > SNIPPET_CHARS
