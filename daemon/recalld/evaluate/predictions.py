"""Answers as prediction rows: one JSON object a line, as a scorer of its own reads them.

``{"qid": …, "ranked": [[row, raw score], …], "injected": [row, …]}``, one file a set.
"""

from collections.abc import Iterable
from pathlib import Path

import orjson

from recalld.evaluate.metrics import Answer, grouped


def write_predictions(folder: Path, answers: Iterable[Answer]) -> tuple[Path, ...]:
    """``SET.jsonl`` for every set, queries in their order; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, members in grouped(answers, lambda one: one.set_name).items():
        file = folder / f"{name}.jsonl"
        file.write_bytes(b"".join(prediction(one) + b"\n" for one in members))
        files.append(file)
    return tuple(files)


def prediction(answer: Answer) -> bytes:
    return orjson.dumps(
        {
            "qid": answer.query.qid,
            "ranked": [[row, round(raw, 6)] for row, raw in answer.ranked],
            "injected": answer.injected,
        }
    )
