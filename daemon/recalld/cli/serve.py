"""``recalld serve``: the daemon in the foreground."""

import os
from typing import Annotated

import typer

from recalld.cli._options import ConfigOption, SocketOption, absolute
from recalld.config import Settings


def attach(app: typer.Typer) -> None:
    @app.command()
    def serve(
        *,
        workspace: Annotated[
            list[str] | None,
            typer.Option(
                "--workspace",
                "-w",
                metavar="DIR",
                help="Index this folder instead of the configured ones. May be repeated.",
            ),
        ] = None,
        socket: SocketOption = None,
        config: ConfigOption = None,
    ) -> None:
        """Run the daemon until SIGTERM or Ctrl-C."""
        overrides: dict[str, object] = {}
        if workspace:
            overrides["workspaces"] = [absolute(folder) for folder in workspace]
        raise typer.Exit(run(config, socket=socket, overrides=overrides))


def run(config: str | None, *, socket: str | None, overrides: dict[str, object]) -> int:
    """The daemon's exit code. The command line's settings survive a reload of the file."""
    environ = dict(os.environ)
    if socket is not None:
        environ["RECALLD_SOCKET"] = absolute(socket)
    settings = Settings(config, environ, overrides=overrides)
    from recalld.app import main  # noqa: PLC0415 (a wrong setting is told before parts load)

    return main(settings)
