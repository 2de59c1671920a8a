"""Secrets are found by their shape and replaced, before anything is stored, logged or shown.

Not found, and said so plainly: passwords without a name in front of them, passwords of letters
alone or of fewer than six characters, short or monotonous values behind other names
(``token=tok12345``), secrets that were base64- or hex-encoded as
a whole, split over lines, or spelled with zero-width characters. A URL-encoded secret is found
where its own characters need no escape. Redaction lowers the odds of a leak; it proves nothing.
"""

import hashlib
import hmac
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from recalld.text.secret_shapes import SHAPES, Shape

# Constant, so that an index built twice from the same files is the same index.
DEFAULT_KEY = b"recalld redaction v1"

# Replacing one secret can uncover another beside it; two passes have always been enough.
MAX_PASSES = 4
# The smallest bound a pattern puts on a value; a longer one may have been cut there.
LONG_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """The text without its secrets. ``kinds`` in order of first appearance, without repeats."""

    text: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    kind: str


_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_REST = re.compile(r"(?:\\[nr]|[A-Za-z0-9+/=])*+")
# Quotes and signs around the line: keys pasted from source code, YAML or a quoted mail.
_PEM_LINE = re.compile(
    r"[^\S\n]*+[>|\"'+#*-]{0,4}[^\S\n]*+(?:[A-Za-z0-9+/=]++|[A-Z][A-Za-z-]+: .*)?"
    r"(?:\\[nr])*[\"'+,;\\ \t]{0,8}\r?(?:\n|$)"
)
_LINE_END = re.compile(r"\r\n|\r|\n")
_MORE = re.compile(r"[A-Za-z0-9+/=_-]*+")
_STEMS = tuple((stem, shape) for shape in SHAPES for stem in shape.stems)
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def redact(text: str, *, key: bytes = DEFAULT_KEY) -> Redacted:
    """The text with every secret replaced by ``[redacted:KIND:HHHH]``.

    HHHH are four hex digits of a keyed hash: equal secrets compare equal, and 16 bits confirm
    no guess. Every line end stays where it was, so line numbers hold. Redacting twice changes
    nothing more. Linear in the text. Whoever sees this fail drops the text.
    """
    kinds: dict[str, None] = {}
    for _ in range(MAX_PASSES):
        spans = _merged([*_pem_spans(text), *_shape_spans(text)])
        if not spans:
            break
        kinds.update((span.kind, None) for span in spans)
        text = _replaced(text, spans, key)
    return Redacted(text=text, kinds=tuple(kinds))


def _replaced(text: str, spans: list[_Span], key: bytes) -> str:
    parts: list[str] = []
    at = 0
    for span in spans:
        secret = text[span.start : span.end]
        digest = hmac.new(key, secret.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        parts += [text[at : span.start], f"[redacted:{span.kind}:{digest[:4]}]"]
        parts += _LINE_END.findall(secret)
        at = span.end
    parts.append(text[at:])
    return "".join(parts)


def _merged(spans: list[_Span]) -> list[_Span]:
    """In order and without overlaps; of overlapping spans the earliest known kind names it."""
    merged: list[_Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            kind = span.kind if last.kind == "secret" else last.kind
            merged[-1] = _Span(last.start, max(last.end, span.end), kind)
        else:
            merged.append(span)
    return merged


def _folded(text: str) -> str:
    lower = text.lower()
    # A few letters grow when lowered (İ); positions must stay those of the text.
    return lower if len(lower) == len(text) else text.translate(_ASCII_LOWER)


def _shape_spans(text: str) -> Iterator[_Span]:
    lower = _folded(text)
    for stem, shape in _STEMS:
        haystack = lower if shape.folded else text
        if stem in haystack:
            yield from _stem_spans(text, haystack, stem, shape)


def _stem_spans(text: str, haystack: str, stem: str, shape: Shape) -> Iterator[_Span]:
    at = haystack.find(stem)
    while at >= 0:
        after = at + len(stem)
        match = shape.pattern.match(text, at)
        if match is not None:
            start, end = match.span(match.lastgroup or 0)
            if shape.accept(text[start:end]):
                end = _end_of(text, start, end)
                after = max(after, end)
                yield _Span(start, end, shape.kind)
        at = haystack.find(stem, after)


def _end_of(text: str, start: int, end: int) -> int:
    """The end; behind a value cut by the bound of its pattern, the end of what goes on there."""
    more = _MORE.match(text, end) if end - start >= LONG_CHARS else None
    return end if more is None else more.end()


def _pem_spans(text: str) -> Iterator[_Span]:
    if "PRIVATE KEY" not in text:
        return
    ends = [(m.start(), m.end()) for m in _PEM_END.finditer(text)]
    begins = list(_PEM_BEGIN.finditer(text))
    at = 0
    for index, begin in enumerate(begins):
        if begin.start() < at:
            continue
        limit = begins[index + 1].start() if index + 1 < len(begins) else len(text)
        nearest = bisect_left(ends, (begin.end(), 0))
        closed = nearest < len(ends) and ends[nearest][0] < limit
        at = ends[nearest][1] if closed else _unterminated(text, begin.end(), limit)
        yield _Span(begin.start(), at, "private_key")


def _unterminated(text: str, start: int, limit: int) -> int:
    """The end of what looks like a key's body: to the first line that has words in it."""
    rest = _PEM_REST.match(text, start, limit)
    at = start if rest is None else rest.end()
    line_end = text.find("\n", at, limit)
    if line_end < 0 or text[at:line_end].strip(" \t\r\"'+,;\\"):
        return at
    last, at = at, line_end + 1
    while at < limit and (line := _PEM_LINE.match(text, at, limit)) is not None:
        at = line.end()
        if line.group().strip():
            last = at - 1 if line.group().endswith("\n") else at
    return last
