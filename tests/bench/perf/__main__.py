"""Measure the running daemon: ``PYTHONPATH=tests python -m bench.perf``, in about three minutes.

Every promise is a ratio of times taken in turn in one run, so that it holds on a slow or busy
machine as it does on a fast one. Exit code 1 when a line is missed.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import anyio

from bench.perf import measures, notes
from bench.perf.judging import judging
from bench.perf.lines import Line
from bench.perf.messages import PLAIN_NO, questions
from bench.perf.parts import alone, note
from bench.perf.running import copied, index_from_nothing, load, memory, starts, warm
from bench.perf.tracing import tracing

QUESTIONS = 60


def measured(folder: Path) -> Iterator[Line]:
    known = notes.facts()
    root, home = folder / "notes", folder / "a"
    notes.write(root, known)
    asked = questions(known, QUESTIONS)
    yield from index_from_nothing(home, root)
    yield from starts(home, root)
    index = copied(home, folder / "b") / "state" / "index.db"
    noted = anyio.run(note, index, asked, 1, backend="trio")
    with alone(index, noted) as parts, warm(home, root, asked[0]) as traced:
        with traced.peer() as peer:
            yield from measures.small_talk(peer)
            yield from measures.no(peer)
            yield from measures.extended_no(peer, parts)
            yield from measures.yes(peer, parts, noted, asked)
            yield from judging(peer, noted, asked)
            yield memory(peer, "RSS, warm")
        yield load(traced, "no", PLAIN_NO, each=200)
        yield load(traced, "yes", asked, each=12)
        with traced.peer() as peer:
            yield memory(peer, "RSS after 16 clients")
        yield from tracing(traced, asked)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench perf", description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args(arguments)
    began_s = time.monotonic()
    lines = []
    with tempfile.TemporaryDirectory(prefix="rb") as name:
        for line in measured(Path(name)):
            print(line, flush=True)
            lines.append(line)
    missed = [line.name for line in lines if not line.holds]
    print(f"{len(missed)} missed, {time.monotonic() - began_s:.0f} s")
    if options.json:
        document = [asdict(line) | {"holds": line.holds} for line in lines]
        options.json.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
