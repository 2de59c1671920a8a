"""``recalld replay TRACES``: past prompts on today's notes."""

import os
import tempfile
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import msgspec
import typer

from recalld.cli._eval import recipe_of
from recalld.cli._exits import Exit
from recalld.cli._options import ConfigOption, JsonFlag
from recalld.cli._output import print_json, say
from recalld.config import Config, read
from recalld.errors import BadRequest
from recalld.evaluate.replay import Change, Replayed, read_traces, replay

_PROMPT_CHARS = 80


def attach(app: typer.Typer) -> None:
    app.command("replay")(replayed)


def replayed(
    traces: Annotated[
        Path,
        typer.Argument(metavar="TRACES", exists=True, dir_okay=False, help="A file of traces."),
    ],
    *,
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace",
            "-w",
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="The notes to ask; default: the folder that the trace file is of.",
        ),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="DIR", help="Index here, and use what is there already."),
    ] = None,
    json: JsonFlag = False,
    config: ConfigOption = None,
) -> None:
    """Run the prompts of a trace file again and show what changed: verdict, hits, ranks.

    Needs no daemon and writes no trace. Each prompt is asked as of its own time and as the first
    of its session; no language model is asked. Traces without text cannot be run: they are
    counted, and a file of nothing else is refused (exit 1).
    """
    settings = read(config, os.environ).config
    root = workspace or _workspace_of(traces, settings)
    found, damaged = read_traces(traces)
    with nullcontext(str(keep)) if keep else tempfile.TemporaryDirectory() as folder:
        recipe = recipe_of("now", settings)
        work = partial(replay, found, Path(folder), recipe, root=root, damaged=damaged)
        done = anyio.run(work, backend="trio")
    if json:
        print_json(_document(done))
    else:
        _show(done)
    if not done.changes and done.without_text:
        raise typer.Exit(Exit.FINDING)


def _workspace_of(traces: Path, config: Config) -> Path:
    """The folder in which ``trace.file`` is this very file, or a rotated one of it."""
    file = traces.resolve()
    parts = Path(config.trace.file).parts
    name = file.name if file.name == parts[-1] else file.stem
    if (*file.parts[-len(parts) : -1], name) != parts:
        raise BadRequest("--workspace", f"{traces} is not the {config.trace.file} of a folder")
    return file.parents[len(parts) - 1]


def _document(done: Replayed) -> dict[str, object]:
    counts = {"prompts": len(done.changes), "same": sum(one.same for one in done.changes)}
    parts = msgspec.to_builtins(done)
    changes = parts.pop("changes")
    kept = [part for part, one in zip(changes, done.changes, strict=True) if not one.same]
    return {**counts, **parts, "changes": kept}


def _show(done: Replayed) -> None:
    changed = [one for one in done.changes if not one.same]
    for one in changed:
        _show_change(one)
    if changed:
        say()
    say(f"{len(done.changes)} prompts run again, {len(changed)} changed")
    for count, what in (
        (done.without_text, "not run: the trace keeps no text (trace.queries is hash or off)"),
        (done.nothing, "not run: recall never looked at the prompt"),
        (done.damaged, "lines that are no trace"),
        (done.cut, "run on the beginning of the prompt, which is all the trace keeps"),
    ):
        if count:
            say(f"{count} {what}")


def _show_change(one: Change) -> None:
    text = " ".join(one.prompt.split())
    say(f"{text if len(text) <= _PROMPT_CHARS else text[:_PROMPT_CHARS] + '…'}  {one.trace_id}")
    for name, (then, now) in (("verdict", one.verdict), ("status", one.status)):
        if then != now:
            say(f"  {name:8} {then} -> {now}")
    for name, hits in (("gained", one.gained), ("lost", one.lost)):
        for hit in hits:
            say(f"  {name:8} {hit.place} ({hit.score:.2f})")
    for moved in one.moved:
        say(f"  moved    {moved.place}: {moved.before} -> {moved.after}")
