"""Text to search tokens, the same way for the index and for a question.

A token holds letters, digits and ``_`` only, is lower case and free of diacritics, so that the
full-text tokenizer leaves it as it is.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import snowballstemmer

from recalld.text.language import CJK_CLASS
from recalld.text.stopwords import is_stopword

# Longer tokens are cut: nobody types them, and one line of base64 would fill the index.
MAX_TOKEN_CHARS = 64
# More pieces than this between letters and digits is a hash or an id; it stays whole.
MAX_MIXED_PIECES = 4

# What holds an identifier together; longer runs of signs, as in ``https://``, part two words.
_JOINT = r"(?:_+|::|->|[-./:@+#'’])"
_LETTER = rf"(?:(?![{CJK_CLASS}_])\w)"
_RUN = re.compile(
    rf"(?P<symbol>(?<!\w)[A-Za-z](?:\+\+|\#)(?!\w))"
    rf"|(?P<word>{_LETTER}+(?:{_JOINT}{_LETTER}+)*)"
    rf"|(?P<cjk>[{CJK_CLASS}]+)"
)
_CLITIC = re.compile(r"['’](?:s|t|re|ve|ll|d|m)$", re.IGNORECASE)
_SPLIT = re.compile(_JOINT)
_PIECE = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_STEMMABLE = re.compile(r"[a-z]{3,}")
# Only the marks that Latin, Greek and Cyrillic combine with; vowel signs of other scripts stay.
_DIACRITIC = re.compile("[\u0300-\u036f]")

_SYMBOLS = {"++": "plusplus", "#": "sharp"}


@lru_cache(maxsize=1 << 16)
def stem(token: str) -> str:
    """Porter's stem of a lower-case ASCII word of three letters or more; others as they are."""
    if _STEMMABLE.fullmatch(token) is None:
        return token
    # A stemmer keeps the word it works on: one each call, so that threads never share it.
    return str(snowballstemmer.stemmer("porter").stemWord(token))


def fold(text: str) -> str:
    """NFKC without diacritics. Case is kept: it separates the words of an identifier."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    return unicodedata.normalize("NFC", _DIACRITIC.sub("", decomposed))


def lexical_tokens(text: str) -> list[str]:
    """Stemmed tokens in order of appearance, with repeats, for the index.

    An identifier gives its parts and the whole joined by ``_``: ``readWhen`` gives ``read``,
    ``when``, ``read_when``; ``1.2.3`` gives ``1``, ``2``, ``3``, ``1_2_3``. A CJK run gives
    overlapping bigrams; a single character stays one token.
    """
    return [stem(token) for token in surface_tokens(text)]


def query_tokens(text: str) -> list[str]:
    """The tokens of a question: as ``lexical_tokens``, each once, without stop-words.

    Empty when nothing in the question can be searched for.
    """
    kept = (stem(token) for token in surface_tokens(text) if not is_stopword(token))
    return list(dict.fromkeys(kept))


def surface_tokens(text: str) -> Iterator[str]:
    """Tokens before stemming, lower case."""
    for match in _RUN.finditer(fold(text)):
        run = match.group()
        if match.lastgroup == "cjk":
            yield from _bigrams(run)
        elif match.lastgroup == "word":
            yield from _words(run)
        else:
            yield run[0].lower()
            yield f"{run[0].lower()}_{_SYMBOLS[run[1:]]}"


def _bigrams(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]


@lru_cache(maxsize=1 << 16)
def _words(run: str) -> tuple[str, ...]:
    pieces: list[str] = []
    for part in _SPLIT.split(_CLITIC.sub("", run)):
        found = _PIECE.findall(part)
        mixed = len(found) > MAX_MIXED_PIECES and any(piece.isdigit() for piece in found)
        pieces += [part] if mixed or not found else found
    lowered = [piece.lower()[:MAX_TOKEN_CHARS] for piece in pieces if piece]
    if len(lowered) > 1:
        lowered.append("_".join(lowered)[:MAX_TOKEN_CHARS])
    return tuple(lowered)
