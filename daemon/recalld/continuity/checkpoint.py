"""``memory/CURRENT_STATE.md`` read and written: forgiving in, exact out. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from recalld.continuity.lines import KNOWN_SECTIONS, TITLE, Heading, Line, escape, read_lines
from recalld.continuity.model import Checkpoint, Parsed
from recalld.continuity.placeholders import is_placeholder, is_scaffolding

# Each section of the file, in its order, with the field that holds it.
FIELDS = dict(
    zip(
        KNOWN_SECTIONS,
        (
            "objective",
            "current_step",
            "key_decisions",
            "next_action",
            "blockers",
            "unsurfaced_results",
        ),
        strict=True,
    )
)
SECTIONS = tuple(FIELDS)
DECISIONS = "Key Decisions"
EMPTY = "None"
# Where words go that stood in front of the first section.
NOTES = "## Notes"

_UPDATED = re.compile(
    r"[\s>*_]*(?:last updated|updated at|updated|最后更新|最後更新|更新时间|更新時間)[*_]*\s*[:：]"
    r"(?P<time>.*)",
    re.IGNORECASE,
)
_BULLET = re.compile(r" ?(?:[-*+•]|\d{1,3}[.)])(?:\s+|$)")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def parse(text: str) -> Parsed:
    """The six fields of a file's text, whatever state it is in; it never fails.

    Read as said in ``lines``: comments, rules and wrapping fences are no content. A section
    runs to the next heading of whatever level starts one; a section that stands twice is joined
    in order; placeholders are empty fields. What stands outside the six sections is kept in
    ``extra``: other sections as they are, words in front of the first one under ``## Notes``.
    A time without a zone is UTC.
    """
    file = _File()
    for line in read_lines(_normal(text.removeprefix("\ufeff")).split("\n")):
        file.take(line)
    texts = {name: _text(parts) for name, parts in file.sections.items() if name != DECISIONS}
    decisions = tuple(_decisions(file.sections.get(DECISIONS, [])))
    scaffolding = tuple(name for name in SECTIONS if file.is_scaffolding(name))
    checkpoint = Checkpoint(
        objective=texts.get("Objective", ""),
        current_step=texts.get("Current Step", ""),
        key_decisions=decisions,
        next_action=texts.get("Next Action", ""),
        blockers=texts.get("Blockers", ""),
        unsurfaced_results=texts.get("Unsurfaced Results", ""),
        updated_at=file.updated_at,
        extra=file.extra,
    )
    return Parsed(
        checkpoint=checkpoint,
        missing=tuple(name for name in SECTIONS if name not in file.sections),
        placeholders=scaffolding,
        template=bool(scaffolding) and not decisions and not any(texts.values()),
    )


def render(checkpoint: Checkpoint) -> str:
    """The file's text, ending with a line feed: ``parse`` gives ``canonical(checkpoint)`` back."""
    checkpoint = canonical(checkpoint)
    lines = [f"# {TITLE}", f"> Last updated: {_written(checkpoint.updated_at)}"]
    for name, key in FIELDS.items():
        value = getattr(checkpoint, key)
        body = _bullets(value) if isinstance(value, tuple) else (value or EMPTY).split("\n")
        lines += ["", f"## {name}", *escape(body)]
    if checkpoint.extra:
        lines += ["", checkpoint.extra]
    return "\n".join([*lines, ""])


def canonical(checkpoint: Checkpoint) -> Checkpoint:
    """The same checkpoint as a file can hold it; a second time changes nothing.

    Line ends are line feeds, blanks at the ends go, placeholders and empty decisions are empty,
    the time is UTC in whole seconds, and of ``extra`` what claims to be one of the six sections
    goes. The number of decisions stays.
    """
    return replace(
        checkpoint,
        objective=_value(checkpoint.objective),
        current_step=_value(checkpoint.current_step),
        key_decisions=tuple(filter(None, map(_value, checkpoint.key_decisions))),
        next_action=_value(checkpoint.next_action),
        blockers=_value(checkpoint.blockers),
        unsurfaced_results=_value(checkpoint.unsurfaced_results),
        updated_at=None if checkpoint.updated_at is None else _in_utc(checkpoint.updated_at),
        extra=_extra(checkpoint.extra),
    )


@dataclass(slots=True)
class _File:
    """What was read so far. ``sections`` holds the bodies of the known ones, in order.

    ``in_front``: no known section was met yet, so the time may still be told.
    """

    sections: dict[str, list[list[Line]]] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    preface: list[str] = field(default_factory=list)
    updated_at: datetime | None = None
    in_front: bool = True
    _body: list[Line] | None = None
    _in_other: bool = False

    def take(self, line: Line) -> None:
        if line.heading is not None:
            self._start(line)
        elif self._body is not None:
            self._body.append(line)
        elif self.in_front and self._tells_time(line):
            return
        elif self._in_other:
            self.others.append(line.raw)
        elif line.text is not None:
            self.preface.append(line.text)

    @property
    def extra(self) -> str:
        # Escaped as it stands at last: a line may look like a heading once its blanks are gone.
        preface = "\n".join(escape("\n".join(self.preface).strip().split("\n")))
        notes = f"{NOTES}\n\n{preface}" if preface else ""
        return "\n\n".join(filter(None, (notes, "\n".join(self.others).strip())))

    def is_scaffolding(self, name: str) -> bool:
        """Whether the section was left as a template has it."""
        lines = [line for part in self.sections.get(name, []) for line in part]
        text = "\n".join(line.text for line in lines if line.text is not None)
        hidden = any(line.comment for line in lines) and not text.strip()
        return hidden or is_scaffolding(text)

    def _start(self, line: Line) -> None:
        heading = line.heading or Heading(known=None)
        self._in_other = heading.known is None
        self._body = None
        if heading.known is None:
            self.others.append(line.raw)
        elif heading.known != TITLE:
            self.in_front = False
            self._body = [Line(raw=line.raw, text=heading.text)] if heading.text else []
            self.sections.setdefault(heading.known, []).append(self._body)

    def _tells_time(self, line: Line) -> bool:
        updated = _UPDATED.fullmatch(line.text or "")
        if updated is not None and self.updated_at is None:
            self.updated_at = _time(updated["time"])
        return updated is not None


def _normal(text: str) -> str:
    # A lone surrogate cannot be written to a file.
    return _LONE_SURROGATE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def _value(text: str) -> str:
    plain = _normal(text).strip()
    return "" if is_placeholder(plain) else plain


def _extra(text: str) -> str:
    file = _File(in_front=False)
    for line in read_lines(_normal(text).strip().split("\n")):
        file.take(line)
    return file.extra


def _text(parts: Iterable[Sequence[Line]]) -> str:
    """The parts that say something, one below the other."""
    return "\n".join(filter(None, (_value("\n".join(_texts(part))) for part in parts)))


def _texts(lines: Iterable[Line]) -> Iterator[str]:
    return (line.text for line in lines if line.text is not None)


def _decisions(parts: Iterable[Sequence[Line]]) -> Iterator[str]:
    """One item a bullet with the lines that belong to it; one a line where there are none."""
    for part in parts:
        items: list[list[str]] = []
        bulleted = False
        for text in _texts(part):
            bullet = _BULLET.match(text)
            if bullet is not None:
                items.append([text[bullet.end() :]])
                bulleted = True
            elif bulleted:
                items[-1].append(_outdented(text))
            else:
                items.append([text])
        yield from filter(None, (_value("\n".join(item)) for item in items))


def _outdented(text: str) -> str:
    for indent in ("  ", "\t", " "):
        if text.startswith(indent):
            return text[len(indent) :]
    return text


def _bullets(decisions: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for decision in decisions or (EMPTY,):
        first, *more = decision.split("\n")
        lines += [f"- {first}", *(f"  {line}" if line else "" for line in more)]
    return lines


def _time(written: str) -> datetime | None:
    plain = written.strip(" \t*_`").removesuffix("UTC").rstrip()
    try:
        return _in_utc(datetime.fromisoformat(plain))
    except ValueError:
        return None


def _in_utc(at: datetime) -> datetime | None:
    """Whole seconds in UTC; None for a time that UTC cannot say."""
    whole = at.replace(microsecond=0)
    try:
        return whole.replace(tzinfo=UTC) if at.tzinfo is None else whole.astimezone(UTC)
    except OverflowError:  # the first and last hours of the calendar
        return None


def _written(at: datetime | None) -> str:
    return "unknown" if at is None else f"{at.isoformat().removesuffix('+00:00')}Z"
