"""Fit the raw score of one engine: ``PYTHONPATH=tests python -m bench.quality.fit ENGINE FILE``.

Two logistic regressions and three anchors, on the labelled questions of the evaluation sets and
on questions of other corpora, which have no answer in the one they are asked of and need no
labels. Nothing but fitted numbers is written. The held-out figures printed beside are those of
questions that took no part: each set is judged by a fit on the other sets.
"""

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
import msgspec
import numpy as np
from numpy.typing import NDArray

from bench.quality.logistic import Fit, fit
from bench.quality.metrics import INJECTED, PLAIN_MISSES, RAW_THRESHOLD, share
from bench.quality.sets import SETS, EvalSet, Query, data_folder, load_set
from bench.quality.world import LIMIT, Placed, World, open_world
from recalld.search.features import FEATURES
from recalld.search.flow import load_coefficients
from recalld.search.model import Scope
from recalld.search.pipeline import Examined
from recalld.search.relevance import (
    QUESTION_FEATURES,
    Coefficients,
    Provenance,
    hit_log_odds,
    judge,
    question_features,
)

CROSS = "cross"
QUESTION_WEIGHT = 2.0
FLOOR = 0.5
# Shares of unanswerable questions that stay below raw .55, .65 and .85.
ANCHOR_SHARES = (0.80, 0.95, 0.995)
RIDGE = 3e-3
SEED = 7
SOURCES = (
    "LoCoMo (Maharana et al., ACL 2024), CC BY-NC 4.0",
    "LongMemEval (Wu et al., ICLR 2025), MIT",
    "CMRC 2018 (Cui et al.), CC BY-SA 4.0",
    "MemoryBank-SiliconFriend (Zhong et al.), MIT",
    "openclaw/docs, MIT",
    "devmem, short work and life memories written for evaluation",
)
NOTE = (
    "Fitted coefficients only; no text of any source is contained or can be recovered. "
    "LoCoMo is licensed for non-commercial use: whoever needs coefficients free of it refits "
    "with their own questions."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One question's candidates. ``labels``: 1 evidence, 0 not, -1 unknown."""

    set_name: str
    lang: str
    category: str
    abstain: bool
    features: NDArray[np.float64]
    labels: NDArray[np.int64]


async def gather(world: World, sets: Sequence[EvalSet]) -> list[Sample]:
    samples = []
    for one in sets:
        for query in one.queries:
            if not query.no_gold:
                samples.append(await _sample(world, one.name, query, query.group))
    samples += await _crossed(world, sets)
    return [sample for sample in samples if sample is not None]


async def _crossed(world: World, sets: Sequence[EvalSet]) -> list[Sample | None]:
    """Questions of other corpora, in the same language and in the other one."""
    chance = random.Random(SEED)
    everyone = [(one.name, query) for one in sets for query in one.queries if _answerable(query)]
    samples = []
    for one in sets:
        chinese = one.name.endswith("_zh")
        for group in one.groups:
            many = 10 if one.name in ("longmemeval", "memorybank_zh") else 40
            inside = one.name in ("locomo", "memorybank_zh")
            foreign = [
                (name, query)
                for name, query in everyone
                if (name, query.group) != (one.name, group) and (inside or name != one.name)
            ]
            same = [q for _, q in foreign if (q.lang == "zh") == chinese or one.name == "devmem"]
            asked = chance.sample(same, min(many, len(same)))
            if one.name in ("docs_xling", "locomo", "cmrc_zh"):
                others = [
                    q
                    for name, q in foreign
                    if (q.lang == "zh") != chinese and name not in (one.name, "devmem")
                ]
                asked += chance.sample(others, min(10 if inside else 40, len(others)))
            for query in asked:
                foreign_query = replace(
                    query,
                    category=CROSS,
                    abstain=True,
                    gold=frozenset(),
                    gold_sessions=frozenset(),
                )
                samples.append(await _sample(world, one.name, foreign_query, group))
    return samples


def _answerable(query: Query) -> bool:
    return not query.no_gold and query.category != "foreign"


async def _sample(world: World, set_name: str, query: Query, group: str) -> Sample | None:
    placed = world.groups[set_name, group]
    scope = Scope(workspace_ids=(placed.workspace_id,))
    examined = await world.searcher.examine(query.text, scope=scope, limit=LIMIT)
    if not examined or not len(examined[0].features):
        return None
    return Sample(
        set_name=set_name,
        lang=query.lang,
        category=query.category,
        abstain=query.abstain,
        features=examined[0].features,
        labels=_labels(examined[0], query, placed),
    )


def _labels(examined: Examined, query: Query, placed: Placed) -> NDArray[np.int64]:
    """Where only the page is known, its best chunk is the evidence and the others are unknown."""
    details = examined.details
    if query.gold:
        rows = [placed.layout.row_at(one.path, one.end_line) for one in details]
        return np.array([int(row in query.gold) for row in rows])
    inside = [placed.layout.sessions[one.path] in query.gold_sessions for one in details]
    labels = np.where(inside, -1, 0)
    if any(inside):
        labels[inside.index(True)] = 1
    return labels


def fit_samples(samples: Sequence[Sample], engine: str) -> Coefficients:
    kept = [one for one in samples if one.category != "adversarial"]
    hit = _fit_hit(kept)
    drawn = Coefficients(
        engine=engine,
        provenance=Provenance(
            fitted_on=f"{len(kept)} questions, {_counts(kept)}", sources=SOURCES, note=NOTE
        ),
        features=FEATURES,
        hit=hit.weights,
        hit_bias=hit.bias,
        question_features=QUESTION_FEATURES,
        question=(0.0,) * len(QUESTION_FEATURES),
        question_bias=0.0,
        question_weight=QUESTION_WEIGHT,
        anchors=(-1.0, 0.0, 1.0),
        floor=FLOOR,
    )
    question = _fit_question(kept, drawn)
    drawn = msgspec.structs.replace(drawn, question=question.weights, question_bias=question.bias)
    return msgspec.structs.replace(drawn, anchors=_anchors(kept, drawn))


def _fit_hit(samples: Sequence[Sample]) -> Fit:
    sizes = Counter((one.set_name, one.category == CROSS) for one in samples)
    rows, labels, weights = [], [], []
    for one in samples:
        known = one.labels >= 0
        if not one.abstain and not (one.labels == 1).any():
            continue
        crossed = one.category == CROSS
        weight = (0.5 if crossed else 1.0) / np.sqrt(sizes[one.set_name, crossed])
        rows.append(one.features[known])
        labels.append(one.labels[known])
        weights.append(np.full(known.sum(), weight))
    return fit(np.concatenate(rows), np.concatenate(labels), np.concatenate(weights), ridge=RIDGE)


def _fit_question(samples: Sequence[Sample], drawn: Coefficients) -> Fit:
    def kind(one: Sample) -> tuple[str, bool, bool]:
        return one.set_name, one.abstain, one.category == CROSS

    sizes = Counter(map(kind, samples))
    rows = np.stack(
        [question_features(one.features, hit_log_odds(one.features, drawn)) for one in samples]
    )
    labels = np.array([int(not one.abstain) for one in samples])
    weights = np.array([1 / np.sqrt(sizes[kind(one)]) for one in samples])
    weights[labels == 1] *= weights[labels == 0].sum() / weights[labels == 1].sum()
    return fit(rows, labels, weights, ridge=RIDGE)


def _anchors(samples: Sequence[Sample], drawn: Coefficients) -> tuple[float, float, float]:
    misses = [one for one in samples if one.abstain]
    sizes = Counter((one.set_name, one.category) for one in misses)
    values = np.array([_best(one, drawn) for one in misses])
    weights = np.array([1 / np.sqrt(sizes[one.set_name, one.category]) for one in misses])
    order = np.argsort(values)
    passed = np.cumsum(weights[order]) / weights.sum()
    low, middle, high = (
        round(float(values[order][min(len(values) - 1, int(np.searchsorted(passed, part)))]), 4)
        for part in ANCHOR_SHARES
    )
    return low, middle, high


def _best(one: Sample, drawn: Coefficients) -> float:
    hit = hit_log_odds(one.features, drawn)
    answerable = question_features(one.features, hit) @ np.array(drawn.question)
    return float(hit.max() + drawn.question_weight * (answerable + drawn.question_bias))


def judged(samples: Sequence[Sample], drawn: Coefficients) -> list[tuple[Sample, bool, bool]]:
    """For each question: is anything injected, and is something of it evidence."""
    verdicts = []
    for one in samples:
        raw = judge(one.features, drawn).raw
        places = [i for i in np.argsort(-raw, kind="stable") if raw[i] >= RAW_THRESHOLD]
        shown = places[:INJECTED]
        verdicts.append((one, bool(shown), bool((one.labels[shown] != 0).any())))
    return verdicts


def table(verdicts: Sequence[tuple[Sample, bool, bool]]) -> str:
    rates: dict[str, list[bool]] = {}
    for one, shown, useful in verdicts:
        language = f"/{one.lang}" if one.set_name == "docs_xling" else ""
        if not one.abstain:
            rates.setdefault(f"useful {one.set_name}{language}", []).append(useful)
            continue
        rates.setdefault(f"false {one.category}, {one.set_name}", []).append(shown)
        if one.category in PLAIN_MISSES:
            rates.setdefault("false plain misses", []).append(shown)
    return "\n".join(f"  {k:40} {len(v):5} {share(v):.3f}" for k, v in sorted(rates.items()))


def held_out(samples: Sequence[Sample], engine: str) -> list[tuple[Sample, bool, bool]]:
    verdicts = []
    for name in dict.fromkeys(one.set_name for one in samples):
        inside = [one for one in samples if one.set_name == name]
        drawn = fit_samples([one for one in samples if one.set_name != name], engine)
        verdicts += judged(inside, drawn)
    return verdicts


def _counts(samples: Sequence[Sample]) -> str:
    sizes = Counter("crossed" if one.category == CROSS else one.set_name for one in samples)
    return ", ".join(f"{name} {count}" for name, count in sizes.items())


async def run(data: Path, options: argparse.Namespace) -> None:
    sets = tuple(load_set(data, name) for name in SETS)
    async with open_world(options.keep, sets, options.engine) as world:
        samples = await gather(world, sets)
    shipped = load_coefficients(options.engine)
    print(f"shipped ({shipped.engine})\n{table(judged(samples, shipped))}")
    drawn = fit_samples(samples, options.engine)
    print(f"fitted, anchors {drawn.anchors}\n{table(judged(samples, drawn))}")
    print(f"fitted without the set itself\n{table(held_out(samples, options.engine))}")
    encoded = msgspec.json.format(msgspec.json.encode(drawn), indent=1)
    options.file.write_bytes(encoded + b"\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine")
    parser.add_argument("file", type=Path)
    parser.add_argument("--keep", type=Path, required=True, help="folder of the index")
    options = parser.parse_args()
    anyio.run(run, data_folder(), options, backend="trio")


if __name__ == "__main__":
    main()
