"""File names, which are bytes, as text that can be stored and shown. Pure."""

import re

# Control characters, line separators and what reorders a line: a label is one honest line.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def label_of(name: bytes) -> str:
    """The name as valid one-line text: what is not UTF-8 or not printable becomes ``\\xff``.

    Other names stay as they are, also in their Unicode form. Two names may share a label (one
    holds the escape literally); the scan then keeps the first.
    """
    text = name.decode("utf-8", "backslashreplace")
    return _UNPRINTABLE.sub(lambda match: _escape(match[0]), text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def is_below(path: str, prefix: str) -> bool:
    """Whether ``path`` is ``prefix`` or lies below it; everything lies below ''."""
    return not prefix or path == prefix or path.startswith(prefix + "/")
