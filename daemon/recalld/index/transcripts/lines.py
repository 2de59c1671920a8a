"""Bytes of a file that grows to whole lines. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from recalld.index.transcripts.model import RawLine

# Longer lines hold pictures or dumps; nobody said them.
MAX_LINE_BYTES = 8 << 20
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """``position`` and ``line`` are behind the last line that was taken or passed over.

    ``inside``: in the middle of a line that is too long.
    """

    lines: tuple[RawLine, ...]
    position: int
    line: int
    inside: bool
    huge: int = 0


def split(data: bytes, *, position: int, line: int, inside: bool, ends: bool) -> Split:
    """The whole lines of ``data``, which stands at ``position`` behind ``line`` line ends.

    The rest is left for later, unless the file ``ends`` with it and it is a whole JSON object:
    nothing can be added to that. NULs in front of a line, where a writer went on at its old
    place in a file that was cut, are not part of it.
    """
    found: list[RawLine] = []
    at = huge = 0
    while (end := data.find(b"\n", at)) >= 0:
        line += 1
        if inside:
            inside = False
        elif end - at > MAX_LINE_BYTES:
            huge += 1
        else:
            found.append(_raw(data, at, end, position, line))
        at = end + 1
    rest = len(data) - at
    if inside:
        at = len(data)
    elif rest > MAX_LINE_BYTES:
        inside, huge, at = True, huge + 1, len(data)
    elif rest and ends:
        last = _raw(data, at, len(data), position, line + 1)
        if object_of(last.data) is not None:
            found.append(last)
            at = len(data)
    return Split(
        lines=tuple(each for each in found if each.data),
        position=position + at,
        line=line,
        inside=inside,
        huge=huge,
    )


def object_of(data: bytes) -> Mapping[str, Any] | None:
    """The JSON object that a line is; None for anything else."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _raw(data: bytes, at: int, end: int, position: int, number: int) -> RawLine:
    return RawLine(
        start=position + at,
        end=position + end,
        number=number,
        data=data[at:end].lstrip(b"\0").removeprefix(_BOM).strip(b" \t\r"),
    )
