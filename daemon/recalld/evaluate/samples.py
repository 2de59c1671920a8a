"""Questions with their candidates as numbers, so that any coefficients can be tried on them.

``gather`` asks every labelled question of its own corpus and, for questions that surely have no
answer, questions of other corpora, in the same language and in another: those need no labels.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from recalld.evaluate.files import Layout
from recalld.evaluate.metrics import Answer, injected
from recalld.evaluate.sets import EvalSet, Query
from recalld.evaluate.world import Key, World
from recalld.search.examined import Examined
from recalld.search.features import FEATURES
from recalld.search.newer import Statements
from recalld.search.policy import SearchPolicy
from recalld.search.ranking import by_hit, moves, raised, statements_of, tells_time
from recalld.search.relevance import Coefficients, judge
from recalld.text.language import is_cjk

CROSSED = "crossed"
# Questions of other corpora that a group is asked: fewer where there are many small groups.
ASKED_OF_A_GROUP = 40
ASKED_OF_ONE_OF_MANY = 10
MANY_GROUPS = 6
# Of several groups each is asked this part of it in the other language.
OTHER_LANGUAGE = 4
# A corpus with more than this share of each is of both languages.
MIXED = 0.1
# Shorter texts, greetings and thanks, are said everywhere.
TELLING_CHARS = 80
SEED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One question's candidates, in the order of fusion.

    ``rows`` and ``sessions`` are where they stand; ``labels``: 1 evidence, 0 not, -1 unknown.
    ``lead`` as in ``Fusion``. ``statements`` are those of all candidates where the newer of two
    may go first.
    """

    set_name: str
    query: Query
    features: NDArray[np.float64]
    labels: NDArray[np.int64]
    score: NDArray[np.float64]
    rows: tuple[str, ...]
    sessions: tuple[str, ...]
    lead: float = 0.0
    statements: Statements | None = None
    took_ms: float = 0.0

    @property
    def crossed(self) -> bool:
        return self.query.category == CROSSED

    def answer(self, coefficients: Coefficients, policy: SearchPolicy) -> Answer:
        """What ``search`` would answer with these coefficients."""
        judgement = judge(self.features, coefficients, lead=self.lead)
        raw, score = judgement.raw, self.score
        if self.statements is not None and policy.second.newer_first:
            first = by_hit(judgement)[: policy.second.newer.first]
            found = moves(judgement, first, self.statements.take(first), policy)
            raw, score = raised(raw, score, found)
        places: dict[str, int] = {}
        for i in sorted(range(len(raw)), key=lambda i: (-raw[i], -score[i], i)):
            places.setdefault(self.rows[i], i)
        ranked = tuple((row, float(raw[i])) for row, i in places.items())
        return Answer(
            set_name=self.set_name,
            query=self.query,
            ranked=ranked,
            sessions=tuple(self.sessions[i] for i in places.values()),
            injected=injected(ranked),
            took_ms=self.took_ms,
        )


async def gather(world: World, sets: Sequence[EvalSet], *, crossed: bool = True) -> list[Sample]:
    """A sample a question; one without a candidate has an empty matrix."""
    samples = [
        await _sample(world, (one.name, query.group), query)
        for one in sets
        for query in one.queries
        if not query.no_gold
    ]
    if crossed:
        for key, query in crossings(sets):
            sample = await _sample(world, key, query)
            if len(sample.features):
                samples.append(sample)
    return samples


def crossings(sets: Sequence[EvalSet]) -> Iterator[tuple[Key, Query]]:
    """Questions of other corpora and the group each is asked of. The same for the same sets.

    Groups of one set are asked each other's questions only where they hold nothing in common.
    """
    chance = random.Random(SEED)  # noqa: S311 (a fixed draw)
    everyone = [(one.name, query) for one in sets for query in one.queries if _is_own(query)]
    for one in sets:
        apart = len(one.groups) > 1 and not _shares_rows(one)
        most = ASKED_OF_ONE_OF_MANY if len(one.groups) > MANY_GROUPS else ASKED_OF_A_GROUP
        less = most if len(one.groups) == 1 else most // OTHER_LANGUAGE
        for group, rows in one.groups.items():
            others = [
                query
                for name, query in everyone
                if (name != one.name or apart) and (name, query.group) != (one.name, group)
            ]
            cjk = sum(is_cjk(row.text) for row in rows) / len(rows)
            mixed = MIXED < cjk < 1 - MIXED
            same = [query for query in others if mixed or is_cjk(query.text) == (cjk > 0.5)]
            foreign = [query for query in others if not mixed and is_cjk(query.text) != (cjk > 0.5)]
            asked = chance.sample(same, min(most, len(same)))
            asked += chance.sample(foreign, min(less, len(foreign)))
            for query in asked:
                yield (one.name, group), _crossed(query)


def _shares_rows(one: EvalSet) -> bool:
    """Whether a text of one group stands in another too."""
    seen: dict[str, str] = {}
    for group, rows in one.groups.items():
        for row in rows:
            if len(row.text) >= TELLING_CHARS and seen.setdefault(row.text, group) != group:
                return True
    return False


def _is_own(query: Query) -> bool:
    return not query.no_gold and not query.abstain


def _crossed(query: Query) -> Query:
    nothing: frozenset[str] = frozenset()
    return replace(
        query, category=CROSSED, abstain=True, gold=nothing, gold_sessions=nothing, stale=nothing
    )


async def _sample(world: World, key: Key, query: Query) -> Sample:
    examined = await world.examine(key, query)
    if examined is None:
        return _nothing(key, query)
    layout = world.groups[key].layout
    statements = None
    if tells_time(examined):
        statements = statements_of(examined, range(len(examined.features)))
    return Sample(
        set_name=key[0],
        query=query,
        features=examined.features,
        labels=_labels(examined, query, layout),
        score=examined.fusion.score[examined.evidence.at].astype(np.float64),
        rows=tuple(layout.row_at(one.path, one.end_line) or one.path for one in examined.details),
        sessions=tuple(layout.sessions[one.path] for one in examined.details),
        lead=examined.fusion.lead,
        statements=statements,
    )


def _nothing(key: Key, query: Query) -> Sample:
    return Sample(
        set_name=key[0],
        query=query,
        features=np.zeros((0, len(FEATURES))),
        labels=np.zeros(0, np.int64),
        score=np.zeros(0),
        rows=(),
        sessions=(),
    )


def _labels(examined: Examined, query: Query, layout: Layout) -> NDArray[np.int64]:
    """Where only the page is known, its best chunk is the evidence and the others are unknown."""
    details = examined.details
    if query.gold:
        rows = [layout.row_at(one.path, one.end_line) for one in details]
        return np.array([int(row in query.gold) for row in rows])
    inside = [layout.sessions[one.path] in query.gold_sessions for one in details]
    labels = np.where(inside, -1, 0)
    if any(inside):
        labels[inside.index(True)] = 1
    return labels
