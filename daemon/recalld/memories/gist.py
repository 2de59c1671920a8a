"""What a sentence says, as the words that carry it in their order. Pure.

An encoder finds "upload" and "download", Tuesday and Thursday, version 15 and 16 almost the
same, and who blocks whom altogether (cosines up to .97 and .99, measured). So two texts are one
message only if, beside being near, they are equal here: every number, date, name, negation and
content word, in order. Only what never changes a meaning is left out: articles, "of", "please",
most punctuation, letter case. Not even copulas (who is hired is not who hired) or plurals (which
backups are deleted).
"""

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b

from recalld.text.language import CJK_CLASS

Gist = tuple[str, ...]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FILLERS = _words("a an the of please")
_CJK_FILLERS = frozenset("的啊呀哦嗯")
# Here the article is the meaning.
_A_FEW = re.compile(r"\ba (?=few\b|little\b|bit\b)", re.IGNORECASE)
# Who speaks, in front; left out it is the same, but one is not the other.
_SPEAKERS: tuple[Gist, ...] = (("我", "们"), ("我", "們"), ("我",), ("we",), ("i",))
# With one of these the order of the words says something.
_ORDERED = _words(
    """
    from to into onto by before after than over under instead rather but not no nor never without
    unless until because if when while against between above below for with as then and or
    """
) | frozenset("从從到比把被由向给給对對于於在先后後前再因若如不没沒未无無别別非和或与與换換替为為")

_TOKEN = re.compile(
    rf"[{CJK_CLASS}]"
    rf"|(?:(?![{CJK_CLASS}])\w)+(?:['.,:/-](?:(?![{CJK_CLASS}])\w)+)*"
    r"|-(?=\d)|[^\w\s]"
)
_ABBREVIATION = re.compile(r"(?=[A-Z0-9]*[A-Z])[A-Z0-9]{2,}\Z")
_POSSESSIVE = re.compile(r"'s\Z")
# Punctuation that makes another statement: a share, a product, a path, a sign, a question.
_SIGNS = frozenset("%#@&*/\\+-?")
_SILENT = frozenset({"P", "C", "Z"})
# How an emoji is drawn.
_SELECTORS = frozenset("\ufe0e\ufe0f")
# Full-width forms. No more is folded: 10² is not 102, and schon is not schön.
_WIDE = {0xFF01 + at: 0x21 + at for at in range(94)} | {0x3000: 0x20, 0x2019: 0x27}


def gist(text: str) -> Gist:
    """The tokens that carry the meaning, in order; empty for a text without any."""
    plain = _A_FEW.sub("a_", unicodedata.normalize("NFC", text).translate(_WIDE))
    found = (_token(raw) for raw in _TOKEN.findall(plain))
    return tuple(token for token in found if token)


def gist_key(tokens: Gist) -> bytes:
    """One for all texts that ``same`` may find the same."""
    said = "\x1f".join(_split(tokens)[1])
    return blake2b(said.encode("utf-8", "replace"), digest_size=16).digest()


def same(one: Gist, other: Gist) -> bool:
    """Whether both say the same in the same order. False for what has no words at all."""
    (lead, said), (other_lead, other_said) = _split(one), _split(other)
    return bool(said) and _one_speaker(lead, other_lead) and said == other_said


def turned(one: Gist, other: Gist) -> bool:
    """Whether two neighbouring parts of one text stand the other way round in the other.

    Each has at least two words and none of the other's (two branches, two servers: what is done
    to which depends on the order), and no word gives the order a meaning: from and to, before.
    """
    (lead, first), (other_lead, second) = _split(one), _split(other)
    if not _one_speaker(lead, other_lead) or len(first) != len(second) or first == second:
        return False
    if not _ORDERED.isdisjoint(first):
        return False
    differing = [at for at, pair in enumerate(zip(first, second, strict=True)) if len({*pair}) > 1]
    start, end = differing[0], differing[-1] + 1
    moved, place = first[start:end], second[start:end]
    return any(
        moved[cut:] + moved[:cut] == place and set(moved[cut:]).isdisjoint(moved[:cut])
        for cut in range(2, len(moved) - 1)
    )


def _split(tokens: Gist) -> tuple[Gist, Gist]:
    """Who speaks, and the rest; all is the rest where nothing else is said."""
    for speaker in _SPEAKERS:
        size = len(speaker)
        if tokens[:size] == speaker and len(tokens) > size:
            return speaker, tokens[size:]
    return (), tokens


def _one_speaker(lead: Gist, other: Gist) -> bool:
    return lead == other or not lead or not other


@lru_cache(maxsize=1 << 15)
def _token(raw: str) -> str:
    """A token as it is compared; empty for one that carries nothing."""
    if len(raw) == 1 and not raw.isalnum():
        silent = unicodedata.category(raw)[0] in _SILENT and raw not in _SIGNS
        return "" if silent or raw in _SELECTORS else raw
    if raw in _CJK_FILLERS:
        return ""
    word = _POSSESSIVE.sub("", raw)
    if _ABBREVIATION.match(word):
        return word
    word = word.casefold()
    return "" if word in _FILLERS else word
