"""Precision, recall and false triggers of verdicts, as the evaluation set scores them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.gate.data import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Shares of messages. ``kept`` and ``probed``: uncertain verdicts on uncertain and on no."""

    rows: int
    precision: float
    recall: float
    false_triggers: float
    hard_negatives: float
    kept: float
    probed: float
    rescued: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def __str__(self) -> str:
        return (
            f"rows {self.rows:3d}  P {self.precision:.3f}  R {self.recall:.3f}  F1 {self.f1:.3f}"
            f"  false triggers {self.false_triggers:.3f}, on hard negatives"
            f" {self.hard_negatives:.3f}  uncertain kept {self.kept:.2f}"
            f"  probes on no {self.probed:.3f}  R with probes {self.rescued:.3f}"
        )


def figures(rows: Sequence[Row], verdicts: Mapping[str, str]) -> Figures:
    """Of user rows; ``verdicts`` by row id."""

    def share(chosen: list[Row], *wanted: str) -> float:
        return sum(verdicts[row.id] in wanted for row in chosen) / max(1, len(chosen))

    label = {name: [r for r in rows if r.label == name] for name in ("yes", "no", "uncertain")}
    hard = [row for row in label["no"] if "hard_negative" in row.tags]
    raised = [row for row in rows if verdicts[row.id] == "yes"]
    return Figures(
        rows=len(rows),
        precision=sum(row.label == "yes" for row in raised) / max(1, len(raised)),
        recall=share(label["yes"], "yes"),
        false_triggers=share(label["no"], "yes"),
        hard_negatives=share(hard, "yes"),
        kept=share(label["uncertain"], "uncertain"),
        probed=share(label["no"], "uncertain"),
        rescued=share(label["yes"], "yes", "uncertain"),
    )
