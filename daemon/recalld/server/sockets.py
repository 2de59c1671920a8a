"""A trio socket as the wire that connections and event sources speak over."""

import fcntl
import socket
import struct
import termios

import trio

from recalld.server.lines import PeerGone
from recalld.server.listen import may_enter

_UCRED = struct.Struct("3i")  # pid, uid, gid


class SocketWire:
    """Closing is immediate: what the kernel has taken is still delivered."""

    def __init__(self, connected: trio.socket.SocketType) -> None:
        self._socket = connected

    def peer_uid(self) -> int:
        """The uid the kernel noted when the peer connected."""
        credentials = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
        _, uid, _ = _UCRED.unpack(credentials)
        return int(uid)

    async def receive_some(self, max_bytes: int) -> bytes:
        try:
            return await self._socket.recv(max_bytes)
        except (OSError, trio.ClosedResourceError) as error:
            raise PeerGone from error

    async def send_some(self, data: memoryview) -> int:
        try:
            return await self._socket.send(data)
        except (OSError, trio.ClosedResourceError) as error:
            raise PeerGone from error

    def unsent_bytes(self) -> int:
        try:
            held = fcntl.ioctl(self._socket.fileno(), termios.TIOCOUTQ, struct.pack("i", 0))
        except (OSError, ValueError):
            return 0
        return int(struct.unpack("i", held)[0])

    async def send_eof(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError as error:
            raise PeerGone from error

    async def aclose(self) -> None:
        self._socket.close()


async def connect(path: str) -> SocketWire:
    """Raise ``PeerGone`` when nobody answers at ``path``."""
    dialled = trio.socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        await dialled.connect(path)
    except OSError as error:
        dialled.close()
        raise PeerGone(error.strerror or str(error)) from error
    except BaseException:
        dialled.close()
        raise
    return SocketWire(dialled)


async def connect_to_own(path: str, *, uid: int) -> SocketWire:
    """As ``connect``; raise ``PeerGone`` also when the peer's uid is not ``uid``.

    What an event source asks is answered from memory, so it may not be whoever was first to
    make a socket in a shared folder.
    """
    wire = await connect(path)
    if not may_enter(wire.peer_uid(), uid=uid):
        await wire.aclose()
        raise PeerGone(f"{path} belongs to another user")
    return wire


def peer_uid(wire: SocketWire) -> int:
    return wire.peer_uid()
