"""Text that comes as arguments or from standard input."""

import sys

from recalld.errors import BadRequest

STANDARD_INPUT = "standard input"
MAX_INPUT_BYTES = 1 << 20


def standard_input() -> bytes:
    """All of it. Raises ``BadRequest`` above 1 MiB: a part would be taken for the whole."""
    data = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
    if len(data) > MAX_INPUT_BYTES:
        raise BadRequest(STANDARD_INPUT, f"is larger than {MAX_INPUT_BYTES} bytes")
    return data


def text_of(words: list[str]) -> str:
    """The words with blanks between them; ``-`` alone is standard input."""
    if words == ["-"]:
        return standard_input().decode("utf-8", "replace").rstrip("\n")
    return " ".join(words)
