"""Whether two texts speak of the same piece of work, by the words that carry it. Pure."""

from recalld.text.folding import simplified
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


def same_work(one: str, other: str) -> bool:
    """Whether the texts name one piece of work: equal ones, or the longer covers the shorter.

    It covers half of its words (of its pairs in Chinese four tenths), and more than one word
    unless there is only one: "fix the build" is not "fix the login page".
    """
    if one == other:
        return True
    shorter, longer = sorted((one, other), key=lambda text: len(content(text)))
    words = content(shorter)
    shared = words & content(longer)
    share = CJK_SHARE if is_cjk(shorter) else SHARE
    return len(shared) >= max(min(2, len(words)), share * len(words), 1)


def same_step(one: str, other: str) -> bool:
    """Whether the texts name one step: equal ones, or they share half of all their words.

    Other numbers make another step: "write chapter 3" is not "write chapter 4".
    """
    words, others = content(one), content(other)
    numbers, other_numbers = map(_numbers, (words, others))
    if numbers and other_numbers and numbers != other_numbers:
        return False
    return one == other or 2 * len(words & others) >= max(1, len(words | others))


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if any(letter.isdigit() for letter in word))
