"""Recall with the gate's own rules: what of a message reaches the search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.embed.port import EmbedderState
from recalld.recall.flow import MessageEmbedder
from recalld.recall.gate_extended import ExtendedStage
from recalld.recall.model import Depth, Status
from recalld.recall.rules import rules_of
from support.recall_world import FakeSearcher, World, hit
from support.virtual import run_virtual

RULES = rules_of(ExtendedStage(model=None))
FORCED = ("/recall", "/memory", "回忆：", "记忆：", "记忆:")
SUPPRESSED = ("/no-recall", "/no-memory", "不查记忆：")


def world_of(*found):
    return World(searcher=FakeSearcher(hits=found), rules=RULES)


@pytest.mark.parametrize(
    ("text", "status", "searches"),
    [
        ("什么是 RRF？", Status.SKIPPED_NOT_NEEDED, 0),
        ("", Status.SKIPPED_NOT_NEEDED, 0),
        ("thanks!", Status.SKIPPED_NOT_NEEDED, 0),
        ("/recall", Status.SKIPPED_NOT_NEEDED, 0),
        ("/no-recall /recall what did we decide", Status.SKIPPED_NOT_NEEDED, 0),
        ("/recaller foo", Status.SKIPPED_NOT_NEEDED, 0),
        ("/recall the billing retries", Status.OK, 1),
        ("记忆：上次的结论", Status.OK, 1),
        ("那个审批插件现在推进到哪一步了？", Status.OK, 1),
        ("继续", Status.SKIPPED_PROBE_NO, 0),
        ("帮我优化一下这个插件", Status.OK, 1),
    ],
)
async def test_message_costs_the_searches_its_verdict_allows(
    autojump_clock, text, status, searches
):
    world = world_of(hit(raw=0.9))
    seen = await world.recall(text)
    assert (seen.status, len(world.searcher.calls)) == (status, searches)


async def test_depth_of_the_message_beats_the_profile_and_stays_out_of_the_query(autojump_clock):
    world = world_of()
    seen = await world.recall("/recall deep the human-gate plugin rules")
    assert seen.depth is Depth.DEEP
    assert len(world.searcher.calls) == 4
    assert not any("deep" in text or "recall" in text for text, _ in world.searcher.calls)


async def test_injected_block_in_a_message_is_neither_judged_nor_searched(autojump_clock):
    world = world_of()
    block = "<recall-context>\n- billing retries use 5 attempts\n</recall-context>\n"
    seen = await world.recall(block + "What did we decide about the billing job?")
    assert "attempts" not in seen.query
    assert all("attempts" not in text for text, _ in world.searcher.calls)


async def test_message_that_is_only_an_injected_block_needs_nothing(autojump_clock):
    block = "<recall-context>\n- do you remember our plan\n</recall-context>"
    seen = await world_of(hit()).recall(block)
    assert seen.status is Status.SKIPPED_NOT_NEEDED


words = st.text(
    alphabet=st.characters(whitelist_categories=("Lu", "Ll", "Lo")), min_size=1, max_size=8
)


@settings(deadline=None)
@given(
    st.sampled_from(FORCED), st.sampled_from(["", "deep ", "literal "]), st.lists(words, min_size=1)
)
def test_forcing_prefix_always_recalls_and_never_reaches_a_query(prefix, depth, said):
    world = world_of()
    rest = "zq" + " ".join(said)

    async def main():
        return await world.recall(f"{prefix} {depth}{rest}")

    seen = run_virtual(main)
    assert seen.verdict is not None
    assert seen.verdict.reason == "explicit_prefix"
    assert world.searcher.calls
    assert all(prefix.casefold() not in text.casefold() for text, _ in world.searcher.calls)
    assert all(text.startswith("zq") for text, _ in world.searcher.calls)


@settings(deadline=None)
@given(st.sampled_from(SUPPRESSED), st.sampled_from(["", *FORCED]), st.lists(words))
def test_suppressing_prefix_wins_over_everything(prefix, forced, said):
    world = world_of(hit())

    async def main():
        return await world.recall(f"{prefix} {forced} 还记得 {' '.join(said)}")

    seen = run_virtual(main)
    assert seen.verdict is not None
    assert (seen.verdict.reason, world.searcher.calls) == ("suppressed", [])


class Engine:
    """As much of an embedder as the gate sees."""

    def __init__(self, state):
        self.state = state

    async def embed_queries(self, texts):
        return np.full((len(texts), 3), len(texts[0]), dtype=np.float32)


@pytest.mark.parametrize("state", EmbedderState)
async def test_gate_asks_for_a_vector_only_while_the_engine_is_ready(autojump_clock, state):
    embed = MessageEmbedder(Engine(state))  # type: ignore[arg-type]
    assert embed.ready is (state is EmbedderState.READY)
    assert (await embed("four")).tolist() == [4.0, 4.0, 4.0]
