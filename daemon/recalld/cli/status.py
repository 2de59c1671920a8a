"""``recalld status``: how the daemon and each of its parts is."""

import typer

from recalld.cli._options import ConfigOption, JsonFlag, SocketOption, asked, daemon
from recalld.cli._output import print_json, tree


def attach(app: typer.Typer) -> None:
    @app.command()
    def status(
        *, json: JsonFlag = False, socket: SocketOption = None, config: ConfigOption = None
    ) -> None:
        """Show the daemon's health and counters."""
        with daemon(socket, config) as client:
            result = asked(client, "status")
        if json:
            print_json(result)
        else:
            tree(result)
