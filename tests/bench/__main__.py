"""Every measurement: ``PYTHONPATH=tests python -m bench``, or some of them by name.

``perf``, ``hook``, ``quality`` and ``heartbeat`` say which of their lines are missed; the exit code
is then 1. ``quality`` and ``gate`` read the evaluation data of ``RECALLD_EVAL_DATA``
(``../shared/data`` by default) and are passed over, visibly, where there is none. Options go to one
part: ``python -m bench perf --json FILE``.
"""

import subprocess
import sys

from bench.quality.report import data_folder

PARTS = {
    "perf": "bench.perf",
    "hook": "bench.hook_bench",
    "store": "bench.store_bench",
    "gate": "bench.gate",
    "quality": "bench.quality",
    "heartbeat": "bench.heartbeat_bench",
    "heartbeat-month": "bench.heartbeat_month",
    "related": "bench.related",
}
NEEDS_DATA = frozenset({"gate", "quality"})
USAGE = 2


def run(part: str, options: list[str]) -> int:
    """The exit code of one part; its own process, so that what one loads weighs on no other."""
    if part in NEEDS_DATA and not data_folder().is_dir():
        print(f"{part}: skipped, no evaluation data at {data_folder()}", flush=True)
        return 0
    print(f"== {part}", flush=True)
    return subprocess.run([sys.executable, "-m", PARTS[part], *options], check=False).returncode


def main(arguments: list[str]) -> int:
    names = [name for name in arguments if not name.startswith("-")]
    if arguments and arguments[0] in PARTS and any(name.startswith("-") for name in arguments):
        return run(arguments[0], arguments[1:])
    if any(name.startswith("-") for name in arguments) or not set(names) <= set(PARTS):
        print(f"python -m bench [{' | '.join(PARTS)}] ...\n\n{__doc__}", file=sys.stderr)
        return USAGE
    codes = [run(part, []) for part in names or PARTS]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
