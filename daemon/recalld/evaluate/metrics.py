"""Answers to figures: how high the answer stands, and what would reach the prompt."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from recalld.evaluate.sets import PLAIN_MISSES, Query

RAW_THRESHOLD = 0.65
INJECTED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back for one query.

    ``ranked``: row ids, best first, each once, with the best raw score of its chunks;
    ``sessions``: their sessions, in that order. ``injected``: what would be put into a prompt.
    """

    set_name: str
    query: Query
    ranked: tuple[tuple[str, float], ...]
    sessions: tuple[str, ...]
    injected: tuple[str, ...]
    took_ms: float = 0.0
    degraded: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(row for row, _ in self.ranked)

    @property
    def useful(self) -> bool:
        """Whether anything of the answer would be injected."""
        return any(self.is_gold(row) for row in self.injected)

    def is_gold(self, row: str) -> bool:
        if self.query.gold:
            return row in self.query.gold
        session = dict(zip(self.rows, self.sessions, strict=True))[row]
        return session in self.query.gold_sessions

    @property
    def older_first(self) -> bool:
        """Whether a superseded row stands before every row of the answer."""
        order = self.rows
        places = {row: place for place, row in enumerate(order)}

        def first(rows: Iterable[str]) -> int:
            return min((places.get(row, len(order) + 1) for row in rows), default=len(order) + 1)

        return first(self.query.stale) < first(self.query.gold)


def injected(ranked: Sequence[tuple[str, float]], *, most: int = INJECTED) -> tuple[str, ...]:
    """The first rows that reach raw .65, ``most`` at most."""
    return tuple(row for row, raw in ranked if raw >= RAW_THRESHOLD)[:most]


def ranking(places: Sequence[tuple[Sequence[str], frozenset[str]]]) -> dict[str, float]:
    """``n``, Hit@1, MRR@3, Recall@5, Recall@10 and NDCG@10 (binary) over (ranking, gold)."""
    totals = np.zeros(5)
    for listed, gold in places:
        order = tuple(dict.fromkeys(listed))
        first = next((place for place, one in enumerate(order) if one in gold), None)
        gains = sum(1 / np.log2(at + 2) for at, one in enumerate(order[:10]) if one in gold)
        ideal = sum(1 / np.log2(at + 2) for at in range(min(10, len(gold))))
        totals += (
            first == 0,
            1 / (first + 1) if first is not None and first < 3 else 0.0,
            len(gold & set(order[:5])) / len(gold),
            len(gold & set(order[:10])) / len(gold),
            gains / ideal,
        )
    names = ("hit@1", "mrr@3", "recall@5", "recall@10", "ndcg@10")
    means = totals / max(1, len(places))
    return {"n": len(places), **dict(zip(names, map(float, means), strict=True))}


def by_row(answers: Iterable[Answer]) -> dict[str, float]:
    """``ranking`` of the answerable queries whose rows are known."""
    return ranking(
        [(one.rows, one.query.gold) for one in answers if _answerable(one) and one.query.gold]
    )


def by_session(answers: Iterable[Answer]) -> dict[str, float]:
    """``ranking`` of the answerable queries whose sessions are known."""
    return ranking(
        [
            (one.sessions, one.query.gold_sessions)
            for one in answers
            if _answerable(one) and one.query.gold_sessions
        ]
    )


def useful_share(answers: Iterable[Answer]) -> float:
    """Of the answerable queries, those with something of the answer injected; NaN for none."""
    return share([one.useful for one in answers if _answerable(one)])


def false_share(answers: Iterable[Answer]) -> float:
    """Of the queries without an answer, those with anything injected; NaN for none."""
    return share([bool(one.injected) for one in answers if one.query.abstain])


def is_plain_miss(query: Query) -> bool:
    """Asks of what is not there at all; adversarial questions swap the person of what is."""
    return query.abstain and query.category in PLAIN_MISSES


def latency_ms(answers: Iterable[Answer]) -> dict[str, float]:
    """p50, p95 and p99 of one search; NaN for none."""
    took = [one.took_ms for one in answers]
    return {
        f"p{part}": float(np.percentile(took, part)) if took else float("nan")
        for part in (50, 95, 99)
    }


def share(values: Sequence[bool]) -> float:
    return float(np.mean(values)) if values else float("nan")


def grouped(
    answers: Iterable[Answer], key: Callable[[Answer], str]
) -> dict[str, tuple[Answer, ...]]:
    """Answers by ``key``, in order of first appearance."""
    groups: dict[str, list[Answer]] = {}
    for one in answers:
        groups.setdefault(key(one), []).append(one)
    return {name: tuple(members) for name, members in groups.items()}


def kind_of(answer: Answer, *, mixed: frozenset[str]) -> str:
    """The set's name, with the question's language for the sets in ``mixed``."""
    name = answer.set_name
    return f"{name}/{answer.query.lang}" if name in mixed else name


def mixed_sets(answers: Iterable[Answer]) -> frozenset[str]:
    """Sets that know only pages or chats and ask in several languages: told apart by language."""
    languages: dict[str, set[str]] = {}
    for one in answers:
        if not one.query.gold and not one.query.abstain:
            languages.setdefault(one.set_name, set()).add(one.query.lang)
    return frozenset(name for name, found in languages.items() if len(found) > 1)


def _answerable(one: Answer) -> bool:
    return not one.query.abstain and not one.query.no_gold
