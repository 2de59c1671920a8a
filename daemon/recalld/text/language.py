"""Which of the two writing systems a text is in, by script alone."""

import re

# Han with extensions, kana and Hangul: scripts whose words are not, or not reliably, set apart by
# blanks. One class for the tokenizer and the language test, so that they never disagree.
CJK_CLASS = (
    "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
    "\U00020000-\U000323af"
)
CJK_SHARE = 0.2

_CJK = re.compile(f"[{CJK_CLASS}]")
_BLANK = re.compile(r"\s")


def is_cjk(text: str) -> bool:
    """Whether at least a fifth of the characters that are not blanks are CJK.

    A fifth, because notes in Chinese are full of Latin names and code. Empty text: False.
    """
    visible = len(text) - len(_BLANK.findall(text))
    return visible > 0 and len(_CJK.findall(text)) >= CJK_SHARE * visible


def has_cjk(text: str) -> bool:
    """Whether any character is CJK."""
    return _CJK.search(text) is not None
