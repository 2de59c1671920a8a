"""Exit codes, and which fault ends with which."""

import re
from enum import IntEnum

from recalld.client import Disconnected, NoDaemon, RpcError, TimedOut
from recalld.errors import BadConfig, BadRequest, Busy, Unavailable


class Exit(IntEnum):
    OK = 0
    FINDING = 1
    USAGE = 2
    NO_DAEMON = 69
    TRY_LATER = 75
    CONFIG = 78
    INTERRUPTED = 130


START_HINT = "start one with 'recalld serve', or 'systemctl --user start recalld'"

# Where a value stands in the request is for programs; a person typed an option or a text.
_PARAM = re.compile(r"\bparams\.([a-z_]+(?:\.[a-z_]+)*)(?:\[\d+\])?")

_BY_RPC_CODE = {
    -32602: Exit.USAGE,
    -32001: Exit.TRY_LATER,
    -32002: Exit.TRY_LATER,
    -32003: Exit.NO_DAEMON,
}

_BY_KIND: tuple[tuple[type[Exception], Exit], ...] = (
    (Disconnected, Exit.NO_DAEMON),
    (TimedOut, Exit.TRY_LATER),
    (Busy, Exit.TRY_LATER),
    (Unavailable, Exit.TRY_LATER),
    (BadConfig, Exit.CONFIG),
    (BadRequest, Exit.USAGE),
)


def verdict_on(error: Exception) -> tuple[Exit, str]:
    """The exit code of a fault and the line that says what to do about it."""
    if isinstance(error, NoDaemon):
        return Exit.NO_DAEMON, f"{error}; {START_HINT}"
    if isinstance(error, RpcError):
        return _BY_RPC_CODE.get(error.code, Exit.FINDING), _rpc_message(error)
    for kind, code in _BY_KIND:
        if isinstance(error, kind):
            return code, str(error)
    return Exit.FINDING, str(error)


def _rpc_message(error: RpcError) -> str:
    named = (str(error.data[name]) for name in ("key", "problem", "incident") if name in error.data)
    text = ": ".join([error.message, *(detail for detail in named if detail not in error.message)])
    return _PARAM.sub(lambda found: found[1].replace("_", "-"), text)
