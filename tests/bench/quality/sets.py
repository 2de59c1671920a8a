"""The evaluation sets as values."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SETS = ("locomo", "longmemeval", "cmrc_zh", "memorybank_zh", "docs_xling", "devmem")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One chunk of a corpus. ``session`` is a chat, a day, a passage or a page."""

    id: str
    session: str
    text: str
    speaker: str | None
    date: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    qid: str
    group: str
    text: str
    lang: str
    category: str
    gold: frozenset[str]
    gold_sessions: frozenset[str]
    abstain: bool
    no_gold: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSet:
    """``groups``: the rows a query may search, by name; a query names its group."""

    name: str
    groups: dict[str, tuple[Row, ...]]
    queries: tuple[Query, ...]


def data_folder() -> Path:
    """Where the sets are: ``RECALLD_EVAL_DATA``, else beside the repository."""
    default = Path(__file__).resolve().parents[4] / "shared" / "data"
    return Path(os.environ.get("RECALLD_EVAL_DATA", default))


def load_set(data: Path, name: str) -> EvalSet:
    groups: dict[str, list[Row]] = {}
    for row in _lines(data / name / "corpus.jsonl"):
        groups.setdefault(str(row["group"]), []).append(_row(row))
    queries = list(_lines(data / name / "queries.jsonl"))
    negatives = data / name / "negatives.jsonl"
    if negatives.exists():
        queries += _lines(negatives)
    return EvalSet(
        name=name,
        groups={group: tuple(rows) for group, rows in groups.items()},
        queries=tuple(_query(row) for row in queries),
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            yield json.loads(line)


def _row(row: dict[str, Any]) -> Row:
    caption = f" [{row['image_caption']}]" if row.get("image_caption") else ""
    return Row(
        id=row["id"],
        session=row.get("session") or row["id"],
        text=row["text"] + caption,
        speaker=row.get("speaker"),
        date=row.get("date"),
    )


def _query(row: dict[str, Any]) -> Query:
    return Query(
        qid=row["qid"],
        group=row["group"],
        text=row["query"],
        lang=row["lang"],
        category=row["category"],
        gold=frozenset(row.get("gold") or ()),
        gold_sessions=frozenset(row.get("gold_sessions") or ()),
        abstain=bool(row.get("abstain")),
        no_gold=bool(row.get("no_gold")),
    )
