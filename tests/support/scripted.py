"""A stand-in for the daemon that answers each method with what the test wrote down."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class ScriptedDaemon:
    """``answers``: method to its result, to ``{"error": …}``, or to None for silence.

    ``arrived`` is set by the first request that is no ping.
    """

    def __init__(self, path: Path, answers: dict[str, dict[str, object] | None]) -> None:
        self.path = path
        self.answers = answers
        self.requests: list[dict[str, object]] = []
        self.arrived = threading.Event()

    def seen(self, method: str) -> list[dict[str, object]]:
        """The params of every request of ``method`` so far."""
        found = [r["params"] for r in self.requests if r["method"] == method]
        return [params for params in found if isinstance(params, dict)]

    def _talk(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            for line in lines:
                request = json.loads(line)
                self.requests.append(request)
                if request["method"] != "ping":
                    self.arrived.set()
                answer = self.answers.get(request["method"], {})
                if answer is None:
                    continue
                body = answer if "error" in answer else {"result": answer}
                reply = json.dumps({"jsonrpc": "2.0", "id": request.get("id"), **body})
                connection.sendall(reply.encode() + b"\n")


@contextmanager
def scripted_daemon(
    path: Path, answers: dict[str, dict[str, object] | None]
) -> Iterator[ScriptedDaemon]:
    """Listening at ``path`` until the block ends; a thread for each connection."""
    daemon = ScriptedDaemon(path, answers)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=daemon._talk, args=(connection,), daemon=True).start()

    acceptor = threading.Thread(target=accept, daemon=True)
    acceptor.start()
    try:
        yield daemon
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        acceptor.join(5)
