"""Options that several commands share, and the one way to ask the daemon."""

import os
from typing import Annotated

import typer

from recalld.client import Client, TimedOut, socket_path

PING_TIMEOUT_S = 2.0
CALL_TIMEOUT_S = 10.0

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


def asked(
    client: Client,
    method: str,
    params: dict[str, object] | None = None,
    *,
    timeout_s: float = CALL_TIMEOUT_S,
) -> dict[str, object]:
    """The result of a call that may take its time, of a daemon that answers a ping at once.

    So a daemon that hangs is told from one that works. Raises as ``Client.call``.
    """
    try:
        client.call("ping", timeout_s=PING_TIMEOUT_S)
    except TimedOut as error:
        raise TimedOut(
            f"the daemon at {client.path} does not answer within {PING_TIMEOUT_S:g} s; "
            "it hangs, or is still starting"
        ) from error
    return client.call(method, params, timeout_s=timeout_s)


def absolute(path: str) -> str:
    """``path`` as the daemon can use it: it has a working directory of its own."""
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 (keeps symlinks)
