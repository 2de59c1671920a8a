"""Bytes of a file to text whose lines are those of any editor. Pure."""

import re
from dataclasses import dataclass

# More than this share of undecodable bytes is another encoding or no text at all.
MAX_BAD_SHARE = 0.3
# Enough to tell UTF-16 by its NULs; a whole file need not be looked at.
PROBE_BYTES = 4_096

_UTF8_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (
    (b"\xff\xfe\x00\x00", "utf32"),
    (b"\x00\x00\xfe\xff", "utf32"),
    (b"\xff\xfe", "utf16"),
    (b"\xfe\xff", "utf16"),
)
_ESCAPED = re.compile("[\udc80-\udcff]")
REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """``text`` None: ``skipped`` says why. Otherwise ``warning`` may say what was lost.

    Line ends are ``\\n``: a CRLF is one, a lone CR is a blank, so lines count by ``\\n`` as the
    file's do. No NUL, no lone surrogate, no byte order mark at the start.
    """

    text: str | None
    skipped: str | None = None
    warning: str | None = None


def decode(data: bytes) -> Decoded:
    """Text of UTF-8, also slightly broken; wide encodings and binary data are skipped."""
    wide = _wide(data)
    if wide is not None:
        return Decoded(text=None, skipped=wide)
    data = data.removeprefix(_UTF8_BOM)
    try:
        text, bad = data.decode("utf-8"), 0
    except UnicodeDecodeError:
        # Each byte that fails becomes exactly one surrogate, so this counts them.
        bad = len(_ESCAPED.findall(data.decode("utf-8", "surrogateescape")))
        text = data.decode("utf-8", "replace")
    nuls = data.count(0)
    if bad + nuls > MAX_BAD_SHARE * len(data):
        return Decoded(text=None, skipped="not_utf8")
    text = text.replace("\0", REPLACEMENT).replace("\r\n", "\n").replace("\r", " ")
    return Decoded(text=text, warning=_warning(bad, nuls))


def _warning(bad: int, nuls: int) -> str | None:
    lost = []
    if bad:
        lost.append(f"lossy utf-8 ({bad} bytes)")
    if nuls:
        lost.append(f"NUL replaced ({nuls})")
    return ", ".join(lost) or None


def _wide(data: bytes) -> str | None:
    for mark, name in _WIDE_BOMS:
        if data.startswith(mark):
            return name
    probe = data[:PROBE_BYTES]
    nuls = probe.count(0)
    if len(probe) < 4 or nuls < MAX_BAD_SHARE * len(probe):
        return None
    if nuls > 0.6 * len(probe):
        return "utf32"
    even = probe[::2].count(0)
    return "utf16" if even in (0, nuls) else None
