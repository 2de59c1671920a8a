"""The four columns of the full-text table, from chunks. Pure."""

import re
from collections.abc import Sequence

from recalld.index.model import Chunk, Document, Lexical
from recalld.text.dates import date_tokens
from recalld.text.tokens import lexical_tokens

# Whole neighbours distort the length norm: .15 Hit@1 where a short turn sits beside a long
# answer. 24 to 40 tokens are equally good.
NEIGHBOUR_TOKENS = 32
# Roles are said by everyone everywhere; as a word they only add noise.
ROLES = frozenset({"user", "assistant", "system", "user+assistant"})

_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,9}\Z")


def lexical_rows(path: str, document: Document) -> tuple[Lexical, ...]:
    """One row a chunk. A chunk with nothing to find has empty columns and is no neighbour."""
    own = [[] if chunk.bare else lexical_tokens(chunk.text) for chunk in document.chunks]
    return tuple(
        Lexical(own="", prev="", next="", head="")
        if chunk.bare
        else Lexical(
            own=" ".join(own[at]),
            prev=" ".join(_neighbour(own, at, -1)[-NEIGHBOUR_TOKENS:]),
            next=" ".join(_neighbour(own, at, 1)[:NEIGHBOUR_TOKENS]),
            head=" ".join(head_tokens(chunk, path=path, title=document.title)),
        )
        for at, chunk in enumerate(document.chunks)
    )


def head_tokens(chunk: Chunk, *, path: str, title: str) -> list[str]:
    """Who, where and when: a turn has its speaker, a section the words of path and title.

    A further piece of a split section also has the heading it lost. Dates are canonical
    tokens, so that a question in any language meets them.
    """
    if chunk.speaker is not None:
        words = "" if chunk.speaker.lower() in ROLES else chunk.speaker
    else:
        heading = chunk.heading if chunk.continues else ""
        words = f"{path_words(path)} {title} {heading}"
    tokens = lexical_tokens(words)
    if chunk.date is not None:
        tokens += date_tokens(chunk.date[:10])
    return tokens


def path_words(path: str) -> str:
    """The path without its suffix, its parts set apart."""
    return _SUFFIX.sub("", path).replace("/", " ")


def _neighbour(own: Sequence[list[str]], at: int, step: int) -> list[str]:
    at += step
    while 0 <= at < len(own) and not own[at]:
        at += step
    return own[at] if 0 <= at < len(own) else []
