"""Where a new entry goes in a JSON5 text, in its container's style, and what leaves with one. Pure.

A splice is a place of the text and what comes there instead.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recalld.install.scan import Node

Splice = tuple[int, int, str]
NewEntry = tuple[str | None, object]

_TRAILING_COMMENTS = re.compile(r"(?:[ \t]*(?://[^\n\r]*|/\*.*?\*/))*", re.DOTALL)
_INDENT = re.compile(r"[ \t]*")
_SPACED, _DENSE = (", ", ": "), (",", ":")


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    feed: str
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A container that grows: ``roomy`` where an empty one may take several lines."""

    node: Node
    roomy: bool


def spliced(text: str, splices: Sequence[Splice]) -> str:
    """``text`` with all of them made; places that are cut more than once are cut once."""
    floor = len(text)
    for start, end, new in sorted(splices, reverse=True):
        text = text[:start] + new + text[min(end, floor) :]
        floor = start
    return text


def written_after(text: str, value: object) -> str:
    """A document after the blanks and comments that are all the file has."""
    style = Style(feed="\r\n" if "\r\n" in text else "\n", unit="  ")
    bare = text.removeprefix("\ufeff")
    gap = style.feed if bare and not bare.endswith(("\n", "\r")) else ""
    return text + gap + _rendered(value, style, "") + style.feed


def _rendered(value: object, style: Style, indent: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=style.unit).split("\n")
    return (style.feed + indent).join(lines)


def style_of(text: str, root: Node) -> Style:
    feed = "\r\n" if "\r\n" in text else "\n"
    unit = next(_units(text, root), "  ")
    return Style(feed=feed, unit=unit)


def _units(text: str, node: Node) -> Iterator[str]:
    """By how much each level that has lines of its own is set in."""
    base = _indent(text, node.start)
    for entry in node.entries:
        if own_line(text, entry.start):
            inner = _indent(text, entry.start)
            if inner.startswith(base) and inner != base:
                yield inner[len(base) :]
        yield from _units(text, entry.node)


def _line_start(text: str, position: int) -> int:
    return text.rfind("\n", 0, position) + 1


def _indent(text: str, position: int) -> str:
    match = _INDENT.match(text, _line_start(text, position))
    return match[0] if match else ""


def own_line(text: str, position: int) -> bool:
    start = _line_start(text, position)
    return start > 0 and not text[start:position].strip()


def inserted(text: str, place: Place, entries: list[NewEntry], style: Style) -> list[Splice]:
    node = place.node
    if not node.entries:
        return [_into_empty(text, place, entries, style)]
    last = node.entries[-1]
    after = last.node.end if last.comma is None else last.comma + 1
    comma = "" if last.comma is None else ","
    if not own_line(text, last.start):
        told = _told_inline(text, node)
        gap = " " if told == _SPACED else ""
        new = "".join(f",{gap}{_entry_inline(entry, told)}" for entry in entries)
        return [(after, after, new if last.comma is None else new[1:] + comma)]
    indent = _indent(text, last.start)
    lines = [style.feed + indent + _entry(entry, style, indent) for entry in entries]
    found = _TRAILING_COMMENTS.match(text, after)
    end = found.end() if found else after
    new = ",".join(lines) + comma
    if last.comma is not None:
        return [(end, end, new)]
    if end == after:
        return [(after, after, "," + new)]
    return [(after, after, ","), (end, end, new)]


def _into_empty(text: str, place: Place, entries: list[NewEntry], style: Style) -> Splice:
    node = place.node
    inner = text[node.start + 1 : node.end - 1]
    kept = inner.rstrip()
    if not place.roomy and "\n" not in inner:
        new = ", ".join(_entry_inline(entry, _SPACED) for entry in entries)
        return (node.start + 1, node.end - 1, f"{kept} {new}" if kept else new)
    base = _indent(text, node.start)
    indent = base + style.unit
    lines = [style.feed + indent + _entry(entry, style, indent) for entry in entries]
    return (node.start + 1, node.end - 1, kept + ",".join(lines) + style.feed + base)


def _entry(entry: NewEntry, style: Style, indent: str) -> str:
    key, value = entry
    rendered = _rendered(value, style, indent)
    return rendered if key is None else f"{json.dumps(key, ensure_ascii=False)}: {rendered}"


def _told_inline(text: str, node: Node) -> tuple[str, str]:
    """The separators of a container that lies on one line."""
    if node.mark == "{":
        first = node.entries[0]
        return _DENSE if text[first.node.start - 1] == ":" else _SPACED
    pairs = zip(node.entries, node.entries[1:], strict=False)
    dense = any(left.comma is not None and left.comma + 1 == right.start for left, right in pairs)
    return _DENSE if dense else _SPACED


def _entry_inline(entry: NewEntry, separators: tuple[str, str]) -> str:
    key, value = entry
    rendered = json.dumps(value, ensure_ascii=False, separators=separators)
    if key is None:
        return rendered
    return json.dumps(key, ensure_ascii=False) + separators[1] + rendered


def cut(text: str, node: Node, names: set[str | int]) -> list[Splice]:
    """The splices that take some entries out of a container."""
    entries = node.entries
    gone = [
        n for n, entry in enumerate(entries) if (n if entry.key is None else entry.key) in names
    ]
    ends = [entry.node.end if entry.comma is None else entry.comma + 1 for entry in entries]
    stay = [n for n in range(len(entries)) if n not in gone]
    if not stay and _blank_around(text, node, ends):
        return [(node.start + 1, node.end - 1, "")]
    splices: list[Splice] = []
    if stay and entries[-1].comma is None and stay[-1] != len(entries) - 1:
        comma = entries[stay[-1]].comma
        if comma is not None:
            splices.append((comma, comma + 1, ""))
    for number in gone:
        start, end = entries[number].start, ends[number]
        leads = not any(left < number for left in stay)
        floor = node.start + 1 if leads else ends[number - 1]
        splices.append((*_widened(text, floor, start, end), ""))
    return splices


def _blank_around(text: str, node: Node, ends: list[int]) -> bool:
    """Whether a container holds nothing beside its entries: no comment."""
    starts = [*(entry.start for entry in node.entries), node.end - 1]
    return all(
        not text[end:start].strip()
        for end, start in zip([node.start + 1, *ends], starts, strict=True)
    )


def _widened(text: str, floor: int, start: int, end: int) -> tuple[int, int]:
    """An entry's place and the blanks that go with it; ``floor``: where the one before ends."""
    line, feed = _line_start(text, start), text.find("\n", end)
    if own_line(text, start):
        if line >= floor and feed >= 0 and not text[end:feed].strip():
            return line, feed + 1
        return start, end
    between = text[floor:start]
    if text[floor - 1] == "," and not between.strip() and "\n" not in between:
        return floor, end
    blanks = _INDENT.match(text, end)
    return start, blanks.end() if blanks else end
