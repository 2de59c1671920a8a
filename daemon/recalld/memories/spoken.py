"""The sentences that somebody says themselves, whole, and as they may be judged. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recalld.text.prose import visible_prose

# A longer message is mostly handed over; its own words stand at its ends.
MAX_OWN_CHARS = 4_000
# What is longer is no sentence.
MAX_SENTENCE_CHARS = 400

# Code spans and quotations: part of what is said, not said by the one who speaks.
_ASIDE = re.compile(
    r"``[^`\n]{1,300}``|`[^`\n]{1,300}`|“[^“”\n]{1,600}”|「[^「」\n]{1,600}」|『[^『』\n]{1,600}』"
    r"|«[^«»\n]{1,600}»|《[^《》\n]{1,200}》|(?<![\w\"])\"[^\"\n]{1,600}\"|‘[^‘’\n]{1,300}’(?!\w)"
    r"|(?<![\w'])'[^'\n]{1,300}'(?!\w)|https?://[^\s<>]{1,600}"
)
_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")
# Private characters stand for asides; a text may hold none of its own.
_FIRST, _LAST = 0xE000, 0xF8FF
_PRIVATE = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")
_END = re.compile(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!\bvs\.)(?<!\b[DM]r\.)(?<!\bNo\.)(?<!\betc\.)\s+"
    r"|(?<=[。！？])"
)
_MARKS = re.compile(r"^(?:[-*+•#]+\s+|\d{1,2}[.)]\s+|\[[ xX]\]\s+)+|[*_]{2}")
_BLANKS = re.compile(r"\s+")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Sentence:
    """``text`` as it was said, on one line; in ``masked`` every aside is one character, and
    quotes are straight."""

    text: str
    masked: str


def sentences(text: str) -> Iterator[Sentence]:
    """In order, without bullets and bold marks.

    Left out: code, logs and quoted lines, payloads ("translate: ..."), sentences of over 400
    characters, and of a message of over 4,000 all but the first and last paragraph.
    """
    asides: list[str] = []
    text = _PRIVATE.sub(" ", text)
    if len(text) > MAX_OWN_CHARS:
        paragraphs = re.split(r"\n\s*\n", text.strip())
        text = f"{paragraphs[0][:MAX_OWN_CHARS]}\n\n{paragraphs[-1][-MAX_OWN_CHARS:]}"
    lines = (_masked(line, asides) for line in text.split("\n"))
    for line in visible_prose("\n".join(lines)).split("\n"):
        for part in _END.split(_MARKS.sub("", line.strip())):
            masked = _BLANKS.sub(" ", part).strip()
            if len(masked) <= MAX_SENTENCE_CHARS and _WORD.search(masked):
                plain = masked.replace("’", "'").replace("‘", "'")
                yield Sentence(_PRIVATE.sub(lambda mark: _aside(mark[0], asides), masked), plain)


def _masked(line: str, asides: list[str]) -> str:
    if _FENCE.match(line):
        return line

    def mask(found: re.Match[str]) -> str:
        if len(asides) > _LAST - _FIRST:
            return " "
        asides.append(found[0])
        return chr(_FIRST + len(asides) - 1)

    return _ASIDE.sub(mask, line)


def _aside(mark: str, asides: list[str]) -> str:
    return asides[ord(mark) - _FIRST]
