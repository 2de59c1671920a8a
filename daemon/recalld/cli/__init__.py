"""``recalld``: the commands people type. Nothing else imports this package."""

import sys

from recalld import __version__
from recalld.cli._output import written_out

# Each is a file here whose ``attach`` adds the command to the program; the order is that of help.
COMMANDS = (
    "serve",
    "demo",
    "recall",
    "search",
    "index",
    "status",
    "tail",
    "why",
    "checkpoint",
    "memory",
    "heartbeat",
    "doctor",
    "install",
    "workspace",
    "config",
    "model",
    "calibrate",
    "eval",
    "replay",
)


def _version() -> int:
    sys.stdout.write(f"recalld {__version__}\n")
    return 0


def main() -> int:
    """The exit code; see ``_exits``. ``--version`` answers without loading anything."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        return written_out(_version)
    try:
        from recalld.cli._run import run  # noqa: PLC0415 (typer alone costs 60 ms)

        return run(arguments)
    except KeyboardInterrupt:
        return 130
