"""Where the headings and blocks of a Markdown text are, by line. Pure.

CommonMark with tables, by markdown-it's block parser; inline markup is never parsed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

# The parser is linear but keeps some five tokens a line of a list: 100 MB at 50k lines.
# Beyond this the headings are found line by line.
MAX_PARSED_LINES = 20_000
# A block longer than this between the marks is not front matter but text between two rules.
MAX_FRONT_MATTER_LINES = 200
MAX_HEADING_CHARS = 200

_FRONT_MATTER_MARK = re.compile(r"---[ \t]*\Z")
_FRONT_MATTER_END = re.compile(r"(?:---|\.\.\.)[ \t]*\Z")
_FRONT_MATTER_KEY = re.compile(r"""["']?[^\W\d][\w .-]*["']?[ \t]*:(?:[ \t]|\Z)""")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})")
_COMMENT = re.compile(r" {0,3}<!--")
_NO_PARAGRAPH = re.compile(r"[ \t]*\Z| {4}|\t| {0,3}(?:[-*+>|#<]|\d{1,9}[.)])")

# Blocks that may be cut before, when a section is too long: not inside a fence or a table.
_BREAKABLE = frozenset(
    {
        "heading_open",
        "paragraph_open",
        "bullet_list_open",
        "ordered_list_open",
        "list_item_open",
        "blockquote_open",
        "fence",
        "code_block",
        "html_block",
        "table_open",
        "hr",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """``line`` and ``end`` count from 0, ``end`` exclusive. ``nested``: in a list or quote."""

    line: int
    end: int
    level: int
    text: str
    nested: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """``end`` is its number of lines; 0: there is none. ``date`` is as it is written."""

    end: int = 0
    title: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """``breaks`` are the lines at which a block begins.

    ``scanned``: the text was too long to parse; nested headings and blocks are not known.
    """

    headings: tuple[Heading, ...]
    breaks: frozenset[int]
    front: FrontMatter
    scanned: bool = False


def outline(lines: Sequence[str]) -> Outline:
    """Headings in order, at most one a line. Lines hold no ``\\n``."""
    front = _front_matter(lines)
    if len(lines) > MAX_PARSED_LINES:
        headings = tuple(_scan(lines, front.end))
        breaks = frozenset(
            at for at, (above, _) in enumerate(pairwise(lines), start=1) if not above.strip()
        )
        scanned = True
    else:
        tokens = _parser().parse("\n".join([*[""] * front.end, *lines[front.end :]]))
        headings = tuple(_headings(tokens))
        breaks = frozenset(t.map[0] for t in tokens if t.map and t.type in _BREAKABLE)
        scanned = False
    return Outline(
        headings=headings,
        breaks=breaks,
        front=front,
        scanned=scanned,
    )


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _headings(tokens: list[Token]) -> Iterator[Heading]:
    last = -1
    for token, inline in pairwise(tokens):
        if token.type != "heading_open" or token.map is None or token.map[0] == last:
            continue
        last = token.map[0]
        yield Heading(
            line=token.map[0],
            end=token.map[1],
            level=int(token.tag[1]),
            text=_one_line(inline.content),
            nested=token.level > 0,
        )


def _one_line(text: str) -> str:
    return " ".join(text[: 4 * MAX_HEADING_CHARS].split())[:MAX_HEADING_CHARS]


def _front_matter(lines: Sequence[str]) -> FrontMatter:
    """It is text: no YAML is read. The first ``title:`` and ``date:`` count."""
    if not lines or _FRONT_MATTER_MARK.match(lines[0]) is None:
        return FrontMatter()
    found: dict[str, str] = {}
    for at, line in enumerate(lines[1:MAX_FRONT_MATTER_LINES], start=1):
        if _FRONT_MATTER_END.match(line):
            if not found and at > 1:
                break
            title, date = found.get("title", ""), found.get("date", "")
            return FrontMatter(end=at + 1, title=title, date=date)
        if _FRONT_MATTER_KEY.match(line):
            name, _, value = line.partition(":")
            key = name.strip(" \t\"'").lower()
            if not found.get(key):
                found[key] = _one_line(value.strip(" \t\"'"))
    return FrontMatter()


def _scan(lines: Sequence[str], start: int) -> Iterator[Heading]:
    fence, comment, paragraph = "", False, -1
    for at, line in enumerate(lines):
        if at < start:
            continue
        if fence or comment:
            ends = _FENCE.match(line) if fence else None
            if fence and ends and ends[1].startswith(fence) and not line.strip(" \t`~"):
                fence = ""
            comment = comment and "-->" not in line
            continue
        opens, atx = _FENCE.match(line), _ATX.match(line)
        fence = opens[1] if opens else ""
        comment = _COMMENT.match(line) is not None and "-->" not in line
        if atx:
            yield Heading(line=at, end=at + 1, level=len(atx[1]), text=_one_line(atx[2] or ""))
        elif paragraph >= 0 and (under := _SETEXT.match(line)):
            text = _one_line(" ".join(lines[paragraph:at][:8]))
            level = 1 if under[1].startswith("=") else 2
            yield Heading(line=paragraph, end=at + 1, level=level, text=text)
        elif not _NO_PARAGRAPH.match(line) and not opens:
            paragraph = at if paragraph < 0 else paragraph
            continue
        paragraph = -1
