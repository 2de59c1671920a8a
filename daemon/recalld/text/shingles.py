"""How much of one text stands in another, told by short runs of words. Pure."""

import re
import unicodedata
import zlib
from collections.abc import Set

# Runs of three words (in Chinese and Japanese of three characters): two texts about the same
# thing share few of them, two that say the same thing share nearly all.
RUN = 3

# A word; an ideograph or kana is one by itself.
_TOKEN = re.compile("[぀-ヿ㐀-䶿一-鿿豈-﫿]|[^\\W぀-ヿ㐀-䶿一-鿿豈-﫿]+")


def words(text: str) -> list[str]:
    """The words of ``text`` in lower case and plain width, ideographs and kana one by one."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return _TOKEN.findall(plain.lower())


def shingles(text: str) -> frozenset[int]:
    """32-bit hashes of every run of words, the same on every machine; empty without a word.

    A text shorter than one run is one shingle. Letter case, width and punctuation do not count.
    """
    said = " ".join(words(text)).encode("utf-8", "replace").split(b" ")
    if said == [b""]:
        return frozenset()
    runs = range(max(1, len(said) - RUN + 1))
    return frozenset([zlib.crc32(b" ".join(said[at : at + RUN])) for at in runs])


def share_in(part: Set[int], whole: Set[int]) -> float:
    """The share of ``part`` that stands in ``whole``, 0 for an empty one."""
    return len(part & whole) / len(part) if part else 0.0
