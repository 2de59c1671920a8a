"""Two engines over one index: the preferred one answers when it can, the default one always."""

from pathlib import Path

import anyio
import numpy as np
import pytest

from recalld.embed.port import EmbedderState, SparseVector
from recalld.search.features import FEATURES, column
from recalld.search.preferred.cosine import PROVENANCE, cosine_coefficients
from recalld.search.preferred.sparse import MOST, SparseIndex, packed, raw_scores, unpacked
from recalld.search.relevance import judge
from recalld.store.sparse import SparseStore
from recalld.store.vectors import VectorStore
from support.searching import write_notes
from support.sparse import FakeLarge, open_shelf, weights_of

NOTES = {
    "memory/alarm.md": "The freezer alarm goes to the night desk.\n",
    "memory/gateway.md": "The gateway moved to port 18789.\n",
    "memory/garden.md": "Tomatoes need water twice a day in July.\n",
}
QUESTION = "where does the freezer alarm go?"


def names(result) -> list[str]:
    return [Path(found.path).stem for found in result.found]


async def test_the_preferred_engine_answers_and_both_keep_their_vectors(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    engine = FakeLarge()
    async with open_shelf(tmp_path, root, engine=engine) as shelf:
        result = await shelf.ask(QUESTION)
        assert names(result)[0] == "alarm"
        assert result.degraded == ()
        assert shelf.counters.get("search.preferred") == 1
        stored = await VectorStore(shelf.database).counts()
        small, large = str(shelf.searcher.sides.default._embedder.identity), str(engine.identity)
        # Three windows and three file heads; words by the default engine alone.
        assert stored[small] == stored[large] == 6
        assert f"{small}/words" in stored
        assert f"{large}/words" not in stored
        (status,) = [await shelf.searcher.sides.default.describe(key) for key in shelf.ids]
        assert not status.reembedding


async def test_neither_sweeps_away_what_the_other_has_stored(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    async with open_shelf(tmp_path, root, engine=FakeLarge()) as shelf:
        before = await VectorStore(shelf.database).counts()
        for side in (shelf.searcher.sides.default, shelf.searcher.sides.preferred):
            side._keeper._swept_at = -1e9
            await side._keeper._sweep()
        assert await VectorStore(shelf.database).counts() == before


@pytest.mark.parametrize("state", [EmbedderState.LOADING, EmbedderState.ASLEEP])
async def test_while_it_loads_or_sleeps_the_default_engine_answers_and_says_so(
    tmp_path: Path, state: EmbedderState
) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    engine = FakeLarge()
    async with open_shelf(tmp_path, root, engine=engine) as shelf:
        engine.state = state
        result = await shelf.ask(QUESTION)
        assert names(result)[0] == "alarm"
        assert result.degraded == (f"dense: large: {state}; small answers",)
        assert engine.woken == 1
        sparse = await shelf.ask_sparse(QUESTION)
        assert sparse.found == ()
        assert sparse.degraded == (f"sparse: large is {state}",)
        engine.state = EmbedderState.READY
        assert (await shelf.ask(QUESTION)).degraded == ()


@pytest.mark.allow_errors
async def test_while_it_hangs_the_default_engine_answers_within_the_callers_time(
    tmp_path: Path,
) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    engine = FakeLarge()
    async with open_shelf(tmp_path, root, engine=engine) as shelf:
        engine.hung = True
        for budget_s in (2.2, 0.4):
            with anyio.fail_after(budget_s):
                result = await shelf.ask(QUESTION)
            assert names(result)[0] == "alarm"
            assert result.degraded[0] == "dense: large: timeout; small answers"
        with anyio.fail_after(2.2):
            sparse = await shelf.ask_sparse(QUESTION)
        assert sparse.degraded == ("sparse: large: timeout",)
        assert shelf.counters.get("search.fallback") == 2


async def test_until_nine_tenths_are_embedded_the_default_engine_answers(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    engine = FakeLarge()
    async with open_shelf(tmp_path, root, engine=engine) as shelf:
        engine.state = EmbedderState.LOADING
        write_notes(tmp_path / "w", {"memory/new.md": "A fourth note about the harbour.\n"})
        await shelf.settle()
        engine.state = EmbedderState.READY
        engine.hung = True
        result = await shelf.ask("harbour note")
        assert names(result)[0] == "new"
        assert result.degraded == ("dense: large: 75% embedded; small answers",)


@pytest.mark.allow_errors
async def test_a_text_that_breaks_it_costs_only_itself(tmp_path: Path) -> None:
    many = {f"memory/n{n}.md": f"Note {n} about subject {n * 7}.\n" for n in range(12)}
    root = write_notes(tmp_path / "w", many | {"memory/bad.md": "poison here\n"})
    engine = FakeLarge()
    engine.broken = "poison"
    async with open_shelf(tmp_path, root, engine=engine) as shelf:
        result = await shelf.ask("poison")
        assert names(result)[0] == "bad"
        (status,) = [await shelf.searcher.progress(key) for key in shelf.ids]
        assert status.refused == 1
        assert status.embedded == status.windows - 1


async def test_the_raw_score_of_the_preferred_engine_is_its_cosine(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    async with open_shelf(tmp_path, root, engine=FakeLarge()) as shelf:
        result = await shelf.ask("The gateway moved to port 18789.")
        assert result.found[0].raw_score == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("cosines", [(0.8, 0.75, 0.5), (0.66, 0.64), (0.3, -0.1), (0.55,)])
def test_cosine_coefficients_give_the_best_its_cosine_and_the_others_nearly_theirs(
    cosines: tuple[float, ...],
) -> None:
    chance = np.random.default_rng(0)
    features = chance.uniform(0, 1, (len(cosines), len(FEATURES)))
    features[:, column("cos")] = cosines
    raw = judge(features, cosine_coefficients("large")).raw
    assert raw[0] == pytest.approx(cosines[0], abs=1e-6)
    assert raw == pytest.approx(cosines, abs=0.02) or min(cosines) < 0.4
    assert (np.diff(raw) <= 0).all()
    assert "not calibrated" in PROVENANCE.note


async def test_the_sparse_route_finds_by_shared_weights_best_first(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    async with open_shelf(tmp_path, root, engine=FakeLarge()) as shelf:
        result = await shelf.ask_sparse("gateway port 18789 freezer")
        assert names(result) == ["gateway", "alarm"]
        first, second = result.found
        assert MOST >= first.raw_score > second.raw_score > 0
        assert first.text[slice(*first.focus)].startswith("The gateway")
        assert (await shelf.ask_sparse("gateway port 18789 freezer", limit=1)).found == (first,)
        assert (await shelf.ask_sparse("the of and")).found == ()


async def test_the_sparse_route_follows_the_files(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    async with open_shelf(tmp_path, root, engine=FakeLarge()) as shelf:
        (root / "memory/gateway.md").write_text("The harbour is closed.\n", encoding="utf-8")
        await shelf.settle()
        assert names(await shelf.ask_sparse("gateway port")) == []
        assert names(await shelf.ask_sparse("harbour closed")) == ["gateway"]


async def test_weights_come_back_from_the_store_after_a_restart(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    async with open_shelf(tmp_path, root, engine=FakeLarge()):
        pass
    again = FakeLarge()
    async with open_shelf(tmp_path, root, engine=again) as shelf:
        assert names(await shelf.ask_sparse("gateway port")) == ["gateway"]
        assert [texts for purpose, texts in again.passes if purpose == "passage"] == []


async def test_weights_of_another_model_are_swept_at_the_start(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    async with open_shelf(tmp_path, root, engine=FakeLarge()):
        pass
    async with open_shelf(tmp_path, root, engine=FakeLarge(dimension=32)) as shelf:
        assert shelf.counters.get("search.sparse_swept") > 0
        assert await SparseStore(shelf.database).find("large/tokens/48", [b"x"]) == {}


async def test_what_is_stored_outlasts_a_model_that_is_not_there_for_a_while(
    tmp_path: Path,
) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    async with open_shelf(tmp_path, root, engine=FakeLarge()) as shelf:
        before = await VectorStore(shelf.database).counts()
    lacking = FakeLarge(dimension=32)
    lacking.state, lacking.problem = EmbedderState.FAILED, "no such folder"
    async with open_shelf(tmp_path, root, engine=lacking) as shelf:
        assert (await shelf.ask(QUESTION)).degraded == (
            "dense: large: no such folder; small answers",
        )
        await shelf.searcher.sides.default._keeper._sweep()
        assert await VectorStore(shelf.database).counts() == before
    back = FakeLarge()
    async with open_shelf(tmp_path, root, engine=back) as shelf:
        assert names(await shelf.ask_sparse("gateway port")) == ["gateway"]
        assert [texts for purpose, texts in back.passes if purpose == "passage"] == []


async def test_a_text_whose_weights_are_lost_is_embedded_again(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "w", NOTES)
    async with open_shelf(tmp_path, root, engine=FakeLarge()) as shelf:
        await SparseStore(shelf.database).sweep("large/other/48")
    again = FakeLarge()
    async with open_shelf(tmp_path, root, engine=again) as shelf:
        assert names(await shelf.ask_sparse("gateway port")) == ["gateway"]
        # Three windows and three heads.
        assert sum(len(texts) for purpose, texts in again.passes if purpose == "passage") == 6


def test_sparse_scores_are_the_sums_over_shared_tokens() -> None:
    texts = {b"a": (1, 5, 9), b"b": (5,), b"c": ()}
    index = SparseIndex.of(
        {key: packed(vector(ids, [0.5] * len(ids))) for key, ids in texts.items()}
    )
    question = vector((5, 7, 9), (1.0, 2.0, 0.25))
    assert index.scores(question).tolist() == [0.625, 0.5, 0.0]
    assert SparseIndex.of({}).scores(question).tolist() == []
    assert index.scores(vector((), ())).tolist() == [0, 0, 0]


def vector(ids, weights) -> SparseVector:
    return SparseVector(ids=np.array(ids, np.int32), weights=np.array(weights, np.float32))


def test_packed_weights_come_back_and_other_bytes_are_refused() -> None:
    one = weights_of("where does the freezer alarm go")
    again = unpacked(packed(one))
    assert again.ids.tolist() == one.ids.tolist()
    assert again.weights.tolist() == one.weights.tolist()
    assert len(packed(one)) == 6 * len(one.ids)
    with pytest.raises(ValueError, match="7 bytes"):
        unpacked(b"1234567")


def test_a_sparse_score_is_a_share_of_the_questions_own_and_never_proof_enough() -> None:
    question = vector((1, 2), (1.0, 1.0))
    raw = raw_scores(np.array([0.0, 0.5, 1.0, 2.0, 9.0], np.float32), question)
    assert raw.tolist() == pytest.approx([0.0, 0.275, 0.55, MOST, MOST])
    assert MOST < 0.65
    assert raw_scores(np.zeros(2, np.float32), vector((), ())).tolist() == [0, 0]
