"""Learned sparse weights as a feature: from the pass that gives the vectors, by the same lists."""

from pathlib import Path

import anyio
import msgspec
import numpy as np
import pytest

from recalld.embed.port import EmbedderState, SparseVector
from recalld.errors import Unavailable
from recalld.search.corpus import Corpus
from recalld.search.features import column
from recalld.search.matrix import Singles
from recalld.search.preferred.cosine import cosine_coefficients
from recalld.search.preferred.sparse import SparseCorpus, shares_of
from recalld.search.relevance import Coefficients
from support.searching import NOW, write_notes
from support.sparse import FakeLarge, Shelf, open_shelf, weights_of

NOTES = {
    "memory/alarm.md": "The freezer alarm goes to the night desk.\n",
    "memory/gateway.md": "The gateway moved to port 18789.\n",
    "memory/garden.md": "Tomatoes need water twice a day in July.\n",
}
QUESTION = "gateway port 18789 freezer"


def weighing() -> Coefficients:
    """The cosine's with the share in place of the cosine."""
    plain = cosine_coefficients("large")
    hit = [0.0] * len(plain.hit)
    hit[column("sparse")] = plain.hit[column("cos")]
    return msgspec.structs.replace(plain, hit=tuple(hit))


async def shares(shelf: Shelf, query: str = QUESTION) -> dict[str, float]:
    """The column of the feature by the name of the note."""
    side = shelf.searcher.sides.preferred
    (examined,) = await side.examine(query, scope=shelf.scope, limit=10, now=NOW)
    values = examined.features[:, column("sparse")].tolist()
    names = [Path(detail.path).stem for detail in examined.details]
    return dict(zip(names, values, strict=True))


async def test_a_candidate_has_the_share_that_the_question_gives_itself(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    async with open_shelf(tmp_path, root, engine=FakeLarge()) as shelf:
        assert await shares(shelf) == pytest.approx({"gateway": 0.75, "alarm": 0.25, "garden": 0})
        assert set((await shares(shelf, "tomatoes")).values()) == {0.0, 1.0}


async def test_of_a_chunk_of_many_windows_the_best_one_counts(tmp_path: Path) -> None:
    filler = " ".join(f"Sentence number {n} tells of something else." for n in range(40))
    long = {"memory/long.md": f"The gateway is here. {filler} Port 18789 and freezer.\n"}
    root = write_notes(tmp_path / "w", long)
    async with open_shelf(tmp_path, root, engine=FakeLarge()) as shelf:
        found = await shares(shelf)
        assert found["long"] == pytest.approx(0.75)


async def test_the_default_engine_has_none(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    async with open_shelf(tmp_path, root, engine=FakeLarge()) as shelf:
        side = shelf.searcher.sides.default
        (examined,) = await side.examine(QUESTION, scope=shelf.scope, limit=10, now=NOW)
        assert examined.fusion.legs.learned is None
        assert not examined.features[:, column("sparse")].any()


async def test_vectors_and_weights_of_a_question_are_one_pass(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    engine = FakeLarge()
    async with open_shelf(tmp_path, root, engine=engine) as shelf:
        engine.passes.clear()
        result = await shelf.ask("where does the freezer alarm go?")
        assert result.degraded == ()
        ((purpose, texts),) = engine.passes
        assert purpose == "query"
        assert texts[0] == "where does the freezer alarm go?"


async def test_a_raw_score_that_needs_the_weights_waits_for_them(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    async with open_shelf(tmp_path, root, engine=FakeLarge()):
        pass
    async with open_shelf(tmp_path, root, engine=FakeLarge()) as shelf:
        sides = shelf.searcher.sides
        sides.sparse._kept.clear()
        assert (await shelf.ask(QUESTION)).degraded == ()
        sides.preferred.use(weighing())
        why = "0% of the learned weights in memory"
        assert (await shelf.ask(QUESTION)).degraded == (f"dense: large: {why}; small answers",)
        # It was told to look, and does so by itself.
        with anyio.fail_after(10):
            while (result := await shelf.ask(QUESTION)).degraded:
                await anyio.sleep(0.05)
        assert result.found[0].raw_score == pytest.approx(0.75)


async def test_notes_that_are_newer_than_the_lists_have_no_share_yet(tmp_path: Path) -> None:
    many = {f"memory/n{n}.md": f"Note {n} about the harbour.\n" for n in range(12)}
    root = write_notes(tmp_path / "w", NOTES | many)
    async with open_shelf(tmp_path, root, engine=FakeLarge()) as shelf:
        sides = shelf.searcher.sides
        (key,) = shelf.ids
        old = sides.preferred.corpus(key)
        assert old is not None
        lists = sides.sparse.lists_of(old)
        assert lists is not None
        write_notes(tmp_path / "w", {"memory/new.md": "Another gateway on port 18789, freezer.\n"})
        await shelf.settle()
        new = sides.preferred.corpus(key)
        assert new is not None
        assert len(new) == len(old) + 1
        question = weights_of(QUESTION)
        stale, fresh = lists.shares(new, question), sides.sparse.lists_of(new)
        assert fresh is not None
        assert sorted(stale[stale > 0]) == pytest.approx([0.25, 0.75])
        assert sorted(fresh.shares(new, question))[-3:] == pytest.approx([0.25, 0.75, 1.0])
        assert sides.sparse.covered(new) == 1.0


class Broken(SparseCorpus):
    def shares(self, corpus: Corpus, question: SparseVector) -> Singles:
        raise Unavailable("lists", "broken on purpose")


@pytest.mark.allow_errors
async def test_lists_that_break_cost_the_preferred_engine_its_turn(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    async with open_shelf(tmp_path, root, engine=FakeLarge()) as shelf:
        sides = shelf.searcher.sides
        sides.preferred.use(weighing())
        (kept,) = sides.sparse._kept.values()
        kept.corpus = Broken(
            corpus=kept.corpus.corpus, index=kept.corpus.index, places=kept.corpus.places
        )
        result = await shelf.ask(QUESTION)
        assert result.found[0].path == "memory/gateway.md"
        assert "sparse: failed" in result.degraded[0]
        assert result.degraded[0].endswith("small answers")


def test_a_question_without_weights_shares_nothing() -> None:
    empty = SparseVector(ids=np.zeros(0, np.int32), weights=np.zeros(0, np.float32))
    assert shares_of(np.ones(3, np.float32), empty).tolist() == [0, 0, 0]


async def test_while_the_engine_sleeps_nothing_is_weighed(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    engine = FakeLarge()
    async with open_shelf(tmp_path, root, engine=engine) as shelf:
        engine.state = EmbedderState.ASLEEP
        engine.passes.clear()
        assert set((await shares(shelf)).values()) == {0.0}
        assert engine.passes == []
