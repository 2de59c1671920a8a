"""What a question says: its tokens, its content words, the speaker it names. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from recalld.search.newer import wants_newest
from recalld.search.person import wants_own_words
from recalld.search.policy import SearchPolicy
from recalld.text.dates import date_tokens
from recalld.text.ends import ends_of
from recalld.text.language import CJK_CLASS, has_cjk, is_cjk
from recalld.text.stopwords import is_stopword
from recalld.text.tokens import query_tokens, stem, surface_tokens
from recalld.text.window import Window, window_of

# Question and function words of Chinese, longest first where one holds another.
_CJK_FUNCTION = re.compile(
    "是什么时候|请问|告诉我|还记得|记不记得|记得|曾经|之前|以前|上次|有没有|是不是|是什么|叫什么|什么时候|什么"
    "|怎么样|怎么|怎样|哪一个|哪一部|哪些|哪个|哪里|哪部|哪种|哪|多少|为何|为什么|如何|谁|几个"
    "|你给我|我给你|给我|给你|对吗|我们|你们|我的|你的|我|你|吗|呢|吧|么|了|的|是|过"
)
_CJK_PUNCTUATION = re.compile(r"[，。？！、,?!：:；;]")
_BLANK_BETWEEN_CJK = re.compile(rf"(?<=[{CJK_CLASS}])\s+(?=[{CJK_CLASS}])")
_CJK_RUN = re.compile(rf"[{CJK_CLASS}]+")
_WORD = re.compile(r"\w[\w'’./:@+#-]*")
_LATIN_WORD = re.compile(r"[A-Za-z]{3,}")
_POSSESSIVE = re.compile(r"['’]s$")
_SUBSTRING_CHARS = (2, 3, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, read once. ``tokens`` are what the index is searched for, dates included.

    ``window`` is the time it names, in days of ``zone``. ``own_words``: it is about the asker and
    not about what the assistant said. ``newest``: of two statements the newer answers it.
    ``said`` are the stems of all its words, stop-words too: what a neighbour word may not repeat.
    """

    text: str
    cjk: bool
    tokens: tuple[str, ...]
    dates: frozenset[str]
    said: frozenset[str]
    window: Window | None = None
    zone: tzinfo | None = None
    own_words: bool = False
    newest: bool = False

    @property
    def searchable(self) -> bool:
        return bool(self.tokens)


def read_question(text: str, policy: SearchPolicy, *, now: datetime | None = None) -> Question:
    """``text`` cut to its head and tail where it is too long; no tokens: nothing to search.

    ``now`` is the asker's, with their zone; without it no day is relative to anything.
    """
    kept = ends_of(text.strip(), most=policy.query_chars, head=policy.query_head_chars)
    dates = date_tokens(kept)
    second = policy.second
    window = window_of(kept, None if now is None else now.date()) if second.time_window else None
    return Question(
        text=kept,
        cjk=is_cjk(kept),
        tokens=tuple(dict.fromkeys((*query_tokens(kept), *dates))),
        dates=frozenset(dates),
        said=frozenset(stem(token) for token in surface_tokens(kept)),
        window=window,
        zone=None if now is None else now.tzinfo,
        own_words=second.first_person and wants_own_words(kept),
        newest=second.newer_first and window is None and wants_newest(kept),
    )


def names_in(text: str, names: Sequence[str]) -> list[int]:
    """Indexes of the names that ``text`` mentions as whole words (CJK: anywhere)."""
    return [at for at, name in enumerate(names) if name in text and _pattern(name).search(text)]


def content_words(text: str, names: Iterable[str] = ()) -> str:
    """``text`` without names, stop-words and question words; ``text`` when nothing is left.

    "What did Jon ...?" finds "What's up, Jon?" by its vector: in dialogue the content words
    alone find four times as much as the question as it is.
    """
    for name in sorted(names, key=len, reverse=True):
        if name in text:
            text = _pattern(name).sub(" ", text)
    kept = _cjk_content(text) if is_cjk(text) else _latin_content(text)
    return kept or text


def lookup_terms(content: str, policy: SearchPolicy) -> tuple[str, ...]:
    """What to look up in the vocabulary: Latin words, then parts of CJK runs, short ones first."""
    words = (word.lower() for word in _LATIN_WORD.findall(content))
    terms = [word for word in dict.fromkeys(words) if not is_stopword(word)]
    if has_cjk(content):
        kept = _cjk_content(content)
        runs = _CJK_RUN.findall(kept)
        for length in _SUBSTRING_CHARS:
            for run in runs:
                terms += [run[at : at + length] for at in range(len(run) - length + 1)]
    return tuple(dict.fromkeys(terms))[: policy.max_terms]


def _pattern(name: str) -> re.Pattern[str]:
    escaped = re.escape(name)
    if has_cjk(name):
        return re.compile(escaped)
    return re.compile(rf"\b{escaped}\b(?:['’]s)?")


def _latin_content(text: str) -> str:
    words = _WORD.findall(text)
    return " ".join(w for w in words if not is_stopword(_POSSESSIVE.sub("", w.lower())))


def _cjk_content(text: str) -> str:
    bare = _CJK_PUNCTUATION.sub(" ", _CJK_FUNCTION.sub(" ", text))
    return " ".join(_BLANK_BETWEEN_CJK.sub(" ", bare).split())
