"""An evaluation as figures: what the table, the JSON line and the page show. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from recalld.evaluate.gate_eval import control_figures, gate_figures
from recalld.evaluate.heartbeat_figures import heartbeat_figures
from recalld.evaluate.metrics import (
    Answer,
    by_row,
    by_session,
    false_share,
    grouped,
    is_plain_miss,
    kind_of,
    latency_ms,
    mixed_sets,
    share,
    useful_share,
)
from recalld.evaluate.probes import Probed
from recalld.evaluate.reliability import reliability
from recalld.evaluate.run import Evaluation

Figures = dict[str, float]
Table = dict[str, Figures]

RANKING = ("hit@1", "mrr@3", "recall@5", "recall@10", "ndcg@10")
THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(21))
SHOWN = 3
PLAIN = "plain misses together"
MEAN = "mean"
TOGETHER = "together"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """First hits with a raw score from ``low`` up to ``high``: how many, and the share right."""

    low: float
    high: float
    n: int
    right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What a threshold of the raw score lets in; NaN where there is no question of the kind."""

    threshold: float
    useful: float
    false: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The figures of one configuration. All shares are in [0, 1]; NaN: nothing to measure.

    ``retrieval`` is by set and level, ``categories`` by set and category; ``useful`` by set,
    ``false`` by category and set. ``probes``: uncertain messages that find something in a store
    they have nothing to do with, by set. ``heartbeat``: related memories of signals, by language.
    ``took_ms`` are the searches, in the order they were asked.
    """

    name: str
    engine: str
    threshold: float
    questions: int
    retrieval: Table
    categories: Table
    useful: Table
    false: Table
    superseded_first: Figures
    gate: Table
    controls: Figures
    probes: Table
    heartbeat: Table
    reliability: tuple[Bin, ...]
    curve: tuple[Point, ...]
    latency_ms: Figures
    took_ms: tuple[float, ...]
    notes: tuple[str, ...]


def report_of(evaluation: Evaluation) -> Report:
    answers = evaluation.answers
    return Report(
        name=evaluation.name,
        engine=evaluation.engine,
        threshold=evaluation.threshold,
        questions=len(answers),
        retrieval=_retrieval(answers),
        categories=_categories(answers),
        useful=_useful(answers),
        false=_false(answers),
        superseded_first=_superseded(answers),
        gate=gate_figures(evaluation.judged),
        controls=control_figures(evaluation.judged),
        probes=_probes(evaluation.probed),
        heartbeat=heartbeat_figures(evaluation.linked, engine=evaluation.linked_by),
        reliability=tuple(
            Bin(low=low, high=high, n=n, right=right)
            for low, high, n, right in reliability(answers)
        ),
        curve=curve(answers),
        latency_ms=latency_ms(answers),
        took_ms=tuple(one.took_ms for one in answers),
        notes=evaluation.notes,
    )


def document(report: Report) -> dict[str, object]:
    """JSON values only; a figure that is not there is null. Latency alone differs by run."""
    return {
        "name": report.name,
        "engine": report.engine,
        "threshold": report.threshold,
        "questions": report.questions,
        "retrieval": _plain(report.retrieval),
        "categories": _plain(report.categories),
        "useful_injection": _plain(report.useful),
        "false_injection": _plain(report.false),
        "superseded_ranked_first": _known(report.superseded_first),
        "gate": _plain(report.gate),
        "controls": _known(report.controls),
        "probes_passed": _plain(report.probes),
        "heartbeat": _plain(report.heartbeat),
        "reliability": [
            _known({"from": one.low, "to": one.high, "n": one.n, "right": one.right})
            for one in report.reliability
        ],
        "curve": [
            _known({"threshold": one.threshold, "useful": one.useful, "false": one.false})
            for one in report.curve
        ],
        "notes": list(report.notes),
        "latency_ms": _known(report.latency_ms),
    }


def _probes(probed: Sequence[Probed]) -> Table:
    if not probed:
        return {}
    everything = Probed(
        store=TOGETHER, n=sum(one.n for one in probed), passed=sum(one.passed for one in probed)
    )
    return {
        one.store: {"n": one.n, "rate": one.passed / one.n}
        for one in (*probed, everything)
        if one.n
    }


def injection_of(report: Report) -> Table:
    """Everything about what would reach a prompt, in one table."""
    table = {
        **{f"useful, {name}": row for name, row in report.useful.items()},
        **{f"false, {name}": row for name, row in report.false.items()},
    }
    if report.superseded_first["n"]:
        table["older value before the newer"] = report.superseded_first
    return table


def flat(report: Report) -> dict[str, float]:
    """Every figure under one name, ``TABLE / ROW / FIGURE``; counts of questions left out."""
    tables: dict[str, Table] = {
        "retrieval": report.retrieval,
        "useful": report.useful,
        "false": report.false,
        "gate": report.gate,
        "gate controls": {"exact": report.controls} if report.controls["n"] else {},
        "probes": report.probes,
        "heartbeat": report.heartbeat,
        "superseded": {"ranked first": report.superseded_first},
        "latency": {"ms": report.latency_ms},
    }
    return {
        f"{table} / {row} / {name}": value
        for table, rows in tables.items()
        for row, figures in rows.items()
        for name, value in figures.items()
        if name != "n"
    }


def side_by_side(one: Report, other: Report) -> dict[str, tuple[float, float, float]]:
    """Each figure that one of them has, and the second less the first; NaN for what is not
    there."""
    return {name: (a, b, b - a) for name, (a, b) in together((one, other)).items()}


def together(reports: Sequence[Report]) -> dict[str, list[float]]:
    """Each figure that one of them has, in all of them; NaN for what is not there."""
    found = [flat(one) for one in reports]
    names = dict.fromkeys(name for one in found for name in one)
    nan = float("nan")
    rows = {name: [one.get(name, nan) for one in found] for name in names}
    return {name: row for name, row in rows.items() if not all(map(math.isnan, row))}


def curve(answers: Sequence[Answer]) -> tuple[Point, ...]:
    """Useful against false injection of plain misses, of the first three hits of a search."""
    missed = [one for one in answers if is_plain_miss(one.query)]
    needy = [one for one in answers if not one.query.abstain]
    return tuple(
        Point(
            threshold=at,
            useful=share([any(map(one.is_gold, _through(one, at))) for one in needy]),
            false=share([bool(_through(one, at)) for one in missed]),
        )
        for at in THRESHOLDS
    )


def _through(one: Answer, threshold: float) -> list[str]:
    return [row for row, raw in one.ranked[:SHOWN] if raw >= threshold]


def _by_kind(answers: Sequence[Answer]) -> dict[str, tuple[Answer, ...]]:
    return grouped(answers, partial(kind_of, mixed=mixed_sets(answers)))


def _retrieval(answers: Sequence[Answer]) -> Table:
    """Rows and sessions of each set, and the mean of the sets: by rows, by sessions where only
    those are known."""
    table: Table = {}
    best: list[Figures] = []
    for name, members in _by_kind(answers).items():
        levels = {
            f"{name} {level}": figures
            for level, figures in (("row", by_row(members)), ("session", by_session(members)))
            if figures["n"]
        }
        table |= levels
        best += list(levels.values())[:1]
    if len(best) > 1:
        table[MEAN] = {
            "n": len(best),
            **{name: sum(one[name] for one in best) / len(best) for name in RANKING},
        }
    return table


def _categories(answers: Sequence[Answer]) -> Table:
    table: Table = {}
    asked = [one for one in answers if not one.query.abstain]
    for name, members in grouped(asked, lambda o: f"{o.set_name}, {o.query.category}").items():
        known = by_row(members)
        table[name.rstrip(", ")] = known if known["n"] else by_session(members)
    return {name: figures for name, figures in table.items() if figures["n"]}


def _useful(answers: Sequence[Answer]) -> Table:
    asked = [one for one in answers if not one.query.abstain]
    return {
        name: {"n": len(members), "rate": useful_share(members)}
        for name, members in _by_kind(asked).items()
    }


def _false(answers: Sequence[Answer]) -> Table:
    misses = [one for one in answers if one.query.abstain]
    parts = grouped(misses, lambda one: f"{one.query.category}, {one.set_name}".removeprefix(", "))
    plain = tuple(one for one in misses if is_plain_miss(one.query))
    if plain:
        parts[PLAIN] = plain
    return {
        name: {"n": len(members), "rate": false_share(members)} for name, members in parts.items()
    }


def _superseded(answers: Sequence[Answer]) -> Figures:
    """How often an older value stands before every newer one."""
    both = [one for one in answers if one.query.stale and one.query.gold and not one.query.abstain]
    return {"n": len(both), "rate": share([one.older_first for one in both])}


def _plain(table: Table) -> dict[str, object]:
    return {name: _known(figures) for name, figures in table.items()}


def _known(figures: Mapping[str, float]) -> dict[str, object]:
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in figures.items()
    }
