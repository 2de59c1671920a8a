"""Measure the gate, or fit its embedding stage.

``PYTHONPATH=tests python -m bench.gate`` prints how good the gate is: the seed's order alone,
with the families of the gate's own, and with the embedding stage on top.
``--fit`` prints a fresh fit beside it, ``--write`` also puts it into the package.
"""

import argparse
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

import recalld.recall
from bench.gate.data import Row, gate_rows
from bench.gate.embed import IDENTITY, QueryEncoder
from bench.gate.fit import fitted
from bench.gate.metrics import figures
from recalld.recall.gate import decide
from recalld.recall.gate_extended import ExtendedStage, extended_stage
from recalld.recall.model import GateVerdict
from recalld.recall.policy import GatePolicy, TriggerPolicy

REPOSITORY = Path(__file__).resolve().parents[3]
Decide = Callable[[str], GateVerdict]


def by_rules(*, extended: bool) -> Decide:
    policy, gate = TriggerPolicy(), GatePolicy(extended=extended)
    return lambda text: decide(text, policy=policy, gate=gate)


def with_vectors(stage: ExtendedStage, encode: QueryEncoder) -> Decide:
    rules = by_rules(extended=True)

    def judged(text: str) -> GateVerdict:
        verdict = rules(text)
        if not stage.needs(verdict, verdict.query):
            return verdict
        return stage.extend(verdict, encode([verdict.query])[0], verdict.query)

    return judged


def report(name: str, rows: Sequence[Row], judge: Decide) -> None:
    verdicts = {row.id: judge(row.text).verdict.value for row in rows}
    print(name)
    for part, chosen in (
        ("all", rows),
        ("held-out third", [r for r in rows if r.held_out]),
        ("the other two", [r for r in rows if not r.held_out]),
        ("zh", [r for r in rows if r.lang == "zh"]),
        ("en", [r for r in rows if r.lang == "en"]),
        ("held-out zh", [r for r in rows if r.held_out and r.lang == "zh"]),
        ("held-out en", [r for r in rows if r.held_out and r.lang == "en"]),
    ):
        print(f"  {part:15s} {figures(chosen, verdicts)}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--fit", action="store_true")
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    default = REPOSITORY.parent / "shared" / "data"
    folder = Path(os.environ.get("RECALLD_EVAL_DATA", default))
    rows = [row for row in gate_rows(folder) if row.kind == "user"]
    encode = QueryEncoder()
    report("the fixed order", rows, by_rules(extended=False))
    report("with families of our own", rows, by_rules(extended=True))
    report("with the embedding stage", rows, with_vectors(extended_stage(IDENTITY), encode))
    if chosen.fit or chosen.write:
        model, area = fitted(folder, encode)
        print(f"fresh fit: low {model.low}  high {model.high}  AUC {area:.3f} (ten-fold)")
        report("with the fresh fit", rows, with_vectors(ExtendedStage(model=model), encode))
        if chosen.write:
            name = f"gate_extended_{IDENTITY.engine}.json"
            target = Path(recalld.recall.__file__).with_name(name)
            text = json.dumps(msgspec.to_builtins(model), ensure_ascii=False, indent=1)
            target.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
