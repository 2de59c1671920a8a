"""What is decided, over several turns: the same said twice is one, and minds change. Pure."""

import re
from collections.abc import Iterable, Sequence

from recalld.continuity import extract_told_en, extract_told_zh
from recalld.continuity.likeness import content
from recalld.continuity.wording import plain
from recalld.text.language import has_cjk

MAX_DECISIONS = 3
# Of all words of two decisions; with as many in common they are about the same.
SAME_SHARE = 0.6
# What a change of mind must have in common with what it changes.
TURNED_SHARE = 0.5
REJECTED_SHARE = 0.5

_TURNED = re.compile(f"{extract_told_en.TURNED}|{extract_told_zh.TURNED}", re.IGNORECASE)
_REJECTED = {
    False: re.compile(extract_told_en.REJECTED, re.IGNORECASE),
    True: re.compile(extract_told_zh.REJECTED, re.IGNORECASE),
}
_NEGATED = {
    False: re.compile(extract_told_en.NEGATED, re.IGNORECASE),
    True: re.compile(extract_told_zh.NEGATED, re.IGNORECASE),
}


def merged(old: Sequence[str], new: Iterable[str]) -> tuple[str, ...]:
    """The latest three of both, oldest first, each of ``new`` behind what was decided before.

    One that says again what was decided counts as new, in the words of the longer. One that
    takes another back ("X instead of Y", the same with another number, the contrary) stands in
    its place.
    """
    kept = list(old)
    for one in new:
        kept = _with(kept, one)
    return tuple(kept[-MAX_DECISIONS:])


def turns(new: str, old: Iterable[str]) -> bool:
    """Whether ``new`` takes back one of ``old`` in words for a change of mind."""
    changed = _TURNED.search(plain(new)) is not None or bool(_rejected(new))
    return changed and any(_takes_back(new, one) for one in old)


def _with(kept: Sequence[str], new: str) -> list[str]:
    left = [one for one in kept if not _takes_back(new, one)]
    same = [one for one in left if _is_same(one, new)]
    told = max([*same, new], key=lambda one: len(content(one)))
    return [*(one for one in left if one not in same), told]


def _is_same(one: str, other: str) -> bool:
    words, others = content(one), content(other)
    if _is_negated(one) != _is_negated(other):
        return False
    smaller = min(words, others, key=len)
    if not smaller:
        return one == other
    return smaller <= words & others or _is_close(words, others)


def _is_close(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= SAME_SHARE * len(words | others)


def _takes_back(new: str, old: str) -> bool:
    """Whether what ``old`` says is no more once ``new`` is said."""
    rejected, chosen = content(_rejected(new)), content(_chosen(old))
    if rejected and len(rejected & chosen) >= REJECTED_SHARE * len(rejected):
        return True
    words, before = content(new), content(old)
    shared = words & before
    if _is_negated(new) != _is_negated(old) and min(words, before, key=len) <= shared:
        return bool(shared)
    if _is_close(words, before) and _numbers(words) != _numbers(before):
        return True
    close = len(shared) >= max(2, TURNED_SHARE * min(len(words), len(before)))
    return close and _TURNED.search(plain(new)) is not None and not _is_same(old, new)


def _rejected(text: str) -> str:
    found = _REJECTED[has_cjk(text)].search(plain(text))
    return "" if found is None else text[slice(*found.span("rejected"))]


def _chosen(text: str) -> str:
    """The text without what it says is not to be."""
    found = _REJECTED[has_cjk(text)].search(plain(text))
    return text if found is None else text[: found.start()] + text[found.end() :]


def _is_negated(text: str) -> bool:
    return _NEGATED[has_cjk(text)].search(plain(text)) is not None


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[0].isdigit())
