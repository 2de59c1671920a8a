"""Whether a text speaks of an objective, by the words that carry it. Pure."""

import re

from recalld.text.language import CJK_CLASS
from recalld.text.stopwords import is_stopword
from recalld.text.tokens import fold

# Shorter words are too common to tell two pieces of work apart.
LONG_WORD = 5
_WORD = re.compile(rf"(?:(?![{CJK_CLASS}_])\w)+")
_CJK = re.compile(f"[{CJK_CLASS}]+")


def marks_of(objective: str) -> frozenset[str]:
    """The words of over 4 letters and, in CJK, the pairs of neighbours, without stop-words.

    Where there are none of either, whatever words there are: "Fix CI" is told by ``fix``, ``ci``.
    """
    text = fold(objective).casefold()
    words = _WORD.findall(text)
    runs = _CJK.findall(text)
    pairs = [run[at : at + 2] for run in runs for at in range(len(run) - 1)]
    marks = frozenset(
        mark
        for mark in (*(word for word in words if len(word) >= LONG_WORD), *pairs)
        if not is_stopword(mark)
    )
    return marks or frozenset((*words, *pairs, *runs))


def mentions(text: str, objective: str) -> bool:
    """Whether any mark of the objective occurs in ``text``, as a word or inside a longer one.

    True for an objective without words: nothing could be missing. Marks of up to 4 letters
    count as whole words only.
    """
    marks = marks_of(objective)
    if not marks:
        return True
    folded = fold(text).casefold()
    whole = frozenset(_WORD.findall(folded))
    return any(mark in (whole if _is_short(mark) else folded) for mark in marks)


def _is_short(mark: str) -> bool:
    return len(mark) < LONG_WORD and _CJK.match(mark) is None
