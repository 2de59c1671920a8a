"""Sentences of a message, and the words by which one of either language is judged. Pure."""

import re
from collections.abc import Callable, Iterator

from recalld.text.folding import simplified
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
# What is quoted or code inside a line. Bounded: an open quote is none.
_QUOTED = re.compile(
    r"`[^`\n]+`|\"[^\"\n]{1,300}\"|“[^“”\n]{1,300}”|「[^「」\n]{1,300}」|『[^『』\n]{1,300}』"
)
# No blank, or a sentence could begin behind it; no letter.
_MASK = "¤"
_QUOTES = '`"“「『'
_ASKS = re.compile(r"[?？][\s\"'”’)）]*$|[吗么]\s*$")


def _any(_: str) -> bool:
    return True


def sentences(
    text: str, *, judging: bool = False, wanted: Callable[[str], bool] = _any
) -> Iterator[str]:
    """The sentences of what is said itself, in order, without bullets and bold marks.

    Code blocks and quoted lines are left out, and the middle of a text of more than 8,000
    characters. Where ``judging``, also quotes, code inside a line, and what is handed over: only
    what somebody says in words of their own is left. A full stop inside a word ends nothing; of
    a sentence of more than 400 characters only its beginning is told. Lines that are not
    ``wanted`` are left out.
    """
    text = ends_of(text)
    lines = visible_prose(text).split("\n") if judging else own_lines(text)
    for line in filter(wanted, lines):
        for part in _SENTENCE_END.split(_MARKS.sub("", line.strip())):
            plain = _BLANKS.sub(" ", part).strip()
            if plain:
                yield plain[:MAX_SENTENCE_CHARS]


def ends_of(text: str) -> str:
    """The text, or the first and the last 4,000 characters of a longer one."""
    if len(text) <= MAX_TEXT_CHARS:
        return text
    half = MAX_TEXT_CHARS // 2
    return f"{text[:half]}\n\n{text[-half:]}"


def own_lines(text: str) -> Iterator[str]:
    """The lines without code blocks and what is handed over: quotes, listings, traces."""
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
    unticked = sentence.replace("`", " ")
    if unticked.isascii():
        return unticked
    return simplified(unticked.replace("’", "'").replace("‘", "'"))


def masked(sentence: str) -> str:
    """As ``plain``, with code and quotes inside it as ``¤``: nobody says what stands in them."""
    if not any(mark in sentence for mark in _QUOTES):
        return plain(sentence)
    return plain(_QUOTED.sub(lambda found: _MASK * len(found[0]), sentence))
