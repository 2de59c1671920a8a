"""Options that several commands share, and the one way to ask the daemon."""

import os
from typing import Annotated

import typer

from recalld.client import Client, socket_path

JsonFlag = Annotated[bool, typer.Option("--json", help="Print the result as one line of JSON.")]
SocketOption = Annotated[
    str | None, typer.Option("--socket", metavar="PATH", help="Where the daemon listens.")
]
ConfigOption = Annotated[
    str | None, typer.Option("--config", metavar="FILE", help="The configuration file to use.")
]


def daemon(socket: str | None, config: str | None) -> Client:
    """A client for the daemon these options name.

    Raises ``BadConfig`` for a named file that is missing or wrong: the user meant that one.
    """
    if config is not None:
        from recalld.config import read  # noqa: PLC0415 (a client seldom needs the settings)

        read(config, os.environ)
    return Client(socket_path(socket, os.environ, config=config))


def absolute(path: str) -> str:
    """``path`` as the daemon can use it: it has a working directory of its own."""
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 (keeps symlinks)
