"""Ranks and injections to figures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RAW_THRESHOLD = 0.65
INJECTED = 3
PLAIN_MISSES = ("foreign", "not_in_memory", "not_mentioned")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back for one query: rows and sessions in order, raw scores beside the rows."""

    set_name: str
    lang: str
    category: str
    abstain: bool
    gold: frozenset[str]
    gold_sessions: frozenset[str]
    rows: tuple[str | None, ...]
    row_sessions: tuple[str, ...]
    raw: tuple[float, ...]
    took_ms: float

    @property
    def sessions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.row_sessions))

    @property
    def injected(self) -> tuple[int, ...]:
        """Places of what a threshold of .65 lets in, at most three."""
        return tuple(i for i, raw in enumerate(self.raw) if raw >= RAW_THRESHOLD)[:INJECTED]

    @property
    def useful(self) -> bool:
        if self.gold:
            return any(self.rows[i] in self.gold for i in self.injected)
        return any(self.row_sessions[i] in self.gold_sessions for i in self.injected)


def ranked(places: Sequence[tuple[Sequence[str | None], frozenset[str]]]) -> dict[str, float]:
    """Hit@1, MRR@3, Recall@5, Recall@10 over (ranking, gold)."""
    totals = np.zeros(4)
    for order, gold in places:
        first = next((i for i, one in enumerate(order) if one in gold), None)
        totals += (
            first == 0,
            1 / (first + 1) if first is not None and first < 3 else 0.0,
            len(gold & set(order[:5])) / len(gold),
            len(gold & set(order[:10])) / len(gold),
        )
    means = totals / max(1, len(places))
    names = ("hit@1", "mrr@3", "recall@5", "recall@10")
    return {"n": len(places), **dict(zip(names, map(float, means), strict=True))}


def share(values: Sequence[bool]) -> float:
    return float(np.mean(values)) if values else float("nan")
