"""``recalld eval DATA``: how good this configuration is, in figures."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import typer

from recalld.cli._eval import recipe_of, recipe_without
from recalld.cli._options import ConfigOption, JsonFlag
from recalld.cli._output import print_json, safe, say
from recalld.config import read
from recalld.errors import BadRequest
from recalld.evaluate.gate_eval import gate_predictions
from recalld.evaluate.heartbeat_eval import heartbeat_predictions
from recalld.evaluate.held_out import BY_FOLD
from recalld.evaluate.held_out import held_out as apart
from recalld.evaluate.html import cell, page
from recalld.evaluate.predictions import write_predictions
from recalld.evaluate.report import (
    RANKING,
    Report,
    Table,
    document,
    injection_of,
    report_of,
    side_by_side,
    together,
)
from recalld.evaluate.run import Evaluation, Recipe, evaluate, evaluate_self

RUNNING = "this configuration"


def attach(app: typer.Typer) -> None:
    app.command("eval")(evaluation)


def evaluation(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            exists=True,
            file_okay=False,
            help="A folder of sets (corpus.jsonl, queries.jsonl), or with --self of notes.",
        ),
    ],
    *,
    own: Annotated[
        bool, typer.Option("--self", help="DATA is notes of one's own: make the questions.")
    ] = False,
    sets: Annotated[
        str | None, typer.Option("--sets", metavar="A,B", help="Only these sets of DATA.")
    ] = None,
    questions: Annotated[
        int, typer.Option("--questions", min=1, help="With --self, at most so many of a kind.")
    ] = 200,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="CONFIG", help="Compare with this configuration file."),
    ] = None,
    without: Annotated[
        str | None,
        typer.Option("--without", metavar="A,B", help="Compare with these rules of search off."),
    ] = None,
    mixed: Annotated[
        bool, typer.Option("--mixed", help="All sets in one store, each group as its own home.")
    ] = False,
    held_out: Annotated[
        bool,
        typer.Option("--held-out", help="Also by raw scores fitted without the very questions."),
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a page with plots.")
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option("--predictions", metavar="DIR", help="Also write what was found, by set."),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="DIR", help="Index here, and use what is there already."),
    ] = None,
    json: JsonFlag = False,
    config: ConfigOption = None,
) -> None:
    """Put labelled questions to the recipe as configured, and count what comes back.

    Needs no daemon and changes none. Injected is what one search brings to
    recall.quality_gate.high_raw_score, recall.top_k at most.
    """
    if held_out and (own or against or without or mixed):
        raise BadRequest("--held-out", "goes with none of --self, --against, --without, --mixed")
    recipes = _recipes(config, against=against, without=without, mixed=mixed)
    found = []
    with nullcontext(str(keep)) if keep else tempfile.TemporaryDirectory() as scratch:
        folders = _folders(Path(scratch), recipes)
        for recipe, folder in zip(recipes, folders, strict=True):
            work = (
                partial(evaluate_self, data, folder, recipe, most=questions)
                if own
                else partial(evaluate, data, folder, recipe, only=_listed(sets))
            )
            found.append(anyio.run(work, backend="trio"))
        if held_out:
            without_them = partial(apart, data, folders[0], recipes[0], only=_listed(sets))
            found.extend(anyio.run(without_them, backend="trio"))
    if predictions is not None:
        _write_predictions(predictions, found)
    reports = [report_of(one) for one in found]
    if html is not None:
        _write(html, page(reports, data=str(data)))
    if json:
        print_json(_document(data, reports))
    else:
        _show(reports)


def _recipes(
    config: str | None, *, against: str | None, without: str | None, mixed: bool
) -> list[Recipe]:
    """The running one and, if there is one, what it is compared with."""
    recipes = [recipe_of(RUNNING, read(config, os.environ).config, everywhere=mixed)]
    if against is not None:
        other = read(against, os.environ).config
        recipes.append(recipe_of(against, other, everywhere=mixed))
    elif without is not None:
        recipes.append(recipe_without(recipes[0], _listed(without)))
    return recipes


def _listed(names: str | None) -> tuple[str, ...]:
    return tuple(name for name in (names or "").split(",") if name)


def _folders(scratch: Path, recipes: Sequence[Recipe]) -> list[Path]:
    """An index for each; one for both where nothing that an index holds differs."""
    made = [(one.config.embed, one.config.index) for one in recipes]
    folders = [scratch / str(made.index(one)) for one in made]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    return folders


def _write_predictions(folder: Path, found: Sequence[Evaluation]) -> None:
    """Of several runs, each but the first in a folder of its own."""
    names = ("", "held-out", "left-out") if _is_held_out(found) else ("", "against")
    for one, name in zip(found, names, strict=False):
        place = folder / name
        try:
            write_predictions(place, one.answers)
            if one.judged:
                (place / "gate.jsonl").write_bytes(gate_predictions(one.judged))
            if one.linked:
                (place / "heartbeat.jsonl").write_bytes(heartbeat_predictions(one.linked))
        except OSError as error:
            raise BadRequest(str(place), error.strerror or "cannot be written") from error


def _is_held_out(found: Sequence[Evaluation | Report]) -> bool:
    return any(one.name == BY_FOLD for one in found)


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadRequest(str(file), error.strerror or "cannot be written") from error


def _document(data: Path, reports: Sequence[Report]) -> dict[str, object]:
    parts: dict[str, object] = {"data": str(data), "runs": [document(one) for one in reports]}
    if len(reports) > 1 and not _is_held_out(reports):
        parts["differences"] = {
            name: [None if value != value else value for value in values]  # noqa: PLR0124 (NaN)
            for name, values in side_by_side(*reports[:2]).items()
        }
    return parts


def _show(reports: Sequence[Report]) -> None:
    for report in reports:
        say(f"{report.name}: {report.questions} questions, engine {report.engine}")
        for note in report.notes:
            say(note)
    if _is_held_out(reports):
        _table("", together(reports), [report.name for report in reports])
        return
    if len(reports) > 1:
        rows = {name: list(values) for name, values in side_by_side(*reports[:2]).items()}
        _table("", rows, [*(report.name for report in reports), "difference"])
        return
    (report,) = reports
    _figures("retrieval", report.retrieval, ("n", *RANKING))
    _figures("by category", report.categories, ("n", *RANKING))
    _figures(f"injected from {report.threshold:g}", injection_of(report), ("n", "rate"))
    _figures("gate", report.gate, _columns(report.gate))
    _figures("uncertain messages that pass a probe, by store", report.probes, ("n", "rate"))
    if report.controls["n"]:
        _figures("gate controls", {"": report.controls}, ("n", "exact"))
    _figures("related memories of signals", report.heartbeat, _columns(report.heartbeat))
    if report.took_ms:
        _figures("search, ms", {"": report.latency_ms}, tuple(report.latency_ms))


def _columns(table: Table) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for row in table.values() for name in row))


def _figures(title: str, table: Table, columns: Sequence[str]) -> None:
    if table:
        rows = {name: [row.get(column) for column in columns] for name, row in table.items()}
        _table(title, rows, columns)


def _table(title: str, rows: Mapping[str, Sequence[float | None]], columns: Sequence[str]) -> None:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 (only tables need it)
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table as Grid  # noqa: PLC0415

    grid = Grid(box=SIMPLE_HEAD, title=None, pad_edge=False)
    grid.add_column(title, no_wrap=True)
    for column in columns:
        grid.add_column(safe(column), justify="right", no_wrap=True)
    for name, values in rows.items():
        grid.add_row(safe(name), *map(cell, values))
    # As wide as it needs: a pipe is no terminal, and a figure that is cut is none.
    console = Console(width=200, soft_wrap=True, markup=False, highlight=False, no_color=True)
    with console.capture() as drawn:
        console.print(grid)
    say("\n".join(line.rstrip() for line in drawn.get().split("\n")).rstrip())
