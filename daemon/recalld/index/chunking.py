"""A Markdown text to chunks with exact line ranges. Pure, linear in the text.

Every heading opens a chunk, sections are never merged, long ones are split. Joined in order,
the ranges hold every line that is not blank exactly once, but for a line that is too long for
one chunk: its pieces all carry its number.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recalld.index.headings import date_of_name, date_of_text, read_heading
from recalld.index.markdown import Heading, Outline, outline
from recalld.index.model import Chunk, Document

_SENTENCE_END = re.compile(r"[.!?;][\"')\]]*\s|[。！？；…][”’」』）]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    max_chunk_chars: int
    max_line_chars: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """Lines from 0, ``end`` exclusive. ``body`` is where the text begins."""

    headed: bool
    start: int
    body: int
    end: int
    heading: str
    speaker: str | None
    date: str | None
    bare: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    start: int
    end: int
    text: str


def chunk_file(path: str, text: str, *, limits: Limits) -> Document:
    """The chunks of ``text``; none for a blank one.

    The file's date is that of its name, else of its front matter, else of its first heading.
    """
    lines = text.split("\n")
    warnings = _cap(lines, limits.max_line_chars)
    plan = outline(lines)
    if plan.scanned:
        warnings.append("headings found line by line")
    date = date_of_name(path) or date_of_text(plan.front.date) or _date_of(plan.headings)
    chunks: list[Chunk] = []
    for section in _sections(plan, len(lines), date):
        chunks += _chunks_of(section, lines, plan.breaks, limits.max_chunk_chars)
    return Document(title=_title(plan), date=date, chunks=tuple(chunks), warnings=tuple(warnings))


def split_text(text: str, limit: int) -> tuple[str, ...]:
    """``text`` in pieces of at most ``limit`` characters, without blank lines around them."""
    lines = text.split("\n")
    return tuple(piece.text for piece in _split(lines, 0, len(lines), frozenset(), limit))


def _cap(lines: list[str], limit: int) -> list[str]:
    long = [at for at, line in enumerate(lines) if len(line) > limit]
    for at in long:
        lines[at] = lines[at][:limit]
    return [f"long lines cut ({len(long)})"] if long else []


def _title(plan: Outline) -> str:
    for heading in plan.headings:
        sense = read_heading(heading.text, level=heading.level)
        if sense.speaker is None and sense.rest:
            return sense.rest if sense.leading else heading.text
    return plan.front.title


def _date_of(headings: Sequence[Heading]) -> str | None:
    for heading in headings:
        sense = read_heading(heading.text, level=heading.level)
        if heading.level == 1 and sense.leading:
            return sense.date
    return None


def _sections(plan: Outline, line_count: int, file_date: str | None) -> Iterator[_Section]:
    """Speaker and date hold for deeper headings too, until one of the same level or above."""
    starts = [heading.line for heading in plan.headings]
    first = starts[0] if starts else line_count
    front = min(plan.front.end, first)
    for start, end in ((0, front), (front, first)):
        if end > start:
            yield _Section(
                headed=False,
                start=start,
                body=start,
                end=end,
                heading="",
                speaker=None,
                date=file_date,
                bare=False,
            )
    open_sections: list[tuple[int, str | None, str | None]] = [(0, None, file_date)]
    for heading, end in zip(plan.headings, [*starts, line_count][1:], strict=True):
        sense = read_heading(heading.text, level=heading.level)
        level = heading.level + 6 if heading.nested else heading.level
        while open_sections[-1][0] >= level:
            open_sections.pop()
        _, speaker, date = open_sections[-1]
        speaker, date = sense.speaker or speaker, sense.date or date
        open_sections.append((level, speaker, date))
        yield _Section(
            headed=True,
            start=heading.line,
            body=heading.end if sense.speaker else heading.line,
            end=end,
            heading=heading.text,
            speaker=speaker,
            date=date,
            bare=sense.speaker is not None or (sense.date is not None and not sense.rest),
        )


def _chunks_of(
    section: _Section, lines: Sequence[str], breaks: frozenset[int], limit: int
) -> Iterator[Chunk]:
    end = section.end
    while end > section.start and not lines[end - 1].strip():
        end -= 1
    start, body = section.start, section.body
    while not section.headed and start < end and not lines[start].strip():
        start += 1
    body = max(start, body)
    while body < end and not lines[body].strip():
        body += 1
    if start == end:
        return
    spoken = section.start < section.body
    heading_only = body >= end
    bare = section.bare and (heading_only or (not spoken and _one_heading(lines, start, end)))
    for at, piece in enumerate(_split(lines, start if heading_only else body, end, breaks, limit)):
        yield Chunk(
            heading=section.heading,
            text=piece.text,
            start_line=(start if at == 0 else piece.start) + 1,
            end_line=piece.end,
            speaker=section.speaker,
            date=section.date,
            continues=at > 0,
            bare=bare,
        )


def _one_heading(lines: Sequence[str], start: int, end: int) -> bool:
    """Whether nothing but the heading stands there: one line, or a line and its underline."""
    return end - start == 1 or (end - start == 2 and not lines[start + 1].strip(" \t=-"))


def _split(
    lines: Sequence[str], start: int, end: int, breaks: frozenset[int], limit: int
) -> Iterator[_Piece]:
    """Pieces of at most ``limit`` characters, cut where a block begins if that is not too early."""
    at, size, best = start, 0, -1
    while at < end:
        length = len(lines[at]) + 1
        if length > limit + 1:
            yield from _joined(lines, start, at)
            for part in _split_line(lines[at], limit):
                yield _Piece(start=at, end=at + 1, text=part)
            at, size, best = at + 1, 0, -1
            start = at
            continue
        if at > start and at in breaks and size >= limit // 3:
            best = at
        if size and size + length > limit + 1:
            cut = best if best > start else at
            yield from _joined(lines, start, cut)
            # At least a third of the limit is behind the cut, so no line is summed often.
            size = sum(len(lines[i]) + 1 for i in range(cut, at))
            start, best = cut, -1
            continue
        size += length
        at += 1
    yield from _joined(lines, start, end)


def _joined(lines: Sequence[str], start: int, end: int) -> Iterator[_Piece]:
    while end > start and not lines[end - 1].strip():
        end -= 1
    while start < end and not lines[start].strip():
        start += 1
    if start < end:
        yield _Piece(start=start, end=end, text="\n".join(lines[start:end]))


def _split_line(line: str, limit: int) -> Iterator[str]:
    at = 0
    while at < len(line):
        end = min(at + limit, len(line))
        if end < len(line):
            end = _cut(line, at, end)
        part = line[at:end]
        if part.strip():
            yield part
        at = end


def _cut(line: str, start: int, end: int) -> int:
    middle = start + (end - start) // 2
    last = None
    for last in _SENTENCE_END.finditer(line, middle, end):  # noqa: B007  the last one counts
        pass
    if last is not None:
        return last.end()
    blank = line.rfind(" ", middle, end)
    return blank + 1 if blank > 0 else end
