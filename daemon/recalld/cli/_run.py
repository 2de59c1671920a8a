"""Build the program for one command line, run it, and turn faults into messages and codes."""

import importlib
import os
import sys
from functools import partial
from itertools import takewhile
from typing import Annotated

import typer

from recalld import __version__
from recalld.cli import COMMANDS
from recalld.cli._exits import Exit, verdict_on
from recalld.cli._output import print_json, safe, written_out
from recalld.client import ClientError, NoDaemon
from recalld.errors import RecalldError

HELP = "A per-user memory daemon for people who work with AI agents."


def run(arguments: list[str]) -> int:
    """Run and return the exit code. A fault prints one line, never a stack trace."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a question mark instead of failing.
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        return written_out(partial(_ended, arguments))
    except KeyboardInterrupt:
        return Exit.INTERRUPTED


def _ended(arguments: list[str]) -> int:
    try:
        program(arguments)(arguments, prog_name="recalld")
    except SystemExit as stop:
        return _code(stop)
    except (ClientError, RecalldError) as error:
        code, message = verdict_on(error)
        if isinstance(error, NoDaemon):
            message += _misspelt_hint()
        return _told(code, message, arguments)
    except OSError as error:
        # Without a file's name it is no fault of a place that somebody named.
        if not isinstance(error.filename, str):
            raise
        why = (error.strerror or str(error)).lower()
        return _told(Exit.FINDING, f"{error.filename}: {why}", arguments)
    return Exit.OK


def _told(code: int, message: str, arguments: list[str]) -> int:
    sys.stderr.write(f"recalld: {safe(message)}\n")
    if "--json" in takewhile(lambda argument: argument != "--", arguments):
        print_json({"error": {"code": int(code), "message": message}})
    return code


def _misspelt_hint() -> str:
    """What may have sent the client to the wrong place."""
    from recalld.config_decode import misspelt  # noqa: PLC0415 (only to explain a failure)

    found = [(name, near) for name in sorted(os.environ) if (near := misspelt(name))]
    return "".join(f"; {name} is set, did you mean {near}?" for name, near in found)


def program(arguments: list[str]) -> typer.Typer:
    """The program with the command the arguments name, or with all of them (for help)."""
    app = typer.Typer(
        help=HELP,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def top(
        *,
        version: Annotated[
            bool, typer.Option("--version", "-V", help="Print the version.", is_eager=True)
        ] = False,
    ) -> None:
        if version:
            sys.stdout.write(f"recalld {__version__}\n")
            raise typer.Exit

    first = arguments[0] if arguments else ""
    for name in (first,) if first in COMMANDS else COMMANDS:
        importlib.import_module(f"recalld.cli.{name}").attach(app)
    return app


def _code(stop: SystemExit) -> int:
    if isinstance(stop.code, int):
        return stop.code
    return Exit.OK if stop.code is None else Exit.FINDING
