"""A question about yesterday leans towards the notes of yesterday. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, tzinfo

import numpy as np

from recalld.search.corpus import Ints
from recalld.search.model import ChunkDetail
from recalld.search.policy import SearchPolicy
from recalld.search.question import Question
from recalld.search.score import Fusion
from recalld.text.days import Days

Details = tuple[ChunkDetail, ...]


def day_of(detail: ChunkDetail, zone: tzinfo | None) -> date:
    """The day a chunk says it is of, else the day its file was written, in ``zone``."""
    if detail.date is not None:
        try:
            return date.fromisoformat(detail.date[:10])
        except ValueError:  # only a month or a year is known
            pass
    return datetime.fromtimestamp(detail.mtime_ns / 1e9, UTC).astimezone(zone).date()


def nearness(days: Days, of: Sequence[date]) -> list[float]:
    """1 for each of those days, falling by e with every day between."""
    away = [max((days.first - day).days, (day - days.last).days, 0) for day in of]
    return [float(np.exp(-min(distance, 30))) for distance in away]


def leaning(
    fusion: Fusion, at: Ints, details: Details, *, question: Question, policy: SearchPolicy
) -> tuple[Fusion, Ints, Details]:
    """The candidates with ``day_weight`` for their nearness, best first again.

    As they are where the question names no day.
    """
    if question.days is None or not details:
        return fusion, at, details
    near = nearness(question.days, [day_of(detail, question.zone) for detail in details])
    score = fusion.score.copy()
    score[at] += policy.day_weight * np.array(near, score.dtype)
    order = np.argsort(-score[at], kind="stable")
    return replace(fusion, score=score), at[order], tuple(details[place] for place in order)
