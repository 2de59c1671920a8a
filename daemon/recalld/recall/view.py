"""The part of a long message that says what it wants: its two ends. Pure."""

import re

# A question stands at one end of what is pasted with it.
END_CHARS = 8_192
# A cut moves to a line's border where one is that near.
_NEAR_CHARS = 512

_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)", re.M)


def ends(text: str) -> str:
    """``text``, or of a longer one its first and last 8,192 characters.

    What lies inside a code fence stays inside one: where the part left out opens or closes a
    fence, one stands in its place.
    """
    if len(text) <= 2 * END_CHARS:
        return text
    head = text.rfind("\n", END_CHARS - _NEAR_CHARS, END_CHARS) + 1 or END_CHARS
    start = len(text) - END_CHARS
    tail = text.find("\n", start, start + _NEAR_CHARS) + 1 or start
    fences = sum(1 for _ in _FENCE.finditer(text, head, tail))
    seam = "\n```\n" if fences % 2 else "\n"
    return text[:head] + seam + text[tail:]
