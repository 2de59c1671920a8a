"""What a sentence says, as the words that carry it in their order. Pure.

An encoder finds "upload" and "download", Tuesday and Thursday, version 15 and 16 almost the
same (cosines up to .97, measured). So two texts are one message only if, beside being near, they
are equal here: every number, date, name, negation and content word, in order. Only what never
changes a meaning is left out: articles, copulas in the present, punctuation, the endings of a
plural and of the present.
"""

import re
import unicodedata
from hashlib import blake2b

from recalld.text.language import CJK_CLASS
from recalld.text.tokens import fold

Gist = tuple[str, ...]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FILLERS = _words("a an the is are am be been being that please")
_CJK_FILLERS = frozenset("的之个個请請吧呢啊呀哦嗯")
# Who speaks, in front; left out it is the same, but one is not the other.
_SPEAKERS: tuple[Gist, ...] = (("我", "们"), ("我", "們"), ("我",), ("we",), ("i",))
# Direction: with one of these an order of words is a statement.
_DIRECTION = _words(
    """
    from to into onto by before after than over under instead rather but not no nor never without
    unless until because if when while against between above below
    """
) | frozenset("从從到比把被由向给給对對于於在先后後前再因若如不没沒未无無别別非")

_TOKEN = re.compile(
    rf"[{CJK_CLASS}]"
    rf"|(?:(?![{CJK_CLASS}])\w)+(?:['’.,:/-](?:(?![{CJK_CLASS}])\w)+)*"
    rf"|-(?=\d)|[%#@&*/\\+?]|[^\w\s]"
)
_ABBREVIATION = re.compile(r"(?=.*[A-Z])[A-Z0-9]{2,}\Z")
_PLURAL = re.compile(r"(?:(?<=[sxz])es|(?<=[cs]h)es|(?<![siu'])s)\Z")
_POSSESSIVE = re.compile(r"'s\Z")
_PUNCTUATION_THAT_COUNTS = frozenset("%#@&*/\\+-?")


def gist(text: str) -> Gist:
    """The tokens that carry the meaning, in order; empty for a text without any."""
    plain = fold(text).replace("’", "'")
    found = (_token(raw) for raw in _TOKEN.findall(plain))
    return tuple(token for token in found if token)


def gist_key(tokens: Gist) -> bytes:
    """One for all texts that ``same`` may find the same."""
    return blake2b("\x1f".join(_split(tokens)[1]).encode(), digest_size=16).digest()


def same(one: Gist, other: Gist) -> bool:
    """Whether both say the same in the same order. False for what has no words at all."""
    (lead, said), (other_lead, other_said) = _split(one), _split(other)
    return bool(said) and said == other_said and _may_be_one(lead, other_lead)


def turned(one: Gist, other: Gist) -> bool:
    """Whether two neighbouring parts of one text stand the other way round in the other.

    Never where a word gives the order a meaning: from and to, before and after.
    """
    (lead, first), (other_lead, second) = _split(one), _split(other)
    if not _may_be_one(lead, other_lead) or not _DIRECTION.isdisjoint(first):
        return False
    if first == second or sorted(first) != sorted(second):
        return False
    differing = [at for at, pair in enumerate(zip(first, second, strict=True)) if len({*pair}) > 1]
    moved = first[differing[0] : differing[-1] + 1]
    place = second[differing[0] : differing[-1] + 1]
    return any(moved[cut:] + moved[:cut] == place for cut in range(1, len(moved)))


def _split(tokens: Gist) -> tuple[Gist, Gist]:
    """Who speaks, and the rest; all is the rest where nothing else is said."""
    for speaker in _SPEAKERS:
        size = len(speaker)
        if tokens[:size] == speaker and len(tokens) > size:
            return speaker, tokens[size:]
    return (), tokens


def _may_be_one(lead: Gist, other: Gist) -> bool:
    return lead == other or not lead or not other


def _token(raw: str) -> str:
    """A token as it is compared; empty for one that carries nothing."""
    if len(raw) == 1 and not raw.isalnum():
        counts = raw in _PUNCTUATION_THAT_COUNTS or unicodedata.category(raw)[0] != "P"
        return raw if counts else ""
    if raw in _CJK_FILLERS:
        return ""
    word = _POSSESSIVE.sub("", raw)
    if _ABBREVIATION.match(word):
        return word
    word = word.casefold()
    return "" if word in _FILLERS else _PLURAL.sub("", word)
