"""A group of rows as a folder of Markdown files, and the way back from lines to rows."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recalld.evaluate.sets import Row

# What Markdown would read as more than text: a heading, an underline, a fence, a block of HTML
# that only ends at its end tag.
_BLOCK = re.compile(
    r"^(?=\s{0,3}(?:#{1,6}(?:\s|$)|=+\s*$|-+\s*$|`{3}|~{3}|<(?:!|\?|(?:pre|script|style|textarea)\b)))",
    re.IGNORECASE | re.MULTILINE,
)
_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Layout:
    """Which row stands where: by path, the first line of each row, counted from 1."""

    starts: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)

    def row_at(self, path: str, line: int) -> str | None:
        """The row whose section holds ``line``."""
        found = None
        for start, row in self.starts.get(path, ()):
            if start > line:
                break
            found = row
        return found


def write_group(root: Path, rows: Sequence[Row]) -> Layout:
    """One file a session; a page keeps its own path and its own headings."""
    layout = Layout()
    sessions: dict[str, list[Row]] = {}
    for row in rows:
        sessions.setdefault(row.session, []).append(row)
    for session, members in sessions.items():
        page = session.endswith(".md")
        path = session if page else f"memory/{_UNSAFE.sub('_', session)}.md"
        sections = (_page_section(row, members) if page else _turn(row) for row in members)
        _write(root / path, path, zip(members, sections, strict=True), layout)
        layout.sessions[path] = session
    return layout


def _write(file: Path, path: str, sections: Iterable[tuple[Row, str]], layout: Layout) -> None:
    lines: list[str] = []
    for row, section in sections:
        layout.starts.setdefault(path, []).append((len(lines) + 1, row.id))
        lines += [*section.split("\n"), ""]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines), encoding="utf-8")


def _turn(row: Row) -> str:
    """``## NAME, DATE``; without a name the date, without both a heading that says nothing."""
    heading = ", ".join(part for part in (row.speaker, row.date) if part)
    body = _BLOCK.sub(r"\\", row.text)
    return f"## {heading or '·'}\n\n{body}"


def _page_section(row: Row, members: Sequence[Row]) -> str:
    """The title of a page's first row is the page's, the others are sections of it."""
    title, _, body = row.text.partition("\n")
    level = "#" if row is members[0] else "##"
    return f"{level} {title.lstrip('# ')}\n\n{body}"
