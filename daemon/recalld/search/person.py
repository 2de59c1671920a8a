"""Whose words a question about oneself wants: one's own, not the assistant's echo. Pure.

Until an assistant repeats the question's words, its turns look like the better answer. In chats
with an assistant Recall@5 rises from .72 to .87; nothing else moves.
"""

import re

_ONESELF = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|myself|we|we['’](?:re|ve|d|ll)|ours?|ourselves)\b"
    r"(?![.]\w)|我|咱|俺",
    re.IGNORECASE,
)
# In capitals a country.
_US = re.compile(r"\bus\b")
_SAYING = (
    r"(?:recommend|suggest|mention|propos|advis|explain|describ|list|provid|told|tell|said|say"
    r"|gave|give|wrote|write)"
)
_ASSISTANT = re.compile(
    rf"\byou(?:r)? (?:\w+ ){{0,2}}{_SAYING}\w*|\b(?:did|have|had) you\b"
    r"|[你您](?:曾经|曾|之前|以前|上次|当时|还|有没有|都|是|给我|向我|对我|跟我|和我)*"
    r"(?:推荐|建议|提到|提过|说|告诉|介绍|给|讲|解释)",
    re.IGNORECASE,
)


def speaks_of_oneself(text: str) -> bool:
    """Whether it says I, my, we, us, 我, 咱."""
    return _ONESELF.search(text) is not None or _US.search(text) is not None


def wants_own_words(text: str) -> bool:
    """Whether it is about oneself and does not ask what the assistant said."""
    return speaks_of_oneself(text) and _ASSISTANT.search(text) is None
