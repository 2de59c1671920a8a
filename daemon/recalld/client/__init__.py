"""A synchronous client of the daemon in the standard library alone.

>>> from recalld.client import Client
>>> with Client() as daemon:  # doctest: +SKIP
...     daemon.call("session.prompt", {"session": {"key": "s1"}, "text": "what did we decide?"})

What is named here is imported when it is first asked for: a hook is a process for every prompt
and needs none of it.
"""

TYPE_CHECKING = False  # as typing's, whose import would cost every hook 5 ms
if TYPE_CHECKING:
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

_HOMES = {"Client": "sync", "socket_path": "address"}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES.get(name, "errors")
    return getattr(__import__(f"{__name__}.{home}", fromlist=[name]), name)
