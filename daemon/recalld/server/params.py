"""Parameters of a call, checked against their struct, in the words the caller can act on. Pure."""

import re
from ast import literal_eval
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from enum import Enum
from typing import Annotated, Literal, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

from recalld.errors import BadRequest
from recalld.server.wire import shown

P = TypeVar("P", bound="Params")

_NO_NUL, _ABSOLUTE = r"^[^\x00]*\Z", r"^/[^\x00]*\Z"
# In the words of who wrote it, not of who checks it.
_SHAPES = {_NO_NUL: "may not hold a NUL", _ABSOLUTE: "must be an absolute path, without a NUL"}

Key = Annotated[str, Meta(min_length=1, max_length=1_024, pattern=_NO_NUL)]
AbsolutePath = Annotated[str, Meta(max_length=4_096, pattern=_ABSOLUTE)]
Moment = Annotated[datetime, Meta(tz=True)]
EventId = Annotated[str, Meta(min_length=1, max_length=256, pattern=_NO_NUL)]

_AT = re.compile(r" - at `\$(?P<path>[^`]*)`\Z", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<name>.*)`\Z", re.DOTALL)
_SHAPE = re.compile(r"Expected `str` matching regex (?P<pattern>'[^']*')\Z")
_INDEX = re.compile(r"\[[^\]]*\]")
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]*)`\Z")


class Params(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of what a method accepts: unknown members are errors."""


class SessionParam(Params, frozen=True, kw_only=True):
    """Whose event it is. ``key`` is opaque and is never parsed."""

    key: Key
    agent: Key = "main"
    workspace: AbsolutePath | None = None
    client: Annotated[str, Meta(max_length=256)] | None = None


class EventParams(Params, frozen=True, kw_only=True):
    """What every session event may carry."""

    session: SessionParam
    at: Moment | None = None
    event_id: EventId | None = None

    def when(self, now: datetime) -> datetime:
        """With the offset that was sent, never after ``now``.

        Raise ``BadRequest`` for a time that UTC cannot express.
        """
        return moment_of(self.at, now=now) or now


def moment_of(at: datetime | None, *, now: datetime, key: str = "params.at") -> datetime | None:
    """``at`` with the offset that was sent, never after ``now``; None where none was sent.

    Raise ``BadRequest`` for a time that UTC cannot express.
    """
    if at is None:
        return None
    try:
        at.astimezone(UTC)
    except OverflowError as error:
        raise BadRequest(key, "out of range") from error
    return at if at <= now else now.astimezone(at.tzinfo)


def checked(kind: type[P], params: Mapping[str, object]) -> P:
    """Raise ``BadRequest`` whose key reads like ``params.session.key``.

    No coercion: a number in quotes is a string. Input is repeated by at most 100 escaped
    characters.
    """
    try:
        return msgspec.convert(params, kind, strict=True)
    except msgspec.ValidationError as error:
        raise _explained(str(error), kind) from error


def _explained(message: str, kind: type[Params]) -> BadRequest:
    found = _AT.search(message)
    path = "params" + (found["path"] if found else "")
    problem = message[: found.start()] if found else message
    unknown = _UNKNOWN.match(problem)
    if unknown is not None:
        name = unknown["name"]
        return BadRequest(f"{path}.{shown(name)}", _unknown_problem(name, kind))
    missing = _MISSING.match(problem)
    if missing is not None:
        return BadRequest(f"{path}.{missing['name']}", "is missing")
    shape = _SHAPE.match(problem)
    if shape is not None and literal_eval(shape["pattern"]) in _SHAPES:
        return BadRequest(path, _SHAPES[literal_eval(shape["pattern"])])
    choices = _choices(path, kind) if problem.startswith("Invalid enum value") else ()
    said = shown(problem.replace("`", ""))
    return BadRequest(path, f"{said}; one of {', '.join(choices)}" if choices else said)


def _choices(path: str, kind: type[Params]) -> tuple[str, ...]:
    """The words that a parameter of the call itself may be; empty where they are not known."""
    name = _INDEX.sub("", path).rpartition(".")[2]
    for field in msgspec.structs.fields(kind):
        if field.encode_name == name:
            return tuple(_words(field.type))
    return ()


def _words(kind: object) -> Iterator[str]:
    if get_origin(kind) is Literal:
        yield from map(str, get_args(kind))
    elif isinstance(kind, type) and issubclass(kind, Enum):
        yield from (str(one.value) for one in kind)
    else:
        for part in get_args(kind):
            yield from _words(part)


def _unknown_problem(name: str, kind: type[Params]) -> str:
    close = get_close_matches(name[:64], sorted(_field_names(kind)), n=1, cutoff=0.7)
    return "unknown parameter" + (f"; did you mean {close[0]}?" if close else "")


def _field_names(kind: type[Struct]) -> set[str]:
    """Names of the struct and of the structs directly inside it."""
    names: set[str] = set()
    for field in msgspec.structs.fields(kind):
        names.add(field.encode_name)
        if isinstance(field.type, type) and issubclass(field.type, Struct):
            names |= {inner.encode_name for inner in msgspec.structs.fields(field.type)}
    return names
