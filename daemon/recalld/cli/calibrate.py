"""``recalld calibrate DATA``: the raw score fitted to one's own questions."""

import os
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import msgspec
import typer

from recalld.cli._options import ConfigOption, JsonFlag
from recalld.cli._output import print_json, say, table
from recalld.coefficients import encoded, own_file
from recalld.config import read
from recalld.errors import BadConfig, BadRequest
from recalld.evaluate import calibrate as fitting
from recalld.evaluate.calibrate import Calibration
from recalld.evaluate.metrics import Answer
from recalld.evaluate.reliability import THRESHOLDS, curve, reliability


def attach(app: typer.Typer) -> None:
    app.command()(calibrate)


def calibrate(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            exists=True,
            file_okay=False,
            help="A folder of sets, each with corpus.jsonl and queries.jsonl.",
        ),
    ],
    *,
    engine: Annotated[
        str | None,
        typer.Option("--engine", help="The engine to fit for; default: the configured one."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Default: where search looks for them."),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="DIR", help="Index here, and use what is there already."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option("--source", help="Whom the questions are from, and their licence; repeat."),
    ] = None,
    note: Annotated[str | None, typer.Option("--note", help="A note to keep with them.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing.")] = False,
    json: JsonFlag = False,
    config: ConfigOption = None,
) -> None:
    """Fit the raw score to labelled questions: .65 then lets 1 in 20 through that has no answer.

    Needs no daemon. A daemon that runs uses the new file after a restart.
    """
    embed = read(config, os.environ).config.embed
    if engine is not None:
        try:
            embed = msgspec.convert({**msgspec.to_builtins(embed), "engine": engine}, type(embed))
        except msgspec.ValidationError as error:
            raise BadConfig("--engine", str(error)) from error
    with nullcontext(str(keep)) if keep else tempfile.TemporaryDirectory() as folder:
        work = partial(
            fitting.calibrate,
            data,
            Path(folder),
            embed=embed,
            sources=tuple(source or ()),
            note=note or fitting.NOTE,
        )
        found = anyio.run(work, backend="trio")
    coefficients = msgspec.structs.replace(found.coefficients, identity=found.identity)
    file = out or own_file(found.identity, os.environ)
    if not dry_run:
        _write(file, encoded(coefficients))
    if json:
        print_json({**_document(found), "file": None if dry_run else str(file)})
        return
    _show(found)
    say(f"\n{'would write' if dry_run else 'written'}: {file}")


def _write(file: Path, content: bytes) -> None:
    """In one step: a search that starts meanwhile reads the old file or the new one."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f".{file.name}.new")
        fresh.write_bytes(content)
        fresh.replace(file)
    except OSError as error:
        raise BadRequest(str(file), error.strerror or "cannot be written") from error


def _document(found: Calibration) -> dict[str, object]:
    parts = {"held_out": found.held_out, "left_out": found.left_out}
    return {
        "identity": found.identity,
        "coefficients": msgspec.to_builtins(found.coefficients),
        "thresholds": list(THRESHOLDS),
        **{
            name: {
                "reliability": [_row(row) for row in reliability(answers)],
                "curve": {kind: [n, *rates] for kind, (n, *rates) in _curve(answers).items()},
            }
            for name, answers in parts.items()
            if answers is not None
        },
    }


def _row(row: tuple[float, float, int, float]) -> dict[str, object]:
    low, high, questions, right = row
    return {"from": low, "to": high, "n": questions, "right": right if questions else None}


def _curve(answers: Sequence[Answer]) -> dict[str, tuple[int, *tuple[float, ...]]]:
    return {
        kind: (cells[0][0], *(round(rate, 4) for _, rate in cells))
        for kind, cells in curve(answers).items()
    }


def _show(found: Calibration) -> None:
    drawn = found.coefficients
    say(f"{found.identity}: {drawn.provenance.fitted_on}")
    say("anchors of c at .55, .65, .85: " + ", ".join(f"{one:.2f}" for one in drawn.anchors))
    say("\nhow often the first hit is right, by its raw score (5-fold, held out)")
    rows = [
        (f"{low:.2f} to {high:.2f}", n, f"{right:.2f}" if n else "-")
        for low, high, n, right in reliability(found.held_out)
    ]
    table(rows, head=("raw score", "questions", "right"))
    for title, answers in (
        ("share injected by threshold (5-fold, held out)", found.held_out),
        ("the same, each set by coefficients of the others", found.left_out),
    ):
        if answers is not None:
            say(f"\n{title}")
            head = ("", "questions", *(f"{at:.2f}" for at in THRESHOLDS))
            lines = [
                (kind, n, *(f"{rate:.2f}" for rate in rates))
                for kind, (n, *rates) in _curve(answers).items()
            ]
            table(lines, head=head)
