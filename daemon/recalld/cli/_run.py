"""Build the program for one command line, run it, and turn faults into messages and codes."""

import importlib
import os
import sys
from typing import Annotated

import typer

from recalld import __version__
from recalld.cli import COMMANDS
from recalld.cli._exits import Exit, verdict_on
from recalld.client import ClientError
from recalld.errors import RecalldError

HELP = "A per-user memory daemon for people who work with AI agents."


def run(arguments: list[str]) -> int:
    """Run and return the exit code. A fault prints one line, never a stack trace."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a question mark instead of failing.
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        program(arguments)(arguments, prog_name="recalld")
    except SystemExit as stop:
        return _code(stop)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipeline went away; a second complaint at exit helps nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return Exit.FINDING
    except (ClientError, RecalldError) as error:
        code, message = verdict_on(error)
        sys.stderr.write(f"recalld: {message}\n")
        return code
    return Exit.OK


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
