"""One request on a connection of its own, within one absolute deadline."""

import os
import sys
import time

from recalld.client.errors import Disconnected, NoDaemon, RpcError, TimedOut
from recalld.client.hooks._call import BadEvent
from recalld.client.hooks._light import encoded, parsed, sockets

# The daemon refuses longer lines; the cut leaves it room for what it may still add.
MOST_LINE_BYTES = 256 * 1024 - 1
MOST_REPLY_BYTES = 1 << 20
_CHUNK_BYTES = 65_536
# Characters that are kept of each text, tried in turn until the line is short enough.
_TEXT_CHARS = (MOST_LINE_BYTES, 40_000, 20_000, 10_000, 2_500)
_LEFT_OUT = "\n[…]\n"


def ask(
    path: str, method: str, params: "dict[str, object]", *, until: float
) -> "dict[str, object]":
    """The result. Raise one of ``recalld.client.errors``; ``BadEvent`` for what has no line."""
    line = _line({"jsonrpc": "2.0", "id": 1, "method": method}, params)
    connection = _connected(path, until)
    try:
        _send(connection, line, until)
        return _reply(connection, until)
    finally:
        connection.close()


def tell(path: str, method: str, params: "dict[str, object]", *, until: float) -> None:
    """Hand the notification over to the daemon's socket: it is read whether we live or not."""
    line = _line({"jsonrpc": "2.0", "method": method}, params)
    connection = _connected(path, until)
    try:
        _send(connection, line, until)
    finally:
        connection.close()


def _line(message: "dict[str, object]", params: "dict[str, object]") -> bytes:
    """The message with its long texts cut in the middle as far as it must be."""
    for most in _TEXT_CHARS:
        cut = {name: _cut(value, most) for name, value in params.items()}
        line = _encoded({**message, "params": cut})
        if len(line) <= MOST_LINE_BYTES:
            return line
    raise BadEvent(f"a request over {MOST_LINE_BYTES} bytes")


def _encoded(message: "dict[str, object]") -> bytes:
    try:
        return encoded(message) + b"\n"
    except (ValueError, RecursionError) as error:
        raise BadEvent("an event that JSON has no words for") from error


def _cut(value: object, most: int) -> object:
    if not isinstance(value, str) or len(value) <= most:
        return value
    end = most // 3
    return value[: most - end] + _LEFT_OUT + value[-end:]


def _connected(path: str, until: float) -> "sockets.socket":
    connection = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
    try:
        connection.settimeout(_left_s(until))
        connection.connect(path)
        _check_peer(connection, path)
    except TimeoutError as error:
        connection.close()
        raise TimedOut(f"{path} does not accept in time") from error
    except OSError as error:
        connection.close()
        raise NoDaemon(path, (error.strerror or str(error)).lower()) from error
    except NoDaemon:
        connection.close()
        raise
    return connection


def _check_peer(connection: "sockets.socket", path: str) -> None:
    # A prompt must not go to whoever was first to create a directory under /tmp.
    if not hasattr(sockets, "SO_PEERCRED"):
        return
    told = connection.getsockopt(sockets.SOL_SOCKET, sockets.SO_PEERCRED, 12)
    uid = int.from_bytes(told[4:8], sys.byteorder)
    if uid != os.getuid():
        raise NoDaemon(path, f"it belongs to user {uid}")


def _send(connection: "sockets.socket", line: bytes, until: float) -> None:
    try:
        connection.settimeout(_left_s(until))
        connection.sendall(line)
    except TimeoutError as error:
        raise TimedOut("the request was not taken in time") from error
    except OSError as error:
        raise Disconnected((error.strerror or str(error)).lower()) from error


def _reply(connection: "sockets.socket", until: float) -> "dict[str, object]":
    """The result in the first line that answers us; events of others are passed over."""
    buffer = bytearray()
    searched = 0
    while True:
        while (end := buffer.find(b"\n", searched)) < 0:
            searched = len(buffer)
            if searched > MOST_REPLY_BYTES:
                raise Disconnected(f"a reply over {MOST_REPLY_BYTES} bytes")
            buffer += _received(connection, until)
        message = _decoded(buffer[:end])
        if "error" in message and message.get("id") in (1, None):
            raise _refusal(message["error"])
        if message.get("id") == 1:
            result = message.get("result")
            return result if isinstance(result, dict) else {}
        del buffer[: end + 1]
        searched = 0


def _received(connection: "sockets.socket", until: float) -> bytes:
    try:
        connection.settimeout(_left_s(until))
        data = connection.recv(_CHUNK_BYTES)
    except TimeoutError as error:
        raise TimedOut("no answer in time") from error
    except OSError as error:
        raise Disconnected((error.strerror or str(error)).lower()) from error
    if not data:
        raise Disconnected("the daemon closed the connection")
    return data


def _decoded(line: bytearray) -> "dict[str, object]":
    try:
        message = parsed(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Disconnected("the peer does not speak JSON-RPC") from error
    if not isinstance(message, dict):
        raise Disconnected("the peer does not speak JSON-RPC")
    return message


def _refusal(error: object) -> RpcError:
    """Its code alone: the message may repeat what was said."""
    code = error.get("code") if isinstance(error, dict) else None
    number = code if isinstance(code, int) else 0
    return RpcError(number, f"the daemon answered error {number}", {})


def _left_s(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
