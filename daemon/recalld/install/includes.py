"""What OpenClaw's settings mean with the files they include. Pure but for the given ``read``.

``{"$include": "file"}`` or a list of files stands for their content; keys beside it win, lists
are joined. Names are relative to the file that has them.
"""

import posixpath
from collections.abc import Callable

from recalld.errors import Refused
from recalld.install.scan import Malformed, Value, scan, value_of

INCLUDE = "$include"
MAX_DEPTH = 10


def resolved(value: Value, folder: str, read: Callable[[str], str | None], depth: int = 0) -> Value:
    """``value`` as OpenClaw sees it. ``Refused`` where an included file cannot be used."""
    if isinstance(value, list):
        return [resolved(item, folder, read, depth) for item in value]
    if not isinstance(value, dict):
        return value
    own: Value = {
        name: resolved(inner, folder, read, depth)
        for name, inner in value.items()
        if name != INCLUDE
    }
    if INCLUDE not in value:
        return own
    names = value[INCLUDE]
    merged: Value = {}
    for name in names if isinstance(names, list) else [names]:
        merged = _merged(merged, _included(name, folder, read, depth))
    return _merged(merged, own) if own else merged


def _included(name: Value, folder: str, read: Callable[[str], str | None], depth: int) -> Value:
    if not isinstance(name, str):
        raise Refused(f"{INCLUDE} names something that is no file")
    if depth >= MAX_DEPTH:
        raise Refused(f"{INCLUDE} {name}: files include each other more than {MAX_DEPTH} deep")
    path = posixpath.normpath(posixpath.join(folder, name))
    text = read(path)
    if text is None:
        raise Refused(f"{INCLUDE} {name}: {path} cannot be read")
    try:
        root = scan(text)
    except Malformed as error:
        raise Refused(f"{INCLUDE} {name}: {path}: {error}") from error
    value = None if root is None else value_of(root)
    return resolved(value, posixpath.dirname(path), read, depth + 1)


def _merged(left: Value, right: Value) -> Value:
    if isinstance(left, list) and isinstance(right, list):
        return [*left, *right]
    if isinstance(left, dict) and isinstance(right, dict):
        both = dict(left)
        for name, inner in right.items():
            both[name] = _merged(both[name], inner) if name in both else inner
        return both
    return right
