"""A hit's file looked at once more, just before the hit is shown. Blocking; run in a thread."""

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime

import orjson

from recalld.index.decode import decode
from recalld.index.opening import GONE, opened
from recalld.recall.model import Condition, FileNow
from recalld.search.model import Found, Source
from recalld.text.clean import blank_own_blocks
from recalld.text.redact import redact

# A larger file that changed is not read while somebody waits; the index will have it soon.
MAX_BYTES = 1 << 20
# The line of a transcript may hold a picture; the turn stands beside it.
MAX_LINE_BYTES = 4 << 20
_UNKNOWN = FileNow(condition=Condition.UNKNOWN)


def reread(root: str, found: Found) -> FileNow:
    """How the file of ``found`` is now; links are not followed.

    A file is unchanged when its time is the one it was indexed with. Of a hit without a time
    (a command of the user's found it just now) only whether its file is there is told.
    """
    if "\\" in found.path:
        # The label of a name that is no valid text is not the name.
        return _UNKNOWN
    absolute = found.path.startswith("/")
    base, name = ("/", found.path[1:]) if absolute else (root, found.path)
    try:
        with opened(base, os.fsencode(name)) as descriptor:
            return _now(descriptor, found)
    except OSError as error:
        gone = error.errno in GONE
        return FileNow(condition=Condition.GONE) if gone else _UNKNOWN


def _now(descriptor: int, found: Found) -> FileNow:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return FileNow(condition=Condition.GONE)
    modified_at = datetime.fromtimestamp(status.st_mtime_ns / 1e9, UTC).isoformat()
    if modified_at == found.modified_at:
        return FileNow(condition=Condition.UNCHANGED)
    if found.modified_at is None:
        return _UNKNOWN
    if found.source is Source.SESSIONS:
        said = _said(descriptor, found.start_line, found.end_line)
        return _UNKNOWN if said is None else FileNow(condition=Condition.CHANGED, text=said)
    return _UNKNOWN if status.st_size > MAX_BYTES else _cleaned(_head(descriptor, MAX_BYTES + 1))


def _cleaned(data: bytes) -> FileNow:
    """The text as the index cleans it; a file that is no text holds no note."""
    text = decode(data).text
    if text is None:
        return FileNow(condition=Condition.GONE)
    clean = redact(blank_own_blocks(text)).text
    return FileNow(condition=Condition.CHANGED, text=clean)


def _head(descriptor: int, limit: int) -> bytes:
    parts: list[bytes] = []
    while limit > 0 and (part := os.read(descriptor, min(limit, 1 << 20))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def _said(descriptor: int, first: int, last: int) -> str | None:
    """Every string in these lines of a JSONL file; None where they begin too far down."""
    data = _head(descriptor, MAX_LINE_BYTES)
    lines = data.split(b"\n", last)
    if len(lines) < last and len(data) == MAX_LINE_BYTES:
        return None
    texts: list[str] = []
    for line in lines[first - 1 : last]:
        try:
            texts += _strings(orjson.loads(line))
        except orjson.JSONDecodeError:
            continue
    return "\n".join(texts)


def _strings(value: object) -> Iterator[str]:
    open_values = [value]
    while open_values:
        value = open_values.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            open_values += reversed(value.values())
        elif isinstance(value, list):
            open_values += reversed(value)
