"""Labelled corpora as values: what is stored, what is asked, and which of it is the answer.

A set is a folder with ``corpus.jsonl`` (a row a chunk: ``id``, ``group``, ``text``, and where
known ``session``, ``date``, ``speaker``, ``image_caption``), ``queries.jsonl`` and perhaps
``negatives.jsonl`` (``qid``, ``group``, ``query``, ``lang``, ``category``, and where known
``gold``, ``gold_sessions``, ``stale``, ``abstain``, ``no_gold``, ``question_date``). Other fields
are passed over.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from recalld.errors import BadRequest

T = TypeVar("T")

CORPUS, QUERIES, NEGATIVES = "corpus.jsonl", "queries.jsonl", "negatives.jsonl"
# Questions without an answer whose topic is not there either; nothing should come back.
PLAIN_MISSES = ("foreign", "not_in_memory", "not_mentioned", "abstention")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One chunk of a corpus. ``session`` is a chat, a day, a passage or a page, else the id."""

    id: str
    session: str
    text: str
    speaker: str | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question to one group.

    ``gold``: ids of the rows that answer it; ``gold_sessions``: their sessions, or all that is
    known of the answer. ``stale``: rows that hold an earlier value. ``abstain``: nothing answers
    it. ``no_gold``: the answer is not known; leave it out. ``asked_at`` None: not told.
    """

    qid: str
    group: str
    text: str
    lang: str
    category: str
    gold: frozenset[str] = frozenset()
    gold_sessions: frozenset[str] = frozenset()
    stale: frozenset[str] = frozenset()
    abstain: bool = False
    no_gold: bool = False
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSet:
    """``groups``: the rows a query may search, by name; a query names its group."""

    name: str
    groups: dict[str, tuple[Row, ...]]
    queries: tuple[Query, ...]


class _RowLine(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    group: str
    text: str
    session: str | None = None
    date: str | None = None
    speaker: str | None = None
    image_caption: str | None = None


class _QueryLine(msgspec.Struct, frozen=True, kw_only=True):
    qid: str
    group: str
    query: str
    lang: str = ""
    category: str = ""
    gold: tuple[str, ...] | None = ()
    gold_sessions: tuple[str, ...] | None = ()
    stale: tuple[str, ...] | None = ()
    abstain: bool = False
    no_gold: bool = False
    question_date: str | None = None


def set_names(data: Path) -> tuple[str, ...]:
    """The folders of ``data`` that are sets, sorted; ``data`` itself is one too as ``.``."""
    if (data / CORPUS).is_file() and (data / QUERIES).is_file():
        return (".",)
    return tuple(
        sorted(
            folder.name
            for folder in data.iterdir()
            if (folder / CORPUS).is_file() and (folder / QUERIES).is_file()
        )
    )


def load_set(data: Path, name: str) -> EvalSet:
    """Raises ``BadRequest`` with file and line for a row that is none, and for a query whose
    group no row belongs to."""
    folder = data / name
    groups: dict[str, list[Row]] = {}
    for line in _lines(folder / CORPUS, _RowLine):
        groups.setdefault(line.group, []).append(_row(line))
    lines = list(_lines(folder / QUERIES, _QueryLine))
    if (folder / NEGATIVES).exists():
        lines += _lines(folder / NEGATIVES, _QueryLine)
    for asked in lines:
        if asked.group not in groups:
            raise BadRequest(f"{name}: {asked.qid}", f"no row belongs to group {asked.group!r}")
    sessions = {(group, row.id): row.session for group, rows in groups.items() for row in rows}
    return EvalSet(
        name=folder.resolve().name if name == "." else name,
        groups={group: tuple(rows) for group, rows in groups.items()},
        queries=tuple(_query(asked, sessions) for asked in lines),
    )


def _lines(path: Path, kind: type[T]) -> Iterator[T]:
    decoder = msgspec.json.Decoder(kind)
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise BadRequest(str(path), error.strerror or "cannot be read") from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield decoder.decode(line)
            except msgspec.DecodeError as error:
                raise BadRequest(f"{path}:{number}", str(error)) from error


def _row(line: _RowLine) -> Row:
    caption = f" [{line.image_caption}]" if line.image_caption else ""
    return Row(
        id=line.id,
        session=line.session or line.id,
        text=line.text + caption,
        speaker=line.speaker,
        date=line.date,
    )


def _query(line: _QueryLine, sessions: dict[tuple[str, str], str]) -> Query:
    gold = frozenset(line.gold or ())
    known = frozenset(sessions[line.group, row] for row in gold if (line.group, row) in sessions)
    return Query(
        qid=line.qid,
        group=line.group,
        text=line.query,
        lang=line.lang,
        category=line.category,
        gold=gold,
        gold_sessions=frozenset(line.gold_sessions or ()) or known,
        stale=frozenset(line.stale or ()),
        abstain=line.abstain,
        no_gold=line.no_gold,
        asked_at=moment(line.question_date),
    )


def moment(text: str | None) -> datetime | None:
    """An ISO date or date-time, UTC where it names no zone; None where it is neither."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
