"""One JSON object out of what a language model wrote. Pure.

A ladder from strict to lenient; each rung runs only where those before it found nothing. What
is guessed is punctuation, never content: a string that was cut off stays cut off, and fails.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import orjson

# A longer answer is no answer: the longest one asked for has some 8,000 tokens.
MAX_CHARS = 32_768
# Braces in prose are few, and of those that nothing closes each costs the rest of the text.
MAX_OBJECTS = 16
MAX_SCANS = 4

_FENCE = re.compile(r"```[^\S\n]*[A-Za-z0-9_+-]{0,16}[^\S\n]*\n(?P<inside>.*?)```", re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?P<closed>"?)|[{}\[\],]|[^\s"{}\[\],]++', re.DOTALL)
_BEGINNING = re.compile(r'\{\s*"')
_CLOSERS = {"{": "}", "[": "]"}


class Method(StrEnum):
    """The rung that found the object."""

    STRICT = "strict"
    FENCE = "fence"
    BALANCED = "balanced"
    REPAIR = "repair"


class Problem(StrEnum):
    """Why there is no object. ``schema_fail``: JSON, but not an object."""

    EMPTY_CONTENT = "empty_content"
    JSON_SYNTAX_FAIL = "json_syntax_fail"
    SCHEMA_FAIL = "schema_fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """Either ``value`` and ``method`` or ``problem``."""

    value: dict[str, object] | None = None
    method: Method | None = None
    problem: Problem | None = None


def parse_object(text: str) -> Parsed:
    """The object that ``text`` is, holds in a fence, holds in prose, or nearly is."""
    text = text.strip().removeprefix("\ufeff")
    if not text:
        return Parsed(problem=Problem.EMPTY_CONTENT)
    if len(text) > MAX_CHARS:
        return Parsed(problem=Problem.JSON_SYNTAX_FAIL)
    is_json, value = _loaded(text)
    if isinstance(value, dict):
        return Parsed(value=value, method=Method.STRICT)
    if is_json:
        return Parsed(problem=Problem.SCHEMA_FAIL)
    for method, candidate in _candidates(text):
        _, value = _loaded(candidate)
        if isinstance(value, dict) and value:
            return Parsed(value=value, method=method)
    return Parsed(problem=Problem.JSON_SYNTAX_FAIL)


def _candidates(text: str) -> Iterator[tuple[Method, str]]:
    """What may be the object, from the surest rung to the last."""
    for fence in _FENCE.finditer(text):
        yield Method.FENCE, fence["inside"]
    spans = tuple(_spans(text))
    for span in spans:
        yield Method.BALANCED, span.text
    for span in spans:
        if not span.in_string:
            yield Method.REPAIR, span.repaired


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """From an opening brace to its own closing one, or to the end of the text.

    ``commas`` are positions of commas with nothing but a closing bracket or the end behind
    them; ``closers`` is what is missing at the end; ``in_string``: the text ends in a string.
    """

    text: str
    commas: tuple[int, ...]
    closers: str
    in_string: bool

    @property
    def repaired(self) -> str:
        kept = list(self.text.rstrip())
        for at in self.commas:
            kept[at] = " "
        return "".join(kept).rstrip() + self.closers


def _spans(text: str) -> Iterator[_Span]:
    """The outermost objects of ``text``, from left to right.

    What nothing closes spans the rest. Where it does not even begin like an object it was
    prose, and what stands behind its brace is looked at too; else what is inside is a part of
    an answer that was cut off, never the answer.
    """
    start, scanned = text.find("{"), 0
    for _ in range(MAX_OBJECTS):
        if start < 0 or scanned > MAX_SCANS * len(text):
            return
        span = _span(text, start)
        scanned += len(span.text)
        yield span
        closed = not span.closers and not span.in_string
        if not closed and _BEGINNING.match(text, start):
            return
        start = text.find("{", start + (len(span.text) if closed else 1))


def _span(text: str, start: int) -> _Span:
    """Brackets inside strings do not count. One that closes another kind ends the span."""
    stack: list[str] = []
    commas: list[int] = []
    comma: int | None = None
    end, in_string = len(text), False
    for token in _TOKEN.finditer(text, start):
        sign = token[0]
        if sign in _CLOSERS:
            stack.append(_CLOSERS[sign])
        elif sign in _CLOSERS.values():
            commas += [] if comma is None else [comma]
            if stack.pop() != sign or not stack:
                end = token.end()
                break
        elif sign[0] == '"' and not token["closed"]:
            in_string = True
            break
        comma = token.start() - start if sign == "," else None
    else:
        commas += [] if comma is None else [comma]
    return _Span(
        text=text[start:end],
        commas=tuple(commas),
        closers="" if end < len(text) else "".join(reversed(stack)),
        in_string=in_string,
    )


def _loaded(text: str) -> tuple[bool, object]:
    try:
        return True, orjson.loads(text)
    except ValueError:
        # Half a surrogate is no JSON either, and orjson says so with the same error.
        return False, None
