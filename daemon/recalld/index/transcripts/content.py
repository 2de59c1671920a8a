"""What the hosts' lines have in common: blocks of text, times. Pure."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

_TEXT_BLOCKS = frozenset({"text", "input_text", "output_text"})
# Seconds of the year 5138; a larger number is milliseconds.
_MOST_SECONDS = 1e11


def mapping(value: object) -> Mapping[str, object]:
    """``value`` where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def string(value: object) -> str | None:
    """``value`` where it is a text that says something, else None."""
    return value if isinstance(value, str) and value else None


def blocks(content: object) -> Iterable[Mapping[str, object]]:
    listed = content if isinstance(content, list) else ()
    return (block for block in listed if isinstance(block, dict))


def has_block(content: object, kind: str) -> bool:
    return any(block.get("type") == kind for block in blocks(content))


def text_of(content: object) -> str:
    """A plain text, or the text blocks of a list joined by line feeds; else ''."""
    return "\n".join(texts_of(content))


def texts_of(content: object) -> list[str]:
    """A plain text, or the text blocks of a list; else nothing.

    Thinking, tool calls, their results and pictures are not said to anybody.
    """
    if isinstance(content, str):
        return [content]
    texts = (block.get("text") for block in blocks(content) if block.get("type") in _TEXT_BLOCKS)
    return [text for text in texts if isinstance(text, str)]


def time_of(*values: object) -> str | None:
    """The first that is a time, as ISO 8601: a text that begins with a date, or an epoch number."""
    for value in values:
        if isinstance(value, str) and len(value) >= 10 and _is_time(value):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            seconds = value / 1_000 if value > _MOST_SECONDS else value
            try:
                return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
            except (OverflowError, OSError, ValueError):
                continue
    return None


def _is_time(value: str) -> bool:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True
