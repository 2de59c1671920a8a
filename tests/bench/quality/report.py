"""Answers to the table that is printed and the lines that must be reached."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

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

Rows = Sequence[Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A figure that has to be reached. ``at_most``: it may not be higher."""

    name: str
    required: float
    measured: float
    at_most: bool = False

    @property
    def reached(self) -> bool:
        # Lines are given to two digits, so they are compared to two digits.
        measured = round(self.measured, 2)
        return measured <= self.required if self.at_most else measured >= self.required


# Set, level, Hit@1, Recall@5.
_REQUIRED = (
    ("locomo", "row", 0.47, 0.72),
    ("locomo", "session", 0.74, 0.89),
    ("longmemeval", "row", 0.80, 0.86),
    ("cmrc_zh", "row", 0.53, 0.93),
    ("memorybank_zh", "row", 0.67, 0.96),
    ("docs_xling/en", "session", 0.62, 0.85),
    ("docs_xling/zh", "session", 0.48, 0.70),
    ("devmem", "row", 0.70, 0.92),
)
_USEFUL = (("locomo", 0.54), ("cmrc_zh", 0.61), ("memorybank_zh", 0.70))


def data_folder() -> Path:
    """Where the sets are: ``RECALLD_EVAL_DATA``, else beside the repository."""
    default = Path(__file__).resolve().parents[4] / "shared" / "data"
    return Path(os.environ.get("RECALLD_EVAL_DATA", default))


def summarise(answers: Rows) -> dict[str, dict[str, float]]:
    """By set (and language for pages) and level."""
    table: dict[str, dict[str, float]] = {}
    for name, rows in _by_kind(answers).items():
        for level, figures in (("row", by_row(rows)), ("session", by_session(rows))):
            if figures["n"]:
                table[f"{name} {level}"] = figures
    return table


def injections(answers: Rows) -> dict[str, dict[str, float]]:
    """Useful rate by set; false rate by category and set."""
    table: dict[str, dict[str, float]] = {}
    for name, rows in _by_kind([one for one in answers if not one.query.abstain]).items():
        table[f"useful {name}"] = {"n": len(rows), "rate": useful_share(rows)}
    misses = [one for one in answers if one.query.abstain]
    for name, rows in grouped(misses, lambda o: f"{o.query.category}, {o.set_name}").items():
        table[f"false {name}"] = {"n": len(rows), "rate": false_share(rows)}
    plain = [one for one in misses if is_plain_miss(one.query)]
    table["false plain misses together"] = {"n": len(plain), "rate": false_share(plain)}
    return table


def lines(answers: Rows) -> list[Line]:
    """The required figures, measured."""
    figures, rates = summarise(answers), injections(answers)
    found = []
    for name, level, hit, recall in _REQUIRED:
        row = figures.get(f"{name} {level}")
        if row:
            found += [
                Line(name=f"{name} {level} Hit@1", required=hit, measured=row["hit@1"]),
                Line(name=f"{name} {level} Recall@5", required=recall, measured=row["recall@5"]),
            ]
    chats = figures.get("longmemeval session")
    if chats:
        found.append(Line(name="longmemeval chat Hit@1", required=0.88, measured=chats["hit@1"]))
    hops = by_row([one for one in answers if one.query.category == "multi_hop"])
    if hops["n"]:
        found.append(Line(name="multi-hop Hit@1", required=0.37, measured=hops["hit@1"]))
    for name, required in _USEFUL:
        if f"useful {name}" in rates:
            rate = rates[f"useful {name}"]["rate"]
            found.append(Line(name=f"useful {name}", required=required, measured=rate))
    most = {"false plain misses together": 0.06, "false adversarial, locomo": 0.58}
    found += [
        Line(name=name, required=required, measured=rates[name]["rate"], at_most=True)
        for name, required in most.items()
        if name in rates
    ]
    stale = [one.older_first for one in answers if one.query.stale and one.query.gold]
    if stale:
        found.append(
            Line(name="older before newer", required=0.25, measured=share(stale), at_most=True)
        )
    return found


def render(answers: Rows) -> str:
    """Plain text for people."""
    out = [f"{'':28} {'n':>5} {'Hit@1':>7} {'MRR@3':>7} {'R@5':>7} {'R@10':>7}"]
    for name, row in summarise(answers).items():
        cells = " ".join(f"{row[key]:7.3f}" for key in ("hit@1", "mrr@3", "recall@5", "recall@10"))
        out.append(f"{name:28} {row['n']:5.0f} {cells}")
    out.append(f"\n{'injected at raw .65':40} {'n':>5} {'rate':>7}")
    for name, row in injections(answers).items():
        out.append(f"{name:40} {row['n']:5.0f} {row['rate']:7.3f}")
    quantiles = " / ".join(f"{value:.1f}" for value in latency_ms(answers).values())
    out.append(f"\nsearch p50 / p95 / p99: {quantiles} ms over {len(answers)} searches")
    for line in lines(answers):
        verdict = "reached" if line.reached else "MISSED"
        sign = "<=" if line.at_most else ">="
        out.append(f"{line.name:32} {line.measured:6.3f} {sign} {line.required:4.2f}  {verdict}")
    return "\n".join(out)


def _by_kind(answers: Rows) -> dict[str, tuple[Answer, ...]]:
    return grouped(answers, partial(kind_of, mixed=mixed_sets(answers)))
