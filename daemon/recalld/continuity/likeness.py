"""Whether two texts speak of the same piece of work, by the words that carry it. Pure."""

from recalld.continuity.words_zh import simplified
from recalld.text.language import is_cjk
from recalld.text.tokens import query_tokens

# Half of the words of the shorter text; bigrams of Chinese split where a word is put between.
SHARE = 0.5
CJK_SHARE = 0.4


def content(text: str) -> frozenset[str]:
    """Its stems, and in CJK its pairs of neighbours, without stop-words.

    One set for simplified and traditional characters.
    """
    return frozenset(query_tokens(simplified(text)))


def covers(text: str, wanted: str) -> bool:
    """Whether ``text`` holds enough of the words of ``wanted`` to speak of it; no: none at all."""
    words = content(wanted)
    share = CJK_SHARE if is_cjk(wanted) else SHARE
    return bool(words) and len(words & content(text)) >= share * len(words)


def same_work(one: str, other: str) -> bool:
    """Whether the texts name one piece of work: equal ones, or the longer covers the shorter."""
    if one == other:
        return True
    shorter, longer = sorted((one, other), key=lambda text: len(content(text)))
    return covers(longer, shorter)
