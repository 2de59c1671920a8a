"""One safe line out of any text: for a block, a message or a prompt. Pure.

Whatever the text holds, its line has no line end, no hidden character, no tag and no secret that
is known by its shape, and it keeps its bound.
"""

import re
from collections.abc import Callable

from recalld.text.quote import defused, escaped, shortened
from recalld.text.redact import redact

LINE_CHARS = 200
# A line shows less; what stands behind this is neither read nor searched for secrets.
MAX_READ_CHARS = 4_000
# A secret that this bound cut in two has a first half that nobody knows by its shape. Where the
# word is longer than that, what is shown ends before the cut.
_HALF_WORD = re.compile(r"[!-~]{1,1000}\Z")

Sign = Callable[[str], str]


def tagless(text: str) -> str:
    """Without angle brackets, all else as it was: an address with ``&`` stays one."""
    return text.replace("<", "&lt;").replace(">", "&gt;")


def plain(text: str, limit_chars: int) -> str:
    """One line of at most ``limit_chars``, not yet escaped; cut with ``…`` between words."""
    return _fitted(_clean(text), limit_chars, str)


def line(text: str, limit_chars: int = LINE_CHARS, *, sign: Sign = escaped) -> str:
    """One line, escaped by ``sign``, which only ever lengthens; the bound holds for the result."""
    return _fitted(_clean(text), limit_chars, sign)


def quotation(text: str, limit_chars: int = LINE_CHARS, *, sign: Sign = escaped) -> str:
    """The same between quotation marks, which count; those inside stand behind a backslash."""
    inner = _fitted(_clean(text), limit_chars - 2, lambda part: sign(part).replace('"', '\\"'))
    return f'"{inner}"'


def _clean(text: str) -> str:
    """Secrets go first, while the lines that show them are still lines, and once more after it:
    hidden characters may have hidden them."""
    if len(text) > MAX_READ_CHARS:
        text = _HALF_WORD.sub("", text[:MAX_READ_CHARS])
    return redact(defused(redact(text).text)).text


def _fitted(text: str, limit_chars: int, sign: Sign) -> str:
    """The longest start that fits; empty where not even an ellipsis does."""
    whole = sign(text)
    if len(whole) <= limit_chars:
        return whole
    low, high = 0, min(len(text), limit_chars)
    while low < high:
        middle = (low + high + 1) // 2
        if len(sign(text[:middle])) < limit_chars:
            low = middle
        else:
            high = middle - 1
    return sign(shortened(text, low)) if limit_chars > 0 else ""
