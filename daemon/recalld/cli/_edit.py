"""Edit the list of workspaces in the user's file; every other byte stays as it is.

Nothing is written that does not read back as exactly the list that was meant.
"""

import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array

from recalld.config import Config, located, read_file
from recalld.config_decode import convert, parse
from recalld.errors import BadConfig, Refused
from recalld.there import is_missing

KEY = "workspaces"

# tomlkit joins a new item to the last comment of an array, so arrays are edited by these.
_TOKEN = re.compile(
    r'(?P<text>"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')'
    r"|(?P<comment>#[^\n]*)|(?P<blank>\s+)|(?P<mark>[\[\]{},])|(?P<bare>[^\s\[\]{},#\"']+)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """Where an item of an array lies in the array's text, and its comma (None: it has none)."""

    start: int
    end: int
    comma: int | None = None


def listed(text: str) -> list[str]:
    """The paths in the list, as the file spells them."""
    return [_path_of(entry) for entry in _entries(_parsed(text))]


def opened(path: Path) -> str:
    """The file's text; empty where there is none. Raises ``BadConfig``."""
    if is_missing(path):
        return ""
    data = read_file(path)
    _check(data, path)
    return data.decode("utf-8")


def _check(data: bytes, path: Path) -> None:
    try:
        convert(parse(data, name=str(path)), Config)
    except BadConfig as error:
        raise located(error, path, from_variables=()) from error


def added(text: str, folder: str) -> str | None:
    """The text with ``folder`` at the end of the list; None when it is there already.

    Raises ``Refused`` where that would change anything else.
    """
    before = _parsed(text)
    entries = _entries(before)
    if _position(entries, folder) is not None:
        return None
    table = isinstance(_tree(text).get(KEY), AoT)
    wanted = {**before, KEY: [*entries, {"path": folder} if table else folder]}
    return _first_exact((partial(_with, text, folder), partial(_on_top, text, folder)), wanted)


def removed(text: str, folder: str) -> str | None:
    """The text without ``folder``; None when it is not in the list. As ``added``."""
    before = _parsed(text)
    entries = _entries(before)
    position = _position(entries, folder)
    if position is None:
        return None
    left = entries[:position] + entries[position + 1 :]
    return _first_exact((partial(_without, text, position),), {**before, KEY: left})


def _first_exact(edits: tuple[Callable[[], str], ...], wanted: Mapping[str, object]) -> str:
    """An empty list may also be gone with its last item, as ``[[workspaces]]`` goes."""
    accepted = [wanted]
    if not wanted[KEY]:
        accepted.append({name: value for name, value in wanted.items() if name != KEY})
    for edit in edits:
        try:
            text = edit()
            if _parsed(text) in accepted:
                return text
        except (BadConfig, TOMLKitError):
            continue
    raise Refused(f"the list {KEY!r} cannot be edited without changing more; edit it by hand")


def _with(text: str, folder: str) -> str:
    document = _tree(text)
    entries = document.get(KEY)
    if isinstance(entries, AoT):
        entries.append(tomlkit.item({"path": folder}))
    elif isinstance(entries, Array):
        _replace(document, _appended(entries.as_string(), tomlkit.item(folder).as_string()))
    else:
        document.add(KEY, tomlkit.item([folder]))
    return _mark(text) + tomlkit.dumps(document)


def _on_top(text: str, folder: str) -> str:
    line = f"{KEY} = [{tomlkit.item(folder).as_string()}]\n"
    return _mark(text) + line + text.removeprefix("\ufeff")


def _without(text: str, position: int) -> str:
    document = _tree(text)
    entries = document[KEY]
    if isinstance(entries, Array):
        _replace(document, _dropped(entries.as_string(), position))
    else:
        del entries[position]
    return _mark(text) + tomlkit.dumps(document)


def _replace(document: tomlkit.TOMLDocument, array: str) -> None:
    document[KEY] = tomlkit.parse(f"{KEY} = {array}")[KEY]


def _items(array: str) -> list[_Item]:
    """The items of ``array``, the text of a valid one from its bracket to its bracket."""
    items: list[_Item] = []
    depth, start, end = 0, -1, -1
    for token in _TOKEN.finditer(array):
        kind, word = token.lastgroup, token.group()
        if kind in {"comment", "blank"}:
            continue
        depth -= word in {"]", "}"} if kind == "mark" else 0
        if depth > 1 or (depth == 1 and word not in {",", "]"}):
            start, end = (token.start() if start < 0 else start), token.end()
        elif start >= 0:
            items.append(_Item(start=start, end=end, comma=token.start() if word == "," else None))
            start = -1
        depth += word in {"[", "{"} if kind == "mark" else 0
    return items


def _appended(array: str, value: str) -> str:
    """``value`` last: on a line of its own where the array has lines, behind a comma it needs."""
    items = _items(array)
    if not items:
        return f"{array[:-1]}{value}]" if "\n" not in array else f"[{value},{array[1:]}"
    last = items[-1]
    head, tail = array[: last.end], array[last.end :]
    if last.comma is None:
        head += ","
    else:
        head, tail = array[: last.comma + 1], array[last.comma + 1 :]
    if "\n" not in array:
        return f"{head} {value}{',' if last.comma is not None else ''}{tail}"
    line_end = tail.find("\n")
    if line_end < 0:  # the bracket closes behind the last item
        return f"{head} {value}{tail}"
    rest, after = tail[:line_end].rstrip("\r"), tail[line_end:]
    feed = "\r\n" if tail[:line_end].endswith("\r") else "\n"
    opening = array.rfind("\n", 0, last.start) + 1
    margin = array[opening : last.start] if opening else "    "
    indent = margin if not margin.strip() else margin[: len(margin) - len(margin.lstrip())]
    return f"{head}{rest}{feed}{indent}{value},{feed}{after[1:]}"


def _dropped(array: str, position: int) -> str:
    """Without the item and its comma; the line goes with it, its comment too, if it is empty."""
    items = _items(array)
    item = items[position]
    start, end = item.start, item.end if item.comma is None else item.comma + 1
    line_start, line_end = array.rfind("\n", 0, start) + 1, array.find("\n", end)
    rest = array[end:line_end].strip()
    alone = line_start > 0 and line_end >= 0 and not array[line_start:start].strip()
    if alone and (not rest or rest.startswith("#")):
        return array[:line_start] + array[line_end + 1 :]
    if position == 0:
        end += len(array[end:]) - len(array[end:].lstrip(" "))
    else:
        start = items[position - 1].end if item.comma is None else start
        start -= len(array[:start]) - len(array[:start].rstrip(" "))
    return array[:start] + array[end:]


def _parsed(text: str) -> dict[str, object]:
    return parse(text.encode(), name="the edited file")


def _tree(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text.removeprefix("\ufeff"))
    except TOMLKitError as error:
        raise Refused(f"the file cannot be edited, only read: {error}") from error


def _mark(text: str) -> str:
    return "\ufeff" if text.startswith("\ufeff") else ""


def _entries(document: Mapping[str, object]) -> list[object]:
    entries = document.get(KEY, [])
    return entries if isinstance(entries, list) else []


def _path_of(entry: object) -> str:
    return str(entry["path"]) if isinstance(entry, Mapping) else str(entry)


def _position(entries: list[object], folder: str) -> int | None:
    wanted = _same(folder)
    for number, entry in enumerate(entries):
        if _same(_path_of(entry)) == wanted:
            return number
    return None


def _same(path: str) -> str:
    return os.path.normpath(os.path.expanduser(path))  # noqa: PTH111


def save(path: Path, text: str) -> None:
    """Replace the file whole, where it really lies, if the result is a valid configuration."""
    _check(text.encode(), path)
    real = Path(os.path.realpath(path))
    try:
        real.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        mode = real.stat().st_mode & 0o777 if not is_missing(real) else 0o600
        descriptor, temporary = tempfile.mkstemp(dir=real.parent, prefix=".config-")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
                stream.flush()
                os.fchmod(descriptor, mode)
                os.fsync(descriptor)
            Path(temporary).replace(real)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise BadConfig(str(real), (error.strerror or str(error)).lower()) from error
