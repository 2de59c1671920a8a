"""Making stored text safe to quote: nothing in it can open, close or forge anything. Pure."""

import re
import unicodedata

# Format characters (bidi controls, zero-width, tags, Hangul fillers, supplementary variation
# selectors): they hide text from a reader or reorder it. Controls but tab and line ends.
_HIDDEN = re.compile(
    "["
    "\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd"
    "\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\ud800-\udfff"
    "]"
)
# A joiner or an emoji selector says something between pictographs and hides something elsewhere.
_PICTOGRAPH = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
_JOINER = re.compile(f"(?<![{_PICTOGRAPH}\ufe0f])\u200d|\u200d(?![{_PICTOGRAPH}])")
_SELECTOR = re.compile(f"(?<![{_PICTOGRAPH}0-9#*])[\ufe0e\ufe0f]")

_ROLES = r"system|human|user|assistant|developer|tool|系统|用户|助手"
_ROLE_LINE = re.compile(rf"(?im)^([\s>*#_\-]*(?:{_ROLES})[*_]*)([:：])")
_SPECIAL = re.compile(r"<(?=\|)|(?<=\|)>|\[(?=/?\s*INST\s*\])", re.IGNORECASE)
_UNSAFE_IN_PATH = re.compile(
    rf"[<>&#`\t-\r\x1c-\x1f\x85\u2028\u2029]|{_HIDDEN.pattern}|{_JOINER.pattern}|{_SELECTOR.pattern}"
    r"|%(?=[0-9A-Fa-f]{2})|\[(?=/?\s*(?i:INST)\s*\])"
    # Blanks at the ends, in a row, or of another kind would not survive being copied.
    r"|^\s|\s$|(?<=\s)\s|[^\S ]"
)
_BLANKS = re.compile(r"\s+")
_BREAK = "·"


def defused(text: str) -> str:
    """``text`` as one line without hidden characters, its role markers broken by ``·``.

    Tabs and line ends become blanks and runs of blanks one. ``System:`` at the start of a line
    becomes ``System·:``, ``<|`` and ``|>`` become ``<·|`` and ``|·>``, ``[INST]`` becomes
    ``[·INST]``. Text with nothing of the kind only loses line ends.
    """
    visible = _SELECTOR.sub("", _JOINER.sub("", _HIDDEN.sub("", text)))
    broken = _ROLE_LINE.sub(rf"\1{_BREAK}\2", visible)
    broken = _SPECIAL.sub(
        lambda mark: _BREAK + mark[0] if mark[0] == ">" else mark[0] + _BREAK, broken
    )
    return _BLANKS.sub(" ", broken).strip()


def escaped(text: str) -> str:
    """``text`` with ``&``, ``<`` and ``>`` as entities, so that no tag of any spelling is left."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def labelled_path(path: str) -> str:
    """A path as a label: as it is on disk, so that a reader can open it, on one line.

    Percent-encoded is only what could end the label, open a tag or hide: ``<``, ``>``, ``&``,
    ``#``, backticks, the bracket of ``[INST]``, controls, line ends and hidden characters; and
    ``%`` where two hexadecimal digits follow, so that decoding gives the path back.
    """
    return _UNSAFE_IN_PATH.sub(_percent_encoded, path)


def _percent_encoded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace"))


def excerpt(text: str, *, focus: tuple[int, int], limit_chars: int) -> str:
    """At most ``limit_chars`` of ``text`` around ``focus``, cut between words.

    ``…`` marks each end that was cut and counts. Inside a long word or a script without
    blanks the cut falls between characters, never inside a combined one.
    """
    if len(text) <= limit_chars:
        return text
    room = max(1, limit_chars - 2)
    start = _start(text, focus, room)
    end = min(len(text), start + room)
    left, right = _opening(text, start, end), _closing(text, start, end)
    head = "…" if left > 0 else ""
    tail = "…" if right < len(text) else ""
    return head + text[left:right].strip() + tail


def shortened(text: str, keep_chars: int) -> str:
    """The first ``keep_chars`` characters and ``…``; the text itself where it is not longer."""
    if len(text) <= keep_chars:
        return text
    return text[: _closing(text, 0, keep_chars)].rstrip() + "…"


def _start(text: str, focus: tuple[int, int], room: int) -> int:
    """Where a window of ``room`` characters begins that has the focus in its middle."""
    low = min(max(0, focus[0]), len(text))
    high = min(max(low, focus[1]), len(text))
    if high - low >= room:
        return min(low, len(text) - room)
    return max(0, min((low + high - room) // 2, len(text) - room))


# A word longer than this is cut rather than left out.
_WORD_CHARS = 24


def _opening(text: str, start: int, end: int) -> int:
    """``start``, moved right to where a word or at least a character begins."""
    if start == 0:
        return 0
    for place in range(start, min(start + _WORD_CHARS, end)):
        if not (_joined(text[place - 1]) and _joined(text[place])) and not _continues(text, place):
            return place
    return _between(text, start, step=1, stop=end)


def _closing(text: str, start: int, end: int) -> int:
    """``end``, moved left to where a word or at least a character ends."""
    if end >= len(text):
        return len(text)
    for place in range(end, max(end - _WORD_CHARS, start), -1):
        if not (_joined(text[place - 1]) and _joined(text[place])) and not _continues(text, place):
            return place
    return _between(text, end, step=-1, stop=start)


def _between(text: str, place: int, *, step: int, stop: int) -> int:
    while place != stop and _continues(text, place):
        place += step
    return place


def _joined(char: str) -> bool:
    """Whether ``char`` belongs to a word that blanks delimit."""
    return char.isalnum() and ord(char) < 0x1100


def _continues(text: str, place: int) -> bool:
    """Whether a cut before ``text[place]`` would split a combined character."""
    char, before = text[place], text[place - 1]
    return (
        unicodedata.combining(char) > 0
        or char in "\u200d\ufe0e\ufe0f"
        or before == "\u200d"
        or 0x1F3FB <= ord(char) <= 0x1F3FF
    )
