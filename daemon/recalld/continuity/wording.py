"""Sentences of a message, and the words by which one of either language is judged. Pure."""

import re
from collections.abc import Iterator

from recalld.continuity.words_zh import simplified
from recalld.text.prose import visible_prose

# What a message says of itself stands at either end; what lies between is the work.
MAX_TEXT_CHARS = 8_000
# Enough to judge a sentence by; patterns never see more.
MAX_SENTENCE_CHARS = 400

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_MARKS = re.compile(r"^(?:[-*+•>#]+\s+|\d{1,2}[.)]\s+|\[[ xX]\]\s+)+|[*_]{2}")
_BLANKS = re.compile(r"\s+")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
# Quoted lines, terminals, listings and traces.
_HANDED_OVER = re.compile(
    r"[ \t]*(?:>|\$ |❯|Traceback |File \"|at \S+\("
    r"|(?:\w+\.){0,6}[A-Z]\w*(?:Error|Exception)\b.{0,3}[:(])"
    r"|(?:\t| {4,})(?![-*+\d])"
)
_ASKS = re.compile(r"[?？][\s\"'”’)）]*$|[吗么]\s*$")


def sentences(text: str, *, judging: bool = False) -> Iterator[str]:
    """The sentences of what is said itself, in order, without bullets and bold marks.

    Code blocks and quoted lines are left out, and the middle of a text of more than 8,000
    characters. Where ``judging``, also quotes, code inside a line, and what is handed over: only
    what somebody says in words of their own is left. A full stop inside a word ends nothing; of
    a sentence of more than 400 characters only its beginning is told.
    """
    if len(text) > MAX_TEXT_CHARS:
        half = MAX_TEXT_CHARS // 2
        text = f"{text[:half]}\n\n{text[-half:]}"
    for line in visible_prose(text).split("\n") if judging else _own_lines(text):
        for part in _SENTENCE_END.split(_MARKS.sub("", line.strip())):
            plain = _BLANKS.sub(" ", part).strip()
            if plain:
                yield plain[:MAX_SENTENCE_CHARS]


def _own_lines(text: str) -> Iterator[str]:
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and not _HANDED_OVER.match(line):
            yield line


def asks(sentence: str) -> bool:
    """Whether it is a question by its end."""
    return _ASKS.search(sentence) is not None


def plain(sentence: str) -> str:
    """As patterns see it: straight quotes, no ticks, simplified characters; as long as before."""
    return simplified(sentence.replace("’", "'").replace("‘", "'").replace("`", " "))
