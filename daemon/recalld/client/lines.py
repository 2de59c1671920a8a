"""Lines over a Unix socket, each read and each write under one absolute deadline."""

import os
import socket
import struct
import time
from types import TracebackType

from recalld.client.errors import Disconnected, NoDaemon, TimedOut

# Replies may exceed the request cap (a sync lists what it skipped), but not without end.
MAX_REPLY_BYTES = 16 << 20
_CHUNK_BYTES = 65_536
_PEER = struct.Struct("3i")


def deadline_in(seconds: float | None) -> float | None:
    """A point of the monotonic clock, or None for never."""
    return None if seconds is None else time.monotonic() + seconds


class Lines:
    """One connection. After ``TimedOut`` or ``Disconnected`` it is closed: half a line may be out.

    Raises ``NoDaemon`` when nobody listens or the listener is another user.
    """

    def __init__(self, path: str, *, timeout_s: float) -> None:
        self._buffer = b""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(timeout_s)
            self._socket.connect(path)
            self._check_peer(path)
        except TimeoutError as error:
            self._socket.close()
            raise TimedOut(f"{path} does not accept within {timeout_s:g} s") from error
        except OSError as error:
            self._socket.close()
            raise NoDaemon(path, (error.strerror or str(error)).lower()) from error
        except NoDaemon:
            self._socket.close()
            raise

    def _check_peer(self, path: str) -> None:
        # A prompt must not go to whoever was first to create a directory under /tmp.
        if not hasattr(socket, "SO_PEERCRED"):
            return
        raw = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
        uid = _PEER.unpack(raw)[1]
        if uid != os.getuid():
            raise NoDaemon(path, f"it belongs to user {uid}")

    def send(self, line: bytes, *, deadline: float | None) -> None:
        try:
            self._wait(deadline)
            self._socket.sendall(line + b"\n")
        except TimeoutError as error:
            self.close()
            raise TimedOut("the daemon does not take the request") from error
        except OSError as error:
            self.close()
            raise Disconnected((error.strerror or str(error)).lower()) from error

    def receive(self, *, deadline: float | None) -> bytes:
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            self._buffer += self._read(deadline)
            if len(self._buffer) > MAX_REPLY_BYTES:
                self.close()
                raise Disconnected(f"a reply over {MAX_REPLY_BYTES} bytes")
        line, self._buffer = self._buffer[:end], self._buffer[end + 1 :]
        return line

    def _read(self, deadline: float | None) -> bytes:
        try:
            self._wait(deadline)
            data = self._socket.recv(_CHUNK_BYTES)
        except TimeoutError as error:
            self.close()
            raise TimedOut("no answer in time") from error
        except OSError as error:
            self.close()
            raise Disconnected((error.strerror or str(error)).lower()) from error
        if not data:
            self.close()
            raise Disconnected("the daemon closed the connection")
        return data

    def _wait(self, deadline: float | None) -> None:
        if deadline is None:
            self._socket.settimeout(None)
            return
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)

    def close(self) -> None:
        self._socket.close()

    @property
    def closed(self) -> bool:
        return self._socket.fileno() < 0

    def __enter__(self) -> "Lines":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
