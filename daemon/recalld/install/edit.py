"""Changing a few values in a JSON5 text and not one other character. Pure.

New members and items come last in their container, in its style: on a line of their own where
the others are, with a comma at the end where the last one had one. Every result is read again
and must hold exactly what was meant.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from recalld.errors import Refused
from recalld.install.layout import (
    Place,
    Splice,
    cut,
    inserted,
    own_line,
    spliced,
    style_of,
    written_after,
)
from recalld.install.scan import Node, Value, scan, value_of

Path = tuple[str | int, ...]

_OBJECT, _LIST = "an object", "a list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """``value`` at ``path``, whatever is there; objects on the way are made."""

    path: Path
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """``value`` as the last item of the list at ``path``, which is made where it is missing."""

    path: Path
    value: object


Edit = Put | Append


def edited(text: str, edits: Sequence[Edit]) -> str:
    """``text`` with ``edits`` made; itself where all is so already.

    Raises ``Malformed``, and ``Refused``, naming the key, where something on the way is neither
    missing nor what the path needs.
    """
    root = scan(text)
    if root is None:
        return _first(text, edits) if edits else text
    if root.mark != "{":
        raise Refused(f"the file holds {root.kind}, expected an object")
    style = style_of(text, root)
    splices: list[Splice] = []
    grown: dict[Path, tuple[Place, dict[str, object] | list[object]]] = {}
    for edit in edits:
        _note(edit, Place(node=root, roomy=True), text, splices, grown)
    for place, added in grown.values():
        entries = added.items() if isinstance(added, dict) else [(None, item) for item in added]
        splices += inserted(text, place, list(entries), style)
    return _checked(spliced(text, splices), _applied(value_of(root), edits))


def _first(text: str, edits: Sequence[Edit]) -> str:
    """The first values of a file that holds none."""
    added: dict[str, object] = {}
    for edit in edits:
        _grow(added, edit.path, edit)
    return _checked(written_after(text, added), _applied({}, edits))


def without(text: str, paths: Sequence[Path]) -> str:
    """``text`` without the members and items at ``paths``, all of which are there.

    A line that held nothing else goes whole; a comment beside it stays.
    """
    root = scan(text) if paths else None
    if root is None:
        return text
    splices: list[Splice] = []
    dropped: dict[Path, set[str | int]] = {}
    for path in paths:
        if not any(path[:length] in paths for length in range(1, len(path))):
            dropped.setdefault(path[:-1], set()).add(path[-1])
    for path, names in dropped.items():
        node = root
        for name in path:
            node = _child(node, name)
        splices += cut(text, node, names)
    return _checked(spliced(text, splices), _dropped(value_of(root), (), set(paths)))


def at(value: Value, path: Path) -> Value:
    """What lies at ``path``; None where nothing does, and for ``null``."""
    for name in path:
        if isinstance(value, dict):
            value = value.get(str(name))
        elif isinstance(value, list) and isinstance(name, int) and name < len(value):
            value = value[name]
        else:
            return None
    return value


def has(value: Value, path: Path) -> bool:
    """Whether there is anything at ``path``, ``null`` too."""
    holder = at(value, path[:-1]) if path else value
    if isinstance(holder, dict):
        return path[-1] in holder
    return isinstance(holder, list) and isinstance(path[-1], int) and path[-1] < len(holder)


def dotted(path: Path) -> str:
    """A path as a person writes it: ``hooks.Stop[0]``."""
    return "".join(f"[{name}]" if isinstance(name, int) else f".{name}" for name in path)[1:]


def _child(node: Node, name: str | int) -> Node:
    entry = node.child(name)
    if entry is None:
        raise KeyError(name)
    return entry.node


def _note(
    edit: Edit,
    place: Place,
    text: str,
    splices: list[Splice],
    grown: dict[Path, tuple[Place, dict[str, object] | list[object]]],
) -> None:
    """Sort one edit into a value replaced on the spot or a container that grows."""
    for depth, name in enumerate(edit.path):
        _require(place.node, edit.path[:depth], "{" if isinstance(name, str) else "[")
        entry = place.node.child(name)
        if entry is None:
            _, added = grown.setdefault(edit.path[:depth], (place, {}))
            _grow(added, edit.path[depth:], edit)
            return
        place = Place(node=entry.node, roomy=own_line(text, entry.start))
    if isinstance(edit, Append):
        _require(place.node, edit.path, "[")
        _, items = grown.setdefault(edit.path, (place, []))
        if isinstance(items, list):
            items.append(edit.value)
    elif value_of(place.node) != _as_value(edit.value):
        node = place.node
        splices.append((node.start, node.end, json.dumps(edit.value, ensure_ascii=False)))


def _require(node: Node, path: Path, mark: str) -> None:
    if node.mark != mark:
        wanted = _OBJECT if mark == "{" else _LIST
        raise Refused(f"{dotted(path)} is {node.kind}, expected {wanted}")


def _grow(target: object, path: Path, edit: Edit) -> None:
    """Make ``edit`` in plain values, ``path`` being what is left of its path."""
    for name in path[:-1]:
        target = (
            target.setdefault(name, {}) if isinstance(target, dict) else target[name]  # type: ignore[index]
        )
    last = path[-1]
    if isinstance(edit, Append) and isinstance(target, dict):
        target.setdefault(last, []).append(edit.value)
    else:
        target[last] = edit.value  # type: ignore[index]


def _as_value(value: object) -> Value:
    node = scan(json.dumps(value))
    return None if node is None else value_of(node)


def _applied(value: Value, edits: Sequence[Edit]) -> Value:
    for edit in edits:
        plain = type(edit)(path=edit.path, value=_as_value(edit.value))
        _grow(value, edit.path, plain)
    return value


def _dropped(value: Value, path: Path, paths: set[Path]) -> Value:
    if isinstance(value, dict):
        return {
            name: _dropped(inner, (*path, name), paths)
            for name, inner in value.items()
            if (*path, name) not in paths
        }
    if isinstance(value, list):
        return [
            _dropped(inner, (*path, index), paths)
            for index, inner in enumerate(value)
            if (*path, index) not in paths
        ]
    return value


def _checked(text: str, wanted: Value) -> str:
    root = scan(text)
    if root is None or value_of(root) != wanted:
        raise Refused("the file cannot be edited without changing more; edit it by hand")
    return text
