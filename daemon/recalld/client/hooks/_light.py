"""JSON and sockets without what the modules ``json`` and ``socket`` import.

With ``re``, ``enum`` and ``selectors`` behind them those two take as long as the interpreter
itself (10 ms beside 11 ms, measured), and a hook is a process for every prompt. What they are made
of is used where it is as known; anywhere else the public modules do the same, slower. Texts that
are no JSON are left to ``json``, which knows how to say so.
"""

try:
    import _socket as sockets
except ImportError:
    import socket as sockets  # type: ignore[no-redef]

try:
    from _json import encode_basestring, make_scanner
except ImportError:
    make_scanner = None  # type: ignore[assignment, misc]

__all__ = ["encoded", "parsed", "sockets"]

_BLANK = " \t\n\r"


class _Options:
    """What a scanner asks its decoder for: the defaults of ``json.loads``."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: "dict[str, str]" = {}  # noqa: RUF012 (of the decoder's shape; the scanner has its own)


def parsed(text: str) -> object:
    """As ``json.loads``. Raise ``ValueError`` for what is no JSON, ``RecursionError`` too deep."""
    if make_scanner is not None:
        stripped = text.strip(_BLANK)
        try:
            value, end = make_scanner(_Options())(stripped, 0)  # type: ignore[arg-type]
        except (StopIteration, ValueError, TypeError, AttributeError):
            end = -1
        if end == len(stripped):
            found: object = value
            return found
    import json  # noqa: PLC0415 (see above)

    told: object = json.loads(text)
    return told


def encoded(value: object) -> bytes:
    """UTF-8 as ``json.dumps`` writes it, without blanks; lone surrogates become ``?``.

    Raise ``ValueError`` for a number that JSON has no word for.
    """
    return _written(value).encode("utf-8", "replace")


def _written(value: object) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        if value - value != 0.0:
            raise ValueError("not a finite number")
        return float.__repr__(value)
    if isinstance(value, dict):
        items = (f"{_quoted(str(name))}:{_written(item)}" for name, item in value.items())
        return "{" + ",".join(items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_written, value)) + "]"
    raise ValueError(f"no JSON for a {type(value).__name__}")


def _quoted(text: str) -> str:
    if make_scanner is not None:
        return encode_basestring(text)
    import json  # noqa: PLC0415 (see above)

    return json.dumps(text, ensure_ascii=False)
