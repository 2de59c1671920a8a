"""Which sentences of a text ask. What was asked is no evidence of what is so. Pure."""

import re

_SENTENCE = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]?")
_MARKS = ("?", "？")


def sentences(text: str) -> list[str]:
    """The sentences in order, blank ones left out; a line's end ends one too."""
    return [part for part in _SENTENCE.findall(text) if part and not part.isspace()]


def asks(sentence: str) -> bool:
    """Whether it ends with a question mark."""
    return sentence.rstrip().endswith(_MARKS)


def questions(text: str) -> list[str]:
    """Its sentences that ask."""
    if not may_ask(text):
        return []
    return [one for one in sentences(text) if asks(one)]


def may_ask(text: str) -> bool:
    """False: no sentence of it asks. A look, not a reading."""
    return any(mark in text for mark in _MARKS)


def asking_share(text: str) -> float:
    """The share of its characters that stand in sentences that ask, in [0, 1]."""
    asked = sum(map(len, questions(text)))
    return asked / len(text) if asked else 0.0
