"""A chunk cut into the short windows that are embedded."""

import re

from recalld.text.language import is_cjk

# A deep-averaging encoder dilutes long texts: about 60 English words or 120 Chinese characters.
LATIN_CHARS = 300
CJK_CHARS = 120
# A text a little over the limit stays one window; two halves would each say less.
WHOLE_FACTOR = 1.4
# A sentence is cut inside only when it is this much over the limit.
SENTENCE_FACTOR = 1.6

_SENTENCE_END = re.compile(r"(?<=[.!?。！？；;\n])\s*")
_WORD = re.compile(r"\w")


def passages(text: str) -> tuple[tuple[int, int], ...]:
    """Character ranges of the windows of ``text``, in order, without blanks at their ends.

    Cut at sentence ends, else at a blank, else anywhere. A window without a letter or digit
    is left out: its vector means nothing. Empty for such a text.
    """
    limit = CJK_CHARS if is_cjk(text) else LATIN_CHARS
    if len(text) <= limit * WHOLE_FACTOR:
        ranges = [(0, len(text))]
    else:
        ranges = _merge(_sentences(text, limit), limit)
    trimmed = (_trim(text, start, end) for start, end in ranges)
    return tuple(span for span in trimmed if _WORD.search(text, *span))


def _sentences(text: str, limit: int) -> list[tuple[int, int]]:
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    pieces: list[tuple[int, int]] = []
    start = 0
    for end in (*ends, len(text)):
        while end - start > limit * SENTENCE_FACTOR:
            blank = text.rfind(" ", start + limit // 2, start + limit)
            cut = blank if blank > 0 else start + limit
            pieces.append((start, cut))
            start = cut
        if end > start:
            pieces.append((start, end))
            start = end
    return pieces


def _merge(pieces: list[tuple[int, int]], limit: int) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in pieces:
        if merged and end - merged[-1][0] <= limit:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    inside = text[start:end]
    left = len(inside) - len(inside.lstrip())
    right = len(inside.rstrip())
    return (start + left, start + max(left, right))
