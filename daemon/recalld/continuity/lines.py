"""The lines of a checkpoint file: which are content, and which are comments, fences, rules and
headings. A backslash in front says that content only looks like one of these. Pure.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recalld.continuity.words_zh import SECTION_NAMES

KNOWN_SECTIONS = (
    "Objective",
    "Current Step",
    "Key Decisions",
    "Next Action",
    "Blockers",
    "Unsurfaced Results",
)
TITLE = "Current State"

# A longer block of code is nobody's checkpoint; without a bound every open fence would scan far.
MAX_BLOCK_LINES = 200
MAX_LEVEL = 6
MAX_INDENT = 3

_FENCE = re.compile(r"[ \t]*+(?P<marks>`{3,}+|~{3,}+)(?P<info>[^`]*)")
_RULE = re.compile(r"[ \t]*+([-*_])(?:[ \t]*+\1){2,}+[ \t]*+")
_BEGUN = re.compile(r"(?P<blank>[ \t]*+)(?P<slashes>\\*+)(?P<rest>.*)", re.DOTALL)
_AROUND_NAME = " \t*_`:：#"
_NAME_AND_TEXT = re.compile(r"(?P<name>[^:：]{1,40})[:：](?P<text>.+)")
_COMMENT = re.compile(r"(?<!\\)<!--")
_COMMENT_MARK = re.compile(r"<!--|-->")

_KNOWN = {name.casefold(): name for name in (*KNOWN_SECTIONS, TITLE)} | SECTION_NAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """``known`` is one of the six names or the title; None: some other section.

    ``text`` is what stands behind the name and a colon on the same line.
    """

    known: str | None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One physical line. ``text`` is its content, None where it holds none at all.

    ``heading`` is set where it starts a section; ``comment`` where a comment was taken out.
    """

    raw: str
    text: str | None
    heading: Heading | None = None
    comment: bool = False


def heading_of(text: str) -> Heading | None:
    """The heading this line is, if it starts a section.

    Known names are taken at every level, in any case, with blanks, emphasis or a colon around
    them, in English and Chinese, and a section's with its text behind a colon; other headings
    start a section at the first two levels.
    """
    marked = text.lstrip(" ")
    rest = marked.lstrip("#")
    level = len(marked) - len(rest)
    if not 1 <= level <= MAX_LEVEL or len(text) - len(marked) > MAX_INDENT:
        return None
    name = rest.strip(_AROUND_NAME)
    known = _known(name)
    if known is None and (parts := _NAME_AND_TEXT.fullmatch(name)) is not None:
        inline = _known(parts["name"].strip(_AROUND_NAME))
        if inline not in {None, TITLE}:
            return Heading(known=inline, text=parts["text"].strip(" \t*_"))
    if known is None and (not name or level > 2 or rest[0] not in " \t"):
        return None
    return Heading(known=known)


def _known(name: str) -> str | None:
    return _KNOWN.get(" ".join(name.split()).casefold())


def read_lines(lines: Sequence[str]) -> Iterator[Line]:
    """The lines as they are read, one for one.

    A comment runs to its end, over lines too; one that is not closed before the next opens, or
    at all, runs to the end of its line. A fence that is closed before a known section starts is
    content as it stands, with everything in it; any other fence only wraps the file.
    """
    fences = _Fences.of(lines)
    at, column = 0, 0
    while at < len(lines):
        end = fences.block_end(lines, at) if column == 0 else None
        if end is not None:
            yield from (Line(raw=raw, text=raw) for raw in lines[at : end + 1])
            at = end + 1
            continue
        text, next_at, next_column = _uncommented(lines, at, column)
        yield _read(lines[at], text)
        yield from (Line(raw=raw, text=None, comment=True) for raw in lines[at + 1 : next_at])
        at, column = next_at, next_column


def escape(lines: Sequence[str]) -> list[str]:
    """Lines of content as they stand in a file: ``read_lines`` gives their texts back."""
    fences = _Fences.of(lines)
    written: list[str] = []
    while len(written) < len(lines):
        at = len(written)
        end = fences.block_end(lines, at)
        if end is not None:
            written += lines[at : end + 1]
        else:
            written.append(_escaped(lines[at]))
    return written


@dataclass(frozen=True, slots=True)
class _Fences:
    """Where a fence may close, and where a known section starts; both in order."""

    closing: list[int]
    sections: list[int]

    @classmethod
    def of(cls, lines: Sequence[str]) -> "_Fences":
        closing, sections = [], []
        for at, line in enumerate(lines):
            fence = _FENCE.fullmatch(line)
            if fence is not None and not fence["info"].strip():
                closing.append(at)
            heading = heading_of(line) if "#" in line else None
            if heading is not None and heading.known is not None:
                sections.append(at)
        return cls(closing, sections)

    def block_end(self, lines: Sequence[str], at: int) -> int | None:
        """The line that closes the fence opened at ``at``; None: none opens, or none closes."""
        opened = _FENCE.fullmatch(lines[at])
        if opened is None:
            return None
        end = at + MAX_BLOCK_LINES
        section = bisect_right(self.sections, at)
        if section < len(self.sections):
            end = min(end, self.sections[section])
        low, high = bisect_right(self.closing, at), bisect_left(self.closing, end)
        return next(
            (n for n in self.closing[low:high] if lines[n].strip().startswith(opened["marks"])),
            None,
        )


def _uncommented(lines: Sequence[str], at: int, column: int) -> tuple[str, int, int]:
    """A line from ``column`` on without its comments, and where to go on reading."""
    raw = lines[at]
    kept = ""
    while (opened := _COMMENT.search(raw, column)) is not None:
        kept += raw[column : opened.start()]
        end, column = _comment_end(lines, at, opened.end())
        if end != at:
            return kept, end, column
    return kept + raw[column:], at + 1, 0


def _comment_end(lines: Sequence[str], at: int, column: int) -> tuple[int, int]:
    """Line and column behind the comment whose words start at ``column``."""
    for end in range(at, len(lines)):
        mark = _COMMENT_MARK.search(lines[end], column if end == at else 0)
        if mark is None:
            continue
        if mark[0] == "-->":
            return end, mark.end()
        return at, mark.start() if end == at else len(lines[at])
    return at, len(lines[at])


def _read(raw: str, text: str) -> Line:
    comment = text != raw
    if comment and not text.strip():
        return Line(raw=raw, text=None, comment=True)
    heading = heading_of(text)
    if heading is not None:
        return Line(raw=raw, text=None, heading=heading, comment=comment)
    if _FENCE.fullmatch(text) or _RULE.fullmatch(text):
        return Line(raw=raw, text=None, comment=comment)
    return Line(raw=raw, text=_unescaped(text), comment=comment)


def _escaped(text: str) -> str:
    plain = text.replace("<!--", "\\<!--")
    blank, slashes, rest = _begun(plain)
    return f"{blank}\\{slashes}{rest}" if _is_structure(blank + rest) else plain


def _unescaped(text: str) -> str:
    blank, slashes, rest = _begun(text)
    if slashes and _is_structure(blank + rest):
        text = blank + slashes[1:] + rest
    return text.replace("\\<!--", "<!--")


def _begun(text: str) -> tuple[str, str, str]:
    found = _BEGUN.fullmatch(text)
    return ("", "", text) if found is None else (found["blank"], found["slashes"], found["rest"])


def _is_structure(text: str) -> bool:
    return any((heading_of(text), _FENCE.fullmatch(text), _RULE.fullmatch(text)))
