"""The labelled messages, and questions of the retrieval sets as free examples."""

import hashlib
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Questions about one's own past need memory, questions to an encyclopaedia or a manual do not.
# LoCoMo is left out: its licence excludes commercial use, and the names rule covers its kind.
QUESTION_SETS = (
    ("longmemeval", True, "MIT"),
    ("memorybank_zh", True, "MIT"),
    ("devmem", True, "MIT"),
    ("cmrc_zh", False, "CC BY-SA 4.0"),
    ("docs_xling", False, "MIT"),
)
QUESTIONS_PER_SET = 120
SEED = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    id: str
    text: str
    lang: str
    kind: str
    label: str
    origin: str
    tags: tuple[str, ...]
    session_key: str
    query: str
    depth: str | None

    @property
    def held_out(self) -> bool:
        """A third of the rows, by their id: neither written against nor trained on."""
        return int(hashlib.sha256(self.id.encode()).hexdigest(), 16) % 3 == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    name: str
    needs_memory: bool
    licence: str
    texts: tuple[str, ...]


def gate_rows(folder: Path) -> tuple[Row, ...]:
    return tuple(
        Row(
            id=row["id"],
            text=row["text"],
            lang=row["lang"],
            kind=row["kind"],
            label=row["label"],
            origin=row["origin"],
            tags=tuple(row["tags"]),
            session_key=row.get("session_key", ""),
            query=row.get("query", row["text"]),
            depth=row.get("depth"),
        )
        for row in _lines(folder / "gate" / "gate.jsonl")
    )


def questions(folder: Path) -> tuple[Questions, ...]:
    """At most 120 a set, drawn with a fixed seed; none that is a held-out row of the gate."""
    held = {row.text for row in gate_rows(folder) if row.held_out}
    found = []
    for name, needs_memory, licence in QUESTION_SETS:
        texts = [row["query"] for row in _lines(folder / name / "queries.jsonl")]
        texts = sorted(set(texts) - held)
        random.Random(SEED).shuffle(texts)
        found.append(
            Questions(
                name=name,
                needs_memory=needs_memory,
                licence=licence,
                texts=tuple(texts[:QUESTIONS_PER_SET]),
            )
        )
    return tuple(found)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
