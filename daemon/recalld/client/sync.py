"""A synchronous client: one connection, one call at a time."""

import itertools
import json
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType

from recalld.client.address import socket_path
from recalld.client.errors import Disconnected, RpcError
from recalld.client.lines import Lines, deadline_in

CONNECT_TIMEOUT_S = 2.0


class Client:
    """Talks to the daemon at ``path`` (by default: where it usually listens).

    Connects at the first use, and again after a failure. Not for several threads at once.
    Every method raises one of ``recalld.client``'s errors, and no other.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = socket_path(None, os.environ) if path is None else os.fspath(path)
        self._ids = itertools.count(1)
        self._lines: Lines | None = None
        self._events: deque[dict[str, object]] = deque()

    def call(
        self, method: str, params: dict[str, object] | None = None, *, timeout_s: float = 10.0
    ) -> dict[str, object]:
        """The result. The deadline covers connecting, sending and waiting together.

        Raises ``RpcError`` for an error reply, ``TimedOut``, ``Disconnected`` or ``NoDaemon``.
        """
        deadline = deadline_in(timeout_s)
        lines = self._connected(timeout_s)
        number = next(self._ids)
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}
        lines.send(_encode(request), deadline=deadline)
        while True:
            message = _decode(lines.receive(deadline=deadline))
            if message.get("id") == number:
                return _result(message)
            if message.get("id") is None and "error" in message:
                _result(message)  # raises: the request as a whole was refused
            self._keep(message)

    def notify(self, method: str, params: dict[str, object] | None = None) -> None:
        """Send without waiting for anything; delivery is not confirmed."""
        lines = self._connected(CONNECT_TIMEOUT_S)
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        lines.send(_encode(message), deadline=deadline_in(CONNECT_TIMEOUT_S))

    def subscribe(
        self,
        kinds: Sequence[str],
        *,
        workspace: str | None = None,
        idle_timeout_s: float | None = None,
    ) -> Iterator[dict[str, object]]:
        """Subscribe now; iterate over the events' params as they come.

        ``missed`` in one says how many were lost before it. The iterator raises ``TimedOut``
        after ``idle_timeout_s`` of silence and ``Disconnected`` when the daemon goes.
        """
        params: dict[str, object] = {"kinds": list(kinds)}
        if workspace is not None:
            params["workspace"] = workspace
        self.call("events.subscribe", params)
        return self._follow(idle_timeout_s)

    def _follow(self, idle_timeout_s: float | None) -> Iterator[dict[str, object]]:
        while True:
            while self._events:
                yield self._events.popleft()
            if self._lines is None or self._lines.closed:
                raise Disconnected("the connection with the subscription is closed")
            self._keep(_decode(self._lines.receive(deadline=deadline_in(idle_timeout_s))))

    def _keep(self, message: dict[str, object]) -> None:
        params = message.get("params")
        if message.get("method") == "event" and isinstance(params, dict):
            self._events.append(params)

    def _connected(self, timeout_s: float) -> Lines:
        if self._lines is None or self._lines.closed:
            self._events.clear()
            self._lines = Lines(self.path, timeout_s=min(timeout_s, CONNECT_TIMEOUT_S))
        return self._lines

    def close(self) -> None:
        if self._lines is not None:
            self._lines.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _encode(message: Mapping[str, object]) -> bytes:
    # A lone surrogate (an undecodable command-line byte) has no UTF-8 form: it becomes "?".
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")


def _decode(line: bytes) -> dict[str, object]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Disconnected("the peer does not speak JSON-RPC") from error
    if not isinstance(message, dict):
        raise Disconnected("the peer does not speak JSON-RPC")
    return message


def _result(message: dict[str, object]) -> dict[str, object]:
    error = message.get("error")
    if isinstance(error, dict):
        code, data = error.get("code"), error.get("data")
        raise RpcError(
            code if isinstance(code, int) else 0,
            str(error.get("message", "")),
            data if isinstance(data, dict) else {},
        )
    result = message.get("result")
    return result if isinstance(result, dict) else {}
