"""What the terminal sees: one line of JSON for programs, safe plain text for people."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TextIO, cast

# Recalled text is somebody's words: it may not move the cursor or recolour the screen.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """``text`` without control characters (tabs and line feeds stay)."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


_LEADING_HEADINGS = re.compile(r"\A(?:\s*#{1,6}[ \t]+[^\n]*(?:\n|\Z))+")
_HEADING_MARK = re.compile(r"(?m)^ {0,3}#{1,6}[ \t]+")
_BULLET = re.compile(r"(?m)^\s*[-*+][ \t]+")
_DENSE = {"loading": "model loading", "failed": "the model does not load"}


class ReaderGone(Exception):
    """Nobody reads standard output any more, as when a pipeline's ``head`` has enough."""


class Unwritable(Exception):
    """Standard output takes no more; the message says why."""


class _Told:
    """Standard output whose faults are ``ReaderGone`` and ``Unwritable``, never ``OSError``.

    The command parser and the help would end the program at those in ways of their own.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with _told_apart():
            return self._stream.write(text)

    def flush(self) -> None:
        with _told_apart():
            self._stream.flush()

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


@contextmanager
def _told_apart() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderGone from error
    except OSError as error:
        raise Unwritable((error.strerror or str(error)).lower()) from error


def written_out(body: Callable[[], int]) -> int:
    """The code of ``body``, once all it said is out: 141 when nobody reads, 1 when it cannot be."""
    stream = sys.stdout
    sys.stdout = cast("TextIO", _Told(stream))
    try:
        code = body()
        flush()
    except ReaderGone:
        _discard()
        return 141
    except Unwritable as error:
        _discard()
        sys.stderr.write(f"recalld: cannot write to standard output: {error}\n")
        return 1
    finally:
        sys.stdout = stream
    return code


def _discard() -> None:
    """Let what is still held back go nowhere: a second complaint at exit helps nobody."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.close(sink)


def write(text: str) -> None:
    """As it is: what comes from a note passes ``say``."""
    sys.stdout.write(text)


def flush() -> None:
    sys.stdout.flush()


def print_json(value: object) -> None:
    write(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")


def say(text: str = "") -> None:
    """One line or several, made safe."""
    write(safe(text) + "\n")


def flowing(markdown: str) -> str:
    """A note's text as one line to read: its own heading off, other marks as plain points.

    The heading itself where the text has nothing else.
    """
    body = _LEADING_HEADINGS.sub("", markdown) if _LEADING_HEADINGS.match(markdown) else markdown
    plain = _BULLET.sub("• ", _HEADING_MARK.sub("", body if body.strip() else markdown))
    return " ".join(plain.split()).removeprefix("• ")


def in_words(reason: str) -> str:
    """Why a result is what it is; what the daemon says of its dense leg as people say it."""
    leg, _, why = reason.partition(": ")
    if leg != "dense" or not why:
        return reason
    return f"by meaning in part, {why}" if "%" in why else f"words only, {_DENSE.get(why, why)}"


def table(rows: Sequence[Sequence[object]], *, head: Sequence[str], indent: str = "") -> None:
    """Columns aligned by width in terminal cells; numbers to the right."""
    from rich.cells import cell_len  # noqa: PLC0415 (only tables need it)

    cells = [[safe(shown(value)).replace("\n", " ") for value in row] for row in rows]
    lines = [list(head), *cells]
    widths = [max(cell_len(line[column]) for line in lines) for column in range(len(head))]
    right = [
        bool(rows) and all(isinstance(row[column], int | float) for row in rows)
        for column in range(len(head))
    ]
    for line in lines:
        parts = []
        for text, width, to_right in zip(line, widths, right, strict=True):
            gap = " " * (width - cell_len(text))
            parts.append(gap + text if to_right else text + gap)
        write((indent + "  ".join(parts)).rstrip() + "\n")


def tree(value: Mapping[str, object], *, indent: str = "") -> None:
    """Nested facts, one a line, in the order given."""
    for name, inner in value.items():
        if isinstance(inner, Mapping) and inner:
            say(f"{indent}{name}")
            tree(inner, indent=indent + "  ")
        elif isinstance(inner, list) and inner and isinstance(inner[0], Mapping):
            say(f"{indent}{name}")
            for item in inner:
                say(f"{indent}  -")
                tree(item, indent=indent + "    ")
        else:
            say(f"{indent}{name}: {shown(inner)}")


def shown(value: object) -> str:
    """One fact in a few characters; ``-`` for one that is not there."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) < 10 else f"{value:.1f}"
        case list() | tuple():
            return ", ".join(shown(item) for item in value) or "-"
        case Mapping():
            return ", ".join(f"{k}={shown(v)}" for k, v in value.items()) or "-"
        case _:
            return str(value)
