"""An answer in Markdown as statements: what is said, and under which label or heading. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from recalld.continuity import labels_en, labels_zh
from recalld.continuity.wording import MAX_SENTENCE_CHARS, ends_of, masked, own_lines


class Topic(StrEnum):
    """What a label or a heading says of the words behind it."""

    DECIDED = "decided"
    NEXT = "next"
    BLOCKED = "blocked"
    STATUS = "status"
    DONE = "done"
    PLAN = "plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence of what somebody says themselves.

    ``text``: as told, without marks and label; ``plain``: the same as patterns see it, as long,
    with ``¤`` for quotes and code. ``group`` numbers the label or heading that gives the ``topic``;
    0 without. ``item``: it opens an item of a list, ``ticked`` or not where it can be.
    ``line`` numbers the line it stands in; ``gap``: a blank parts it from what stands before it
    there.
    """

    text: str
    plain: str
    line: int
    gap: bool = False
    topic: Topic | None = None
    group: int = 0
    item: bool = False
    heading: bool = False
    ticked: bool | None = None

    @property
    def leads(self) -> bool:
        """Whether it only leads to what stands below it."""
        return self.text.endswith((":", "："))


MAX_NAME_CHARS = 80
# A label's sign stands no farther in than this.
MAX_LABEL_CHARS = 70
# The level of a label alone on its line, below every heading.
ALONE = 7

_SIGNS = ":：?？-–—→"
_LINE = re.compile(
    r"(?P<indent>[ \t]*)(?:(?P<hash>#{1,6})[ \t]+)?"
    r"(?P<bullet>[-*+•‣·][ \t]+|\(?\d{1,2}(?:[.)][ \t]+|[.)、）](?=[^\d\s]))"
    r"|[一二三四五六七八九十]{1,2}、|\d\ufe0f?\u20e3[ \t]*)?(?:\[(?P<box>[^\]\n])\][ \t]+)?"
    r"(?P<icons>(?:[\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2b00-\u2bff"
    r"\U0001f000-\U0001faff]\ufe0f?[ \t]*)*)"
)
_RULE = re.compile(r"[ \t]*([-*_=─])(?:[ \t]*\1){2,}[ \t]*")
# Stars are marks in pairs around words; those of 2**10 and f(**options) say something.
_MARKS = re.compile(
    r"(?P<kept>`[^`\n]*`)|(?<![A-Za-z0-9])\*\*(?P<bold>(?:(?!\*\*)[^\n]){1,400})\*\*"
    r"(?![A-Za-z0-9])|~~|\[(?P<link>[^\[\]\n]{1,200})\]\([^()\s]{1,300}\)"
)
_STRUCK = re.compile(r"~~[^~\n]+~~")
_BOLD = re.compile(r"\*\*[^*\n]{1,80}\*\*[ \t]*[:：]?[ \t]*")
_END = re.compile(r"[.!?…]+[)\"'”’\]]*(?:\s+|$)|[。！？]+[”」』）)]*\s*")
_NO_END = ("e.g.", "i.e.", "vs.", "approx.", "cf.")
_TICKED, _UNTICKED = frozenset("✅✔☑xX✓"), frozenset("⬜☐🔲⏳🚧🔜 ")

_NAMES = {
    topic: f"{getattr(labels_en, topic.upper())}|{getattr(labels_zh, topic.upper())}"
    for topic in Topic
}
_ANY_NAME = "|".join(f"(?P<{topic}>{names})" for topic, names in _NAMES.items())
# "Next steps for you:"
_SUFFIX = r"(?P<of>\s+(?:for|on|in|from)\b[^:：.。!?\n]{1,30})?"
_NOTE = r"(?:[ ]?[(（][^()（）\n]{1,40}[)）])?"
# A label in front of what it labels; a dash needs blanks around it.
_LABEL = re.compile(
    rf"[\W_]*(?:{_ANY_NAME}){_NOTE}{_SUFFIX}[】\]]?\s*(?:[:：?？]+|\s[-–—]\s|[—–→]|->)\s*",
    re.IGNORECASE,
)
# A line that is nothing but a name, with a few words of what it is the name for.
_HEADING = re.compile(
    rf"[\W_]*(?:{_ANY_NAME})(?:{_NOTE}|\s*(?:[&/+]|\b(?:for|in|on|to|so far|made|and)\b)"
    r"[^:：.。!?]{0,40})\s*[:：?？]?\s*",
    re.IGNORECASE,
)


def statements(text: str) -> list[Statement]:
    """The sentences of the text in order, without code, tables, quoted lines and its marks.

    Of more than 8,000 characters the middle is left out; of a sentence the first 400 are told.
    A label counts for its own line, one that stands alone for the list or paragraph below it,
    a heading up to the next one of its level.
    """
    return list(_Reader().read(ends_of(text)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """``level`` ``ALONE`` is a label alone on its line. ``listed``: an item of its list was met."""

    topic: Topic
    group: int
    level: int
    listed: bool = False


@dataclass(slots=True)
class _Reader:
    section: _Section | None = None
    groups: int = 0

    def read(self, text: str) -> Iterator[Statement]:
        for number, line in enumerate(own_lines(text)):
            bare = line.strip()
            if not bare or bare[0] == "|":
                continue
            if _RULE.fullmatch(line):
                self.section = None
            else:
                yield from self._line(line, number)

    def _line(self, line: str, number: int) -> Iterator[Statement]:
        mark, rest = _marks_of(line)
        told = (_MARKS.sub(_unmarked, rest) if _is_marked(rest) else rest).strip()
        plain = masked(told)
        heading = bool(mark.level or _BOLD.fullmatch(rest))
        if self._opens(plain, mark.level, alone=heading):
            return
        self._close(mark)
        item = mark.item
        for begin, end in _sentences(plain):
            topic, group, start = self._topic(plain, begin, end)
            if start < end:
                yield Statement(
                    text=told[start:end],
                    plain=plain[start:end],
                    line=number,
                    gap=begin > 0 and plain[begin - 1].isspace(),
                    topic=topic,
                    group=group,
                    item=item,
                    heading=heading,
                    ticked=mark.ticked,
                )
            item = False

    def _opens(self, plain: str, level: int, *, alone: bool) -> bool:
        """Whether the line is the name of a section, which then begins."""
        if len(plain) > MAX_NAME_CHARS or not (alone or plain.endswith((":", "："))):
            return False
        found = _HEADING.fullmatch(plain)
        if found is None:
            return False
        self._begin(_topic(found), level or ALONE)
        return True

    def _begin(self, topic: Topic, level: int) -> None:
        self.groups += 1
        self.section = _Section(topic=topic, group=self.groups, level=level)

    def _close(self, mark: "_Mark") -> None:
        """End the section where this line does not belong to it."""
        section = self.section
        if section is None:
            return
        if mark.level:
            self.section = None if mark.level <= section.level else section
        elif section.level == ALONE and section.listed and not (mark.item or mark.indented):
            self.section = None
        elif mark.item and not section.listed:
            self.section = replace(section, listed=True)

    def _topic(self, plain: str, start: int, end: int) -> tuple[Topic | None, int, int]:
        """The topic of a sentence, the group that gives it and where its own words begin.

        They begin at its end where it is nothing but a label, which then opens a section.
        """
        section = self.section
        label = None
        if any(sign in plain[start : start + MAX_LABEL_CHARS] for sign in _SIGNS):
            label = _LABEL.match(plain, start, end)
        if label is None:
            return (None, 0, start) if section is None else (section.topic, section.group, start)
        topic = _topic(label)
        if label.end() == end:
            self._begin(topic, ALONE)
            return topic, self.groups, end
        if section is not None and section.topic is topic:
            # What is labelled one by one needs no heading; what stands between is something else.
            self.section = None
        self.groups += 1
        # "Done: x" without its label is a thing, "Decision on y: z" without it is of nothing.
        whole = topic is Topic.DONE or (topic is Topic.DECIDED and label["of"])
        return topic, self.groups, start if whole else label.end()


def _topic(found: re.Match[str]) -> Topic:
    return next(topic for topic in Topic if found[topic] is not None)


def _unmarked(found: re.Match[str]) -> str:
    if found["bold"] is not None:
        return _MARKS.sub(_unmarked, found["bold"])
    return found["kept"] or found["link"] or ""


@dataclass(frozen=True, slots=True)
class _Mark:
    """What stands in front of a line's words; ``level`` 0: it is no heading."""

    level: int = 0
    item: bool = False
    indented: bool = False
    ticked: bool | None = None


def _marks_of(line: str) -> tuple[_Mark, str]:
    """The marks of a line, and the rest of it."""
    found = _LINE.match(line)
    if found is None or not found.end():
        return _Mark(), line
    mark = _Mark(
        level=len(found["hash"] or ""),
        item=found["bullet"] is not None or found["box"] is not None,
        indented=bool(found["indent"]),
        ticked=bool(_STRUCK.match(line, found.end())) or _is_ticked(found["box"], found["icons"]),
    )
    return mark, line[found.end() :]


def _is_ticked(box: str | None, icons: str) -> bool | None:
    marks = {box} if box is not None else set(icons.replace(" ", ""))
    if marks & _TICKED:
        return True
    return False if marks & _UNTICKED else None


def _is_marked(line: str) -> bool:
    return any(mark in line for mark in ("**", "](", "~~"))


def _sentences(plain: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a line begin and end, without the blanks between them."""
    start = 0
    for end in _ends(plain):
        text = plain[start:end]
        stop = start + min(len(text.rstrip()), MAX_SENTENCE_CHARS)
        if stop > start:
            yield start, stop
        start = end


def _ends(plain: str) -> Iterator[int]:
    """Behind the blanks that part sentences."""
    for found in _END.finditer(plain):
        before = plain[max(0, found.start() - 7) : found.start() + 1].lower()
        if not before.endswith(_NO_END):
            yield found.end()
    yield len(plain)
