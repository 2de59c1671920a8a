"""``recalld-hook HOST``: what an agent's host runs when a session event happens.

It reads one JSON object, asks the daemon, and prints one JSON object or nothing. A hook may never
hold up a prompt: it ends within ``$RECALLD_HOOK__DEADLINE_MS`` (1500; at most 1000 at the end of
a session) counted from where the process began, and it always exits 0. Why nothing came of an
event is one line in ``hook.log`` of the state directory. Standard error is for a person who typed
the command: hosts show it to their users, and a daemon that does not run is no news at every
prompt.

It reads no configuration unless ``--config FILE`` names one, and of that ``server.socket`` alone:
the socket is ``--socket``, else ``$RECALLD_SOCKET``, else that of the file, else the usual place.
What it prints is JSON, so ``--json`` changes nothing.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Adapters of agent hosts, by name; each is one file here, imported only when it is asked for.
HOSTS: tuple[str, ...] = ("claude-code", "codex", "openclaw", "exec")
SOCKET, CONFIG, JSON = "--socket", "--config", "--json"


def main() -> int:
    """One event from standard input. Does not return: the process ends here, with 0."""
    try:
        _hook(sys.argv[1:])
    except BaseException as error:  # noqa: BLE001
        # The outermost frame: whatever went wrong, the user's prompt goes on.
        _failed(error)
    finally:
        # Taking the interpreter down costs 2 ms and ends in 120 where the host hung up.
        os._exit(0)


def module_of(host: str) -> str:
    return host.replace("-", "_")


def _hook(arguments: list[str]) -> None:
    words, options = _told_apart(arguments)
    if len(words) != 1 or words[0] not in HOSTS or not all(options.values()):
        _complain(arguments)
        return
    from recalld.client.hooks._run import run  # noqa: PLC0415 (a broken part must not end in 1)

    name = words[0]
    home = __import__(f"{__name__}.{module_of(name)}", fromlist=["HOST"])
    environ: Mapping[str, str] = os.environ
    if options:
        from recalld.client.address import socket_path  # noqa: PLC0415 (rarely needed)

        path = socket_path(options.get(SOCKET), environ, config=options.get(CONFIG))
        environ = {**environ, "RECALLD_SOCKET": path}
    run(name, home.HOST, environ)


def _told_apart(arguments: list[str]) -> "tuple[list[str], dict[str, str]]":
    """The words, and the options with their values; "" where one has none."""
    words: list[str] = []
    options: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        name, sign, value = argument.partition("=")
        if name in (SOCKET, CONFIG):
            options[name] = value if sign else next(rest, "")
        elif argument != JSON:
            words.append(argument)
    return words, options


def _failed(error: BaseException) -> None:
    from recalld.client.hooks._note import note  # noqa: PLC0415 (rarely needed)

    note(os.environ, "recalld-hook", f"failed with {type(error).__name__}")


def _complain(arguments: "list[str]") -> None:
    """Say how it is called. Asking for that is no fault of a host, so it is not noted."""
    text = f"recalld-hook HOST, with one event on standard input; HOST is {', '.join(HOSTS)}"
    if arguments not in (["--help"], ["-h"]):
        text = f"{' '.join(arguments)!r} is no host: {text}" if arguments else f"no host: {text}"
        from recalld.client.hooks._note import note  # noqa: PLC0415 (rarely needed)

        # The words of the command line are for the person who typed them.
        note(os.environ, "recalld-hook", "called without the name of a host")
    if sys.stderr is not None:
        os.write(sys.stderr.fileno(), f"{text}\n".encode("utf-8", "replace"))
