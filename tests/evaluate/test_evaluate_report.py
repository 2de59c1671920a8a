"""The page shows what was measured, asks nobody for anything, and says where there is nothing."""

import json
import math
import re
from dataclasses import replace

import pytest

from recalld.evaluate.gate_eval import Judged, Message
from recalld.evaluate.html import page
from recalld.evaluate.metrics import Answer
from recalld.evaluate.plots import Axes, Bar, Line, Mark, bars, histogram, line_plot
from recalld.evaluate.report import Report, curve, document, report_of, side_by_side
from recalld.evaluate.run import Evaluation
from recalld.evaluate.sets import Query


def answer(raw: float, *, right: bool, category: str = "plain", took_ms: float = 5.0) -> Answer:
    abstain = category != "plain"
    return Answer(
        set_name="mine",
        query=Query(
            qid=f"{category}{raw}",
            group="g",
            text="?",
            lang="en",
            category=category,
            gold=frozenset() if abstain else frozenset(["a" if right else "z"]),
            abstain=abstain,
        ),
        ranked=(("a", raw), ("b", raw / 2)),
        sessions=("s", "s"),
        injected=("a",) if raw >= 0.65 else (),
        took_ms=took_ms,
    )


ANSWERS = (
    answer(0.9, right=True),
    answer(0.8, right=True),
    answer(0.7, right=False),
    answer(0.3, right=True, took_ms=900.0),
    answer(0.7, right=False, category="foreign"),
    answer(0.2, right=False, category="not_in_memory"),
    answer(0.9, right=False, category="adversarial"),
)


def evaluation(*answers: Answer, name: str = "this configuration") -> Evaluation:
    return Evaluation(
        name=name,
        engine="none/none/0",
        threshold=0.65,
        answers=answers,
        notes=("a note",),
    )


@pytest.fixture
def report() -> Report:
    return report_of(evaluation(*ANSWERS))


def test_a_threshold_lets_in_what_reaches_it_and_adversarial_questions_are_no_plain_misses() -> (
    None
):
    at = {point.threshold: (point.useful, point.false) for point in curve(ANSWERS)}
    assert at[0.0] == (0.75, 1.0)
    assert at[0.65] == (0.5, 0.5)
    assert at[0.8] == (0.5, 0.0)
    assert at[1.0] == (0.0, 0.0)


def test_the_figures_of_the_bins_are_of_all_first_hits_but_adversarial_ones(
    report: Report,
) -> None:
    assert sum(one.n for one in report.reliability) == 6
    (highest,) = [one for one in report.reliability if one.high == 1.0]
    assert (highest.n, highest.right) == (1, 1.0)


def test_what_is_not_there_is_null_in_json_and_a_dash_on_the_page() -> None:
    empty = report_of(evaluation())
    told = json.loads(json.dumps(document(empty), allow_nan=False))
    assert told["curve"][0] == {"threshold": 0.0, "useful": None, "false": None}
    assert told["latency_ms"]["p50"] is None
    drawn = page([empty], data="d")
    assert drawn.count("nothing to measure") == 3
    assert "nan" not in drawn.lower()


def test_two_configurations_differ_by_the_second_less_the_first(report: Report) -> None:
    other = report_of(evaluation(*(replace(one, ranked=()) for one in ANSWERS[:1])))
    rows = side_by_side(report, other)
    assert rows["retrieval / mine row / hit@1"] == (0.75, 0.0, -0.75)
    first, second, difference = rows["false / foreign, mine / rate"]
    assert (first, math.isnan(second), math.isnan(difference)) == (1.0, True, True)
    assert not [name for name, (a, b, _) in rows.items() if math.isnan(a) and math.isnan(b)]


def test_the_page_needs_no_other_file_and_runs_no_script(report: Report) -> None:
    drawn = page([report], data="/data")
    assert not re.findall(r"<script|https?:|url\(|@import|\bsrc=|<iframe|\bon[a-z]+=", drawn)
    assert re.findall(r'href="([^"]*)"', drawn) == ["data:,"]
    assert "prefers-color-scheme:dark" in drawn
    assert "a note" in drawn
    assert drawn.count("<svg") == 4


def test_names_are_shown_and_never_obeyed(report: Report) -> None:
    evil = '"><script>alert(1)</script>'
    named = replace(
        report,
        name=evil,
        notes=(evil,),
        categories={evil: {"n": 1, "hit@1": 0.5}},
        useful={evil: {"n": 1, "rate": 0.5}},
    )
    drawn = page([named, named], data=evil) + page([named], data=evil)
    assert "<script" not in drawn
    assert "&lt;script&gt;" in drawn


def test_every_search_is_in_the_histogram_late_ones_in_the_last_bar(report: Report) -> None:
    drawn = page([report], data="d")
    (latency,) = re.findall(r'aria-label="Latency">(.*?)</svg>', drawn)
    counts = [int(count) for count in re.findall(r"<title>[^<]*: (\d+)</title>", latency)]
    assert sum(counts) == len(ANSWERS)
    assert counts[-1] == 1


def test_plots_stay_inside_their_frame() -> None:
    axes = Axes(title="t", x="x", y="y", x_most=37.0, y_most=3)
    marks = tuple(Mark(x=x, y=y) for x, y in ((0, 0), (37, 3), (float("nan"), 1)))
    drawn = line_plot(axes, [Line(name="one", marks=marks)])
    assert drawn.count("<circle") == 2
    drawn += histogram(axes, [[(0.0, 37.0, 3)], [(0.0, 37.0, 1)]])
    drawn += bars("t", [Bar(name="a", values=(1.0, float("nan")))])
    drawn += bars("t", [Bar(name="忆" * 60, values=(1.0, 0.5), note="(3)")])
    for name in ("x", "y", "cx", "cy", "x1", "y2", "width", "height"):
        values = [float(value) for value in re.findall(rf'\b{name}="(-?[\d.]+)"', drawn)]
        assert values
        assert all(0 <= value <= 460 for value in values)


def test_a_name_that_is_too_long_for_its_bar_loses_its_end_and_no_other_does() -> None:
    names = ("longmemeval, single-session-preference", "x" * 60, "忆" * 60)
    drawn = bars("t", [Bar(name=name, values=(0.5,), note="(3)") for name in names])
    labels = re.findall(r">([^<]*) \(3\)</text>", drawn)
    assert labels == [names[0], "x" * 40 + "…", "忆" * 20 + "…"]


def judged(decision: str, label: str, *, kind: str = "user", query: str = "t") -> Judged:
    message = Message(id="m", text="t", label=label, kind=kind, lang="en")
    return Judged(message=message, decision=decision, query=query)


def test_the_gate_is_counted_without_its_controls() -> None:
    said = (
        judged("yes", "yes"),
        judged("uncertain", "yes"),
        judged("yes", "no"),
        judged("no", "skip"),
        judged("yes", "yes", kind="control"),
        judged("yes", "yes", kind="control", query="other"),
        judged("skip", "no", kind="control"),
    )
    found = report_of(replace(evaluation(), judged=said))
    figures = found.gate["all"]
    assert (figures["n"], figures["precision"], figures["recall"]) == (4, 0.5, 0.5)
    assert (figures["f1"], figures["recall with probes"]) == (0.5, 1.0)
    assert (figures["false triggers"], figures["uncertain"]) == (0.5, 0.25)
    assert found.controls == {"n": 3, "exact": pytest.approx(2 / 3)}
