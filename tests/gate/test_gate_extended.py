"""The embedding stage: when it may look, what it may do, and where its numbers come from."""

import numpy as np
import pytest

from bench.gate.__main__ import by_rules
from recalld.embed.port import Identity
from recalld.embed.usem3 import IDENTITY
from recalld.recall.gate_extended import (
    ExtendedStage,
    GateModel,
    Provenance,
    apply,
    extended_stage,
    needs_extended,
    probability,
)
from recalld.recall.model import Verdict

DIMENSION = 4
JUDGE = by_rules(extended=True)
OPEN = "the amber ledger rota moved to autumn"
POINT = np.array([1, 0, 0, 0], np.float32)


def model(bias: float) -> GateModel:
    return GateModel(
        engine="usem3", model="m", low=0.4, high=0.7, bias=bias, weights=(0.0,) * DIMENSION,
        provenance=Provenance(command="", sources=(), note=""),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("bias", "wanted"),
    [
        (-3.0, Verdict.NO),
        (-0.41, Verdict.NO),
        (-0.40, Verdict.UNCERTAIN),
        (0.8, Verdict.UNCERTAIN),
        (0.85, Verdict.YES),
    ],
)
def test_the_thresholds_decide_and_are_inclusive(bias: float, wanted: Verdict) -> None:
    verdict = JUDGE(OPEN)
    assert verdict.verdict is Verdict.NO
    assert apply(verdict, POINT, OPEN, model=model(bias)).verdict is wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ok",
        "thanks!",
        "你好",
        "天气",
        "1+1",
        "什么是 RRF？",
        "How does a B-tree work?",
        "implement an LRU cache in Go",
        "以前的人怎么保存食物？",
        "/no-recall the amber ledger rota moved",
        "/recaller foo",
        "```\nx = 1\n```",
        "a " * 300,
    ],
)
def test_messages_it_never_looks_at(text: str) -> None:
    verdict = JUDGE(text)
    assert not needs_extended(verdict, text)
    assert apply(verdict, POINT, text, model=model(9.0)) == verdict


def test_a_verdict_of_the_rules_that_is_no_plain_no_stands() -> None:
    for text in ("what did we decide last time?", "fix it", "帮我优化一下这个插件"):
        verdict = JUDGE(text)
        assert not needs_extended(verdict, text)
        assert apply(verdict, POINT, text, model=model(-9.0)) == verdict


def test_a_vector_of_another_dimension_changes_nothing() -> None:
    verdict = JUDGE(OPEN)
    assert apply(verdict, np.ones(3, np.float32), OPEN, model=model(9.0)) == verdict


def test_the_chance_never_overflows() -> None:
    assert 0.0 < probability(POINT, model(-1e9)) < 1e-9
    assert probability(POINT, model(1e9)) > 0.999


def test_the_shipped_numbers_fit_the_default_engine_and_name_their_sources() -> None:
    shipped = extended_stage(IDENTITY).model
    assert shipped is not None
    assert len(shipped.weights) == IDENTITY.dimension
    assert 0.2 < shipped.low < shipped.high < 0.95
    assert all(source.licence and source.rows for source in shipped.provenance.sources)
    assert not any("NC" in source.licence for source in shipped.provenance.sources)


@pytest.mark.parametrize(
    "identity",
    [
        Identity(engine="none", model="none", dimension=1),
        Identity(engine="usem3", model="other-centre", dimension=512),
        Identity(engine="usem3", model=IDENTITY.model, dimension=7),
    ],
)
def test_another_engine_or_model_gets_no_stage(identity: Identity) -> None:
    stage = extended_stage(identity)
    verdict = JUDGE(OPEN)
    assert stage == ExtendedStage(model=None)
    assert not stage.needs(verdict, OPEN)
    assert stage.extend(verdict, POINT, OPEN) == verdict
