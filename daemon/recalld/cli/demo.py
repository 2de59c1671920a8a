"""``recalld demo [DIR]``: the whole way from notes to a judged block, in half a minute."""

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from recalld.cli._demo_prompts import SAMPLE, DemoPrompt, Topic, derived, received, topics_of
from recalld.cli._options import JsonFlag
from recalld.cli._output import print_json, say
from recalld.cli._throwaway import throwaway_daemon
from recalld.cli.index import sync
from recalld.cli.recall import headline
from recalld.client import Client
from recalld.errors import Refused
from recalld.there import is_file, is_folder

_MAX_FILES = 400
_MAX_FILE_BYTES = 1 << 20
_PROMPT_TIMEOUT_S = 30.0
_WIDTH = 78

# The folder is the user's: the demo reads it and leaves nothing behind in it.
_READ_ONLY = "[trace]\nenabled = false\n"


def attach(app: typer.Typer) -> None:
    @app.command()
    def demo(
        folder: Annotated[
            Path | None, typer.Argument(metavar="DIR", help="Your notes; default: a sample.")
        ] = None,
        *,
        json: JsonFlag = False,
    ) -> None:
        """Start a daemon of its own, send it seven prompts and show what it decides."""
        started = time.monotonic()
        with notes(folder) as (place, prompts, settings):
            if not json:
                _introduce(place, folder)
            with throwaway_daemon(place, settings=settings) as client:
                with Client(client.path) as other:
                    report = sync(client, other, {}, quiet=json)
                if not json:
                    say(_indexed(report))
                results = [_played(client, prompt, place, quiet=json) for prompt in prompts]
                _epilogue(client, results, folder, json=json)
        if not json:
            say(f"done in {time.monotonic() - started:.1f} s")


@contextmanager
def notes(folder: Path | None) -> Iterator[tuple[Path, Sequence[DemoPrompt], str]]:
    """Where the notes lie, what to ask about them, and the daemon's settings.

    The sample is copied, since traces are written beside notes. Raises ``Refused`` for a
    folder that is none or has no headings to ask about.
    """
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="recalld-notes-") as scratch:
            place = Path(scratch) / "notes"
            sample = resources.files("recalld") / "demo" / "sample"
            with resources.as_file(sample) as source:
                shutil.copytree(source, place)
            yield place, SAMPLE, ""
        return
    place = folder.expanduser().resolve()
    if not is_folder(place):
        raise Refused(f"{place} is not a folder")
    prompts = derived(_topics(place))
    if not prompts:
        raise Refused(f"{place} has no Markdown file with a heading to ask about")
    yield place, prompts, _READ_ONLY


def _topics(place: Path) -> Iterator[Topic]:
    files = (path for path in sorted(place.rglob("*.md")) if not _hidden(path, place))
    for _, path in zip(range(_MAX_FILES), files, strict=False):
        try:
            with path.open("rb") as stream:
                text = stream.read(_MAX_FILE_BYTES).decode("utf-8", "replace")
        except OSError:
            continue  # the daemon reports what it skips; the demo only needs a few topics
        yield from topics_of(text)


def _hidden(path: Path, place: Path) -> bool:
    return not is_file(path) or any(part.startswith(".") for part in path.relative_to(place).parts)


def _indexed(report: dict[str, object]) -> str:
    skipped = report.get("skipped")
    count = len(skipped) if isinstance(skipped, list) else 0
    return f"indexed: files {report['files']}, chunks {report['chunks']}, skipped {count}"


def _introduce(place: Path, folder: Path | None) -> None:
    what = "the sample notes" if folder is None else str(place)
    say(f"recalld demo: a real daemon over {what}, on a socket of its own")
    if folder is not None:
        say("your folder is only read; prompts are made from its headings")


def _played(client: Client, prompt: DemoPrompt, place: Path, *, quiet: bool) -> dict[str, object]:
    session = {"key": "demo", "client": "recalld-demo", "workspace": str(place)}
    params: dict[str, object] = {"session": session, "text": prompt.text}
    result = client.call("session.prompt", params, timeout_s=_PROMPT_TIMEOUT_S)
    if not quiet:
        _show(prompt, result)
    return {"label": prompt.label, "text": prompt.text, "result": result}


def _show(asked: DemoPrompt, result: dict[str, object]) -> None:
    prompt = received(asked, result)
    say()
    say(f"── {prompt.label}: {prompt.shows} ".ljust(_WIDTH, "─"))
    say(f"> {prompt.text}")
    say(headline(result))
    stages = result.get("stages")
    if isinstance(stages, list) and stages:
        say("stages: " + ", ".join(f"{stage['name']} {stage['took_ms']:.1f}" for stage in stages))
    context = result.get("context")
    say(context if isinstance(context, str) else "(nothing is injected)")


def _epilogue(
    client: Client, results: list[dict[str, object]], folder: Path | None, *, json: bool
) -> None:
    if json:
        print_json({"prompts": results})
        return
    say()
    say("─" * _WIDTH)
    _explain(client, results[0]["result"])
    say("next:")
    if folder is None:
        say("  recalld demo DIR             the same over your own notes; they are only read")
    say("  recalld workspace add DIR    remember a folder from now on")
    say("  recalld serve                run the daemon (or install the systemd unit, see README)")
    say('  recalld recall "…"           judge a prompt; recalld why last explains it')


def _explain(client: Client, result: object) -> None:
    """One sentence of why, so that the word ``trace`` means something."""
    if not isinstance(result, dict) or not result.get("trace_id"):
        return
    told = client.call("recall.explain", {"trace_id": result["trace_id"]})
    gate, cut, shown = told.get("gate"), told.get("cut"), told.get("shown")
    if isinstance(gate, dict) and isinstance(cut, list) and isinstance(shown, list):
        rules = sorted({str(row.get("rule")) for row in cut})
        say(
            f"why the first one: gate rule {gate.get('rule')}; {len(shown)} hits shown, "
            f"{len(cut)} cut ({', '.join(rules) or 'none'})"
        )
