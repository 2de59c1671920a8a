"""A listening socket handed over by the service manager (sd_listen_fds(3))."""

import fcntl
import os
import socket
from collections.abc import Mapping, MutableMapping

from recalld.errors import BadConfig

FIRST_FD = 3
_VARIABLES = ("LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES")


def inherited_socket(environ: Mapping[str, str], *, pid: int) -> socket.socket | None:
    """None when nothing was handed to this process: no variables, or another process's.

    Raise ``BadConfig`` for anything but exactly one listening Unix stream socket.
    """
    if environ.get("LISTEN_PID") != str(pid) or "LISTEN_FDS" not in environ:
        return None
    count = environ["LISTEN_FDS"]
    if count == "0":
        return None
    if count != "1":
        raise BadConfig("LISTEN_FDS", f"expected one socket, got {count[:20]!r}")
    try:
        flags = fcntl.fcntl(FIRST_FD, fcntl.F_GETFD)
        fcntl.fcntl(FIRST_FD, fcntl.F_SETFD, flags | fcntl.FD_CLOEXEC)
        handed = socket.socket(fileno=FIRST_FD)
    except OSError as error:
        raise BadConfig("LISTEN_FDS", f"descriptor 3: {error.strerror}") from error
    problem = _problem(handed)
    if problem is not None:
        handed.detach()
        raise BadConfig("LISTEN_FDS", f"descriptor 3 {problem}")
    return handed


def _problem(handed: socket.socket) -> str | None:
    if handed.family != socket.AF_UNIX or handed.type != socket.SOCK_STREAM:
        return "is not a Unix stream socket"
    if not handed.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        return "is not listening"
    return None


def forget_activation(environ: MutableMapping[str, str] = os.environ) -> None:
    """Children must not believe that descriptor 3 is theirs."""
    for name in _VARIABLES:
        environ.pop(name, None)
