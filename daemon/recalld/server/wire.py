"""Bytes of one line to requests, and replies to bytes. Pure; the wire contract to the letter.

A line is judged by orjson alone: the standard parser accepts NaN, lone surrogates and a byte
order mark, and recurses.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import orjson
from msgspec import to_builtins

SHOWN_CHARS = 100
_INT64 = range(-(2**63), 2**63)
# Matches at least once for every member; more where a string holds the same bytes.
_MEMBER = re.compile(rb'"[ \t\r\n]*:')


class Code(IntEnum):
    """JSON-RPC 2.0 codes, and the daemon's own from -32001 down."""

    NOT_JSON = -32700
    NOT_A_REQUEST = -32600
    NO_SUCH_METHOD = -32601
    BAD_PARAMS = -32602
    INTERNAL = -32603
    BUSY = -32001
    UNAVAILABLE = -32002
    SHUTTING_DOWN = -32003
    NOT_FOUND = -32004
    REFUSED = -32005


RequestId = str | int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call. ``answered`` is False for a notification, whose ``id`` is None."""

    id: RequestId
    method: str
    params: Mapping[str, object]
    answered: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class WireError:
    """What is wrong with a line or a call, as the peer may read it.

    ``answered`` is False where a notification is wrong: nobody waits to be told.
    """

    code: Code
    message: str
    id: RequestId = None
    data: Mapping[str, object] | None = None
    answered: bool = True


Parsed = Request | WireError


def parse(line: bytes, *, max_depth: int, max_batch: int) -> Parsed | tuple[Parsed, ...]:
    """A tuple stands for a batch, in order. Never raises.

    Nesting deeper than ``max_depth``, a repeated member and a batch longer than ``max_batch``
    are refused whole.
    """
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return WireError(code=Code.NOT_JSON, message=f"not JSON: {shown(str(error))}")
    refusal = _refused_shape(line, value, max_depth=max_depth)
    if refusal is not None:
        return refusal
    if not isinstance(value, list):
        return _call(value)
    if not value:
        return WireError(code=Code.NOT_A_REQUEST, message="an empty batch")
    if len(value) > max_batch:
        return WireError(
            code=Code.NOT_A_REQUEST,
            message=f"a batch of {len(value)}; at most {max_batch} are accepted",
        )
    return tuple(_call(item) for item in value)


def _refused_shape(line: bytes, value: object, *, max_depth: int) -> WireError | None:
    depth, members = _measured(value)
    if depth > max_depth:
        return WireError(
            code=Code.NOT_A_REQUEST,
            message=f"nested deeper than {max_depth} levels",
            id=_known_id(value),
        )
    repeated = _repeated_member(line) if len(_MEMBER.findall(line)) > members else None
    if repeated is None:
        return None
    return WireError(
        code=Code.NOT_A_REQUEST,
        message=f"member {shown(repeated)!r} stands twice",
        id=None if repeated == "id" else _known_id(value),
    )


def _call(value: object) -> Parsed:
    if not isinstance(value, dict):
        return WireError(code=Code.NOT_A_REQUEST, message="a request is an object")
    request_id = value.get("id")
    if "id" in value and not _is_id(request_id):
        return WireError(
            code=Code.NOT_A_REQUEST, message="id: expected a string or a 64-bit integer"
        )
    problem = _problem(value)
    if problem is not None:
        return WireError(code=Code.NOT_A_REQUEST, message=problem, id=request_id)
    params = value.get("params", {})
    if not isinstance(params, dict):
        return WireError(
            code=Code.BAD_PARAMS,
            message="params: expected an object",
            id=request_id,
            data={"key": "params", "problem": "expected an object"},
            answered="id" in value,
        )
    return Request(id=request_id, method=value["method"], params=params, answered="id" in value)


def _problem(value: Mapping[str, object]) -> str | None:
    if value.get("jsonrpc") != "2.0":
        return 'jsonrpc: expected "2.0"'
    if "method" not in value:
        return "method: missing"
    if not isinstance(value["method"], str):
        return "method: expected a string"
    return None


def _is_id(value: object) -> bool:
    # Integers past 64 bits arrive as floats, rounded: no float is an id.
    if isinstance(value, bool):
        return False
    return isinstance(value, str) or (isinstance(value, int) and value in _INT64)


def _known_id(value: object) -> RequestId:
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str | int) and _is_id(found) else None


def _measured(value: object) -> tuple[int, int]:
    """Levels of nesting, and members of all objects; level by level, so nothing recurses.

    One pass over the containers alone: a line of 130,000 of them takes 30 ms.
    """
    depth = members = 0
    level: list[dict[str, object] | list[object]]
    level = [value] if isinstance(value, dict | list) else []
    while level:
        depth += 1
        below = []
        for node in level:
            if type(node) is dict:
                members += len(node)
                below += [v for v in node.values() if type(v) is dict or type(v) is list]
            else:
                below += [v for v in node if type(v) is dict or type(v) is list]
        level = below
    return depth, members


def _repeated_member(line: bytes) -> str | None:
    """The first repeated member, or None. A second parse, only for lines where one is likely."""
    repeated: list[str] = []

    def note(pairs: list[tuple[str, object]]) -> None:
        if len(dict(pairs)) == len(pairs):
            return
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                repeated.append(name)
            seen.add(name)

    json.loads(line, object_pairs_hook=note)
    return repeated[0] if repeated else None


def shown(text: str, *, limit: int = SHOWN_CHARS) -> str:
    """``text`` on one line of printable characters, at most ``limit``, an ellipsis if cut."""
    escaped = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in text[: limit + 1]
    )
    return escaped if len(escaped) <= limit else escaped[: limit - 1] + "…"


def encode_result(request_id: RequestId, result: object) -> bytes:
    """One reply without its newline. Numbers that are not finite leave as null."""
    return _dumps({"jsonrpc": "2.0", "id": request_id, "result": result})


def encode_error(error: WireError) -> bytes:
    body: dict[str, object] = {"code": int(error.code), "message": error.message}
    if error.data is not None:
        body["data"] = dict(error.data)
    return _dumps({"jsonrpc": "2.0", "id": error.id, "error": body})


def encode_notification(method: str, params: Mapping[str, object]) -> bytes:
    return _dumps({"jsonrpc": "2.0", "method": method, "params": dict(params)})


def encode_request(request_id: RequestId, method: str, params: Mapping[str, object]) -> bytes:
    return _dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": dict(params)})


def join_batch(replies: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(replies) + b"]"


def _dumps(value: object) -> bytes:
    plain = to_builtins(value, str_keys=True)
    try:
        return orjson.dumps(plain)
    except orjson.JSONEncodeError:
        # File names may hold bytes that are no text; nothing else of ours is unencodable.
        return orjson.dumps(_encodable(plain))


def _encodable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value
