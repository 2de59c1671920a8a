"""A host's memory search: its command line, and what it prints as hits. Pure."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import orjson

from recalld.search.model import Found, Source
from recalld.text.clean import strip_own_blocks
from recalld.text.redact import redact

MAX_TEXT_CHARS = 4_000
MAX_PATH_CHARS = 1_024
# What the id of a hit begins with: its score is not the index's own.
PROVENANCE = "command:"

_STARTS = ("startLine", "lineStart", "line")
_ENDS = ("endLine", "lineEnd")
_TEXTS = ("snippet", "text", "content")
_MAX_LINE = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Where the hits belong. ``source_of`` tells a source by its path in the workspace."""

    workspace_id: int
    root: str
    source_of: Callable[[str], Source]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """``refused`` counts rows that were no hits."""

    found: tuple[Found, ...]
    refused: int = 0


def filled(command: Sequence[str], *, query: str, limit: int) -> list[str]:
    """The arguments. A query never reads as an option, and never as a placeholder."""
    words = " ".join(query.replace("\0", " ").split()).lstrip("-– ")
    values = {"{query}": words, "{limit}": str(limit)}
    return [command[0], *(_filled(part, values) for part in command[1:])]


def _filled(part: str, values: Mapping[str, str]) -> str:
    before, mark, after = part.partition("{query}")
    plain = [piece.replace("{limit}", values["{limit}"]) for piece in (before, after)]
    if not mark:
        return plain[0]
    return plain[0] + values["{query}"] + plain[1].replace("{query}", values["{query}"])


def read_answer(printed: bytes, context: Context, *, limit: int) -> Answer | None:
    """Hits in the command's order, best first by its score; None where it printed no answer.

    Read are an object with ``results`` and a bare list; lines before the JSON are passed over.
    A row without path, text or score is refused. The score is the command's own, clamped to
    [0, 1]: it means what the command means by it, and the id says that it is a command's.
    """
    rows = _rows(printed)
    if rows is None:
        return None
    hits = [_hit(row, context) for row in rows]
    found = sorted((hit for hit in hits if hit is not None), key=lambda hit: -hit.raw_score)
    return Answer(found=tuple(found[:limit]), refused=hits.count(None))


def _rows(printed: bytes) -> list[object] | None:
    text = printed.strip()
    starts = [0, *(at + 1 for at in _line_ends(text) if text[at + 1 : at + 2] in (b"{", b"["))]
    for start in starts[:8]:
        try:
            value = orjson.loads(text[start:])
        except ValueError:
            continue
        rows = value.get("results") if isinstance(value, dict) else value
        if isinstance(rows, list):
            return rows
    return None


def _line_ends(text: bytes) -> list[int]:
    found: list[int] = []
    at = text.find(b"\n")
    while at >= 0 and len(found) < 256:
        found.append(at)
        at = text.find(b"\n", at + 1)
    return found


def _hit(row: object, context: Context) -> Found | None:
    if not isinstance(row, Mapping):
        return None
    path = _path_of(row.get("path"), context.root)
    text = next((value for key in _TEXTS if isinstance(value := row.get(key), str)), "")
    text = redact(strip_own_blocks(text[: 4 * MAX_TEXT_CHARS])).text[:MAX_TEXT_CHARS]
    score = _number(row.get("score"))
    if not path or not text.strip() or score is None:
        return None
    start = _line(row, _STARTS) or 1
    raw_score = min(1.0, max(0.0, score))
    return Found(
        uid=_uid(path, start, text),
        workspace_id=context.workspace_id,
        path=path,
        start_line=start,
        end_line=max(start, _line(row, _ENDS) or start),
        source=context.source_of(path),
        heading="",
        text=text,
        focus=(0, 0),
        speaker=None,
        date=None,
        session=None,
        modified_at=None,
        raw_score=raw_score,
        order_score=raw_score,
        both_legs=False,
    )


def _path_of(value: object, root: str) -> str:
    """Relative to the workspace where it lies inside; empty for what is no path."""
    if not isinstance(value, str) or not 0 < len(value) <= MAX_PATH_CHARS:
        return ""
    if not value.isprintable():
        return ""
    path = value.replace("\\", "/").removeprefix("./")
    inside = root.rstrip("/") + "/"
    return path.removeprefix(inside) if root else path


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(min(max(value, -1), 2))


def _line(row: Mapping[object, object], names: Sequence[str]) -> int | None:
    for name in names:
        value = row.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MAX_LINE:
            return value
    return None


def _uid(path: str, line: int, text: str) -> str:
    told = f"{path}\0{line}\0{text}".encode("utf-8", "replace")
    return PROVENANCE + hashlib.blake2b(told, digest_size=12).hexdigest()
