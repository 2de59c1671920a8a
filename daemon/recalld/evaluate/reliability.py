"""What a fitted raw score is worth: how often it is right, and what each threshold lets in."""

from collections.abc import Sequence
from itertools import pairwise

from recalld.evaluate.metrics import Answer, is_plain_miss, share
from recalld.evaluate.samples import CROSSED

THRESHOLDS = (0.45, 0.55, 0.60, 0.65, 0.75, 0.85)
BIN_EDGES = (0.0, 0.25, 0.45, 0.55, 0.65, 0.75, 0.85, 1.0)
SHOWN = 3


def reliability(answers: Sequence[Answer]) -> list[tuple[float, float, int, float]]:
    """Rows (from, to, questions, share that is right) by the raw score of the first hit.

    Right: the first hit is evidence. Questions that nothing answers count as wrong, adversarial
    ones and those of other corpora are left out. NaN where a bin is empty.
    """
    first = [
        (one.ranked[0][1], not one.query.abstain and one.is_gold(one.ranked[0][0]))
        for one in answers
        if one.ranked and (not one.query.abstain or is_plain_miss(one.query))
    ]
    rows = []
    for low, high in pairwise(BIN_EDGES):
        inside = [good for raw, good in first if low <= raw < high or raw == high == 1.0]
        rows.append((low, high, len(inside), share(inside)))
    return rows


def curve(answers: Sequence[Answer]) -> dict[str, list[tuple[int, float]]]:
    """By threshold, useful injection by set and false injection by category: (n, share).

    Useful: one of the first three rows that reach the threshold is evidence.
    """
    kinds: dict[str, list[Answer]] = {}
    for one in answers:
        if one.query.no_gold:
            continue
        kinds.setdefault(_kind(one), []).append(one)
        if is_plain_miss(one.query):
            kinds.setdefault("false, plain misses together", []).append(one)
    return {
        kind: [(len(members), share([_counts(one, at) for one in members])) for at in THRESHOLDS]
        for kind, members in sorted(kinds.items(), key=lambda item: (item[0][0] != "u", item[0]))
    }


def _kind(one: Answer) -> str:
    if not one.query.abstain:
        return f"useful, {one.set_name}"
    if one.query.category == CROSSED:
        return "false, other corpora"
    return f"false, {one.query.category or 'unanswerable'}, {one.set_name}"


def _counts(one: Answer, threshold: float) -> bool:
    shown = [row for row, raw in one.ranked[:SHOWN] if raw >= threshold]
    return bool(shown) if one.query.abstain else any(one.is_gold(row) for row in shown)
