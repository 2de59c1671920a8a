"""What the terminal sees: one line of JSON for programs, safe plain text for people."""

import json
import re
import sys
from collections.abc import Mapping, Sequence

# Recalled text is somebody's words: it may not move the cursor or recolour the screen.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """``text`` without control characters (tabs and line feeds stay)."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")


def say(text: str = "") -> None:
    """One line or several, made safe."""
    sys.stdout.write(safe(text) + "\n")


def table(rows: Sequence[Sequence[object]], *, head: Sequence[str], indent: str = "") -> None:
    """Columns aligned by width in terminal cells; numbers to the right."""
    from rich.cells import cell_len  # noqa: PLC0415 (only tables need it)

    cells = [[safe(_shown(value)).replace("\n", " ") for value in row] for row in rows]
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
        sys.stdout.write((indent + "  ".join(parts)).rstrip() + "\n")


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
            say(f"{indent}{name}: {_shown(inner)}")


def _shown(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) < 10 else f"{value:.1f}"
        case list() | tuple():
            return ", ".join(_shown(item) for item in value) or "-"
        case Mapping():
            return ", ".join(f"{k}={_shown(v)}" for k, v in value.items()) or "-"
        case _:
            return str(value)
