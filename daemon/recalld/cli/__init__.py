"""``recalld``: the commands people type. Nothing else imports this package."""

import sys

from recalld import __version__

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
    "workspace",
    "config",
)


def main() -> int:
    """The exit code; see ``_exits``. ``--version`` answers without loading anything."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        sys.stdout.write(f"recalld {__version__}\n")
        return 0
    try:
        from recalld.cli._run import run  # noqa: PLC0415 (typer alone costs 60 ms)

        return run(arguments)
    except KeyboardInterrupt:
        return 130
