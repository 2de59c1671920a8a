"""A synchronous client of the daemon in the standard library alone.

>>> from recalld.client import Client
>>> with Client() as daemon:  # doctest: +SKIP
...     daemon.call("session.prompt", {"session": {"key": "s1"}, "text": "what did we decide?"})
"""

from recalld.client.address import socket_path
from recalld.client.errors import ClientError, Disconnected, NoDaemon, RpcError, TimedOut
from recalld.client.sync import Client

__all__ = [
    "Client",
    "ClientError",
    "Disconnected",
    "NoDaemon",
    "RpcError",
    "TimedOut",
    "socket_path",
]
