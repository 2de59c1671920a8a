"""Two searches of one index, by two engines: the preferred one's list if it comes in time.

Each is whole: rows, vectors, judgement. So whatever becomes of the preferred engine's process,
the default one's answer is there, as soon as it would have been alone.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import anyio
from anyio.abc import TaskStatus

from recalld.budget import Outcome, Run, Stage
from recalld.counters import Counters
from recalld.embed.port import Embedder, EmbedderState, SparseEmbedder
from recalld.errors import Unavailable
from recalld.search.corpus import Corpus
from recalld.search.flow import IndexSearcher
from recalld.search.model import IndexReads, Scope, SearchResult, SearchStatus, StoredVectors
from recalld.search.policy import SearchPolicy
from recalld.search.preferred.cosine import cosine_coefficients
from recalld.search.preferred.engine import PairedEmbedder, StoredWeights
from recalld.search.preferred.pipeline import SparseSearch
from recalld.search.preferred.sparse import SparseCorpus
from recalld.search.preferred.vectors import SharedVectors
from recalld.search.question import read_question
from recalld.search.relevance import weighs

# Of a caller's time. Embedding takes half of it at most and the rest as ever.
PREFERRED_MS, SPARSE_MS = 1_400, 1_000
ENDING_MS = 60
_TOOK_PART = "of the windows embedded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """What both sides read and write."""

    reads: IndexReads
    vectors: StoredVectors
    weights: StoredWeights


class PreferredSide(IndexSearcher):
    """The search by the preferred engine, whose learned weights are one of its features.

    ``sparse`` are their lists. Until it is calibrated, its raw score is the cosine.
    """

    def __init__(
        self,
        stores: Stores,
        engine: SparseEmbedder,
        *,
        default: Embedder,
        counters: Counters,
        policy: SearchPolicy | None,
    ) -> None:
        self.sparse = SparseSearch(
            stores.reads,
            stores.weights,
            engine=engine,
            corpus_of=self.corpus,
            counters=counters,
        )
        super().__init__(
            stores.reads,
            SharedVectors(
                stores.vectors,
                other=default,
                words=str(default.identity),
                weights=stores.weights,
            ),
            embedder=PairedEmbedder(engine, default=default, weights=stores.weights),
            counters=counters,
            policy=policy,
        )
        self.use(cosine_coefficients(engine.identity.engine))

    def lacks(self, workspace_id: int) -> str | None:
        """Why its answers about a workspace would not be what they will be; None: nothing."""
        corpus, least = self.corpus(workspace_id), self._policy.min_embedded_share
        if corpus is None:
            return "0% embedded"
        share = float(corpus.filled.mean()) if len(corpus.filled) else 1.0
        if share < least:
            return f"{share:.0%} embedded"
        if not weighs(self._hybrid, "sparse"):
            return None
        share = self.sparse.covered(corpus)
        return f"{share:.0%} of the learned weights in memory" if share < least else None

    def lists_of(self, corpus: Corpus) -> SparseCorpus | None:
        return self.sparse.lists_of(corpus)

    async def caught_up(self, workspace_id: int) -> str | None:
        """As for any search, and the lists are built."""
        why = await super().caught_up(workspace_id)
        if why is None:
            await self.sparse.rebuild()
        return why

    def corpus(self, workspace_id: int) -> Corpus | None:
        """What is held of a workspace now, with the vectors it has; None: not read yet."""
        return self._keeper.kept(workspace_id).corpus


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Both searches, and the preferred engine."""

    default: IndexSearcher
    preferred: PreferredSide
    engine: SparseEmbedder
    default_engine: str

    @property
    def sparse(self) -> SparseSearch:
        """The search by learned weights."""
        return self.preferred.sparse


def sides_of(
    stores: Stores,
    *,
    default: Embedder,
    preferred: SparseEmbedder,
    counters: Counters,
    policy: SearchPolicy | None = None,
) -> Sides:
    """Both searches over one index."""
    return Sides(
        default=IndexSearcher(
            stores.reads,
            SharedVectors(stores.vectors, other=preferred, words=str(default.identity)),
            embedder=default,
            counters=counters,
            policy=policy,
        ),
        preferred=PreferredSide(
            stores, preferred, default=default, counters=counters, policy=policy
        ),
        engine=preferred,
        default_engine=default.identity.engine,
    )


class WeightsSearcher:
    """A ``Searcher`` by learned weights alone, which has answers only while the engine has."""

    def __init__(self, sides: Sides, *, counters: Counters, policy: SearchPolicy) -> None:
        self._sides = sides
        self._counters = counters
        self._policy = policy

    async def search(self, query: str, *, scope: Scope, limit: int, now: datetime) -> SearchResult:
        """Empty, and ``degraded``, where the engine cannot answer. Never raises for that."""
        engine = self._sides.engine
        question = read_question(query, self._policy, now=now)
        if not question.searchable:
            return SearchResult(found=(), searchable=False)
        if engine.state is not EmbedderState.READY or engine.problem:
            engine.wake()
            return _nothing(f"{engine.identity.engine} is {engine.problem or engine.state}")
        run = Run(_left_ms(SPARSE_MS))
        stage: Stage[SearchResult | None] = Stage(
            name="sparse",
            work=partial(self._by_weights, question.text, scope, limit),
            otherwise=None,
            limit_ms=SPARSE_MS,
        )
        return await run.stage(stage) or _nothing(
            f"{engine.identity.engine}: {run.ledger[-1].outcome}"
        )

    async def _by_weights(self, text: str, scope: Scope, limit: int) -> SearchResult:
        found = await self._sides.sparse.find(text, scope=scope, limit=limit)
        self._counters.add("search.sparse")
        return SearchResult(found=found)


class PreferredSearcher:
    """The ``Searcher`` of a daemon with a preferred engine. ``run`` keeps both sides.

    ``by_weights`` is the searcher of the sparse route.

    Counted: ``search.preferred`` (answered by it), ``search.fallback`` (by the default one),
    ``search.sparse``.
    """

    def __init__(
        self, sides: Sides, *, counters: Counters, policy: SearchPolicy | None = None
    ) -> None:
        self._sides = sides
        self._counters = counters
        self._policy = policy or SearchPolicy()
        self.by_weights = WeightsSearcher(sides, counters=counters, policy=self._policy)

    @property
    def sides(self) -> Sides:
        return self._sides

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Keep both sides current until cancelled."""
        task_status.started()
        async with anyio.create_task_group() as nest:
            nest.start_soon(self._sides.default.run)
            nest.start_soon(self._sides.preferred.run)
            nest.start_soon(self._sides.sparse.run)

    def notify(self, workspace_id: int) -> None:
        """The index of this workspace was written."""
        self._sides.default.notify(workspace_id)
        self._sides.preferred.notify(workspace_id)
        self._sides.sparse.touch()

    async def progress(self, workspace_id: int) -> SearchStatus:
        """How far the preferred engine has come with a workspace."""
        return await self._sides.preferred.describe(workspace_id)

    async def search(self, query: str, *, scope: Scope, limit: int, now: datetime) -> SearchResult:
        """The preferred engine's list, else the default one's, whose ``degraded`` says why."""
        sides = self._sides
        default = partial(sides.default.search, query, scope=scope, limit=limit, now=now)
        preferred = partial(sides.preferred.search, query, scope=scope, limit=limit, now=now)
        why = self._why_not(scope)
        if why is not None:
            sides.engine.wake()
            sides.sparse.touch()
            return self._fallen_back(await default(), why)
        run = Run(_left_ms(self._policy.total_ms))
        stages: list[Stage[SearchResult | None]] = [
            Stage(name="default", work=default, otherwise=None, limit_ms=self._policy.total_ms),
            Stage(name="preferred", work=preferred, otherwise=None, limit_ms=PREFERRED_MS),
        ]
        fallback, result = await run.fan_out(stages)
        if result is not None and _took_part(result):
            self._counters.add("search.preferred")
            return result
        if fallback is None and result is None:
            raise Unavailable("search", "neither engine's search could run")
        if fallback is None:
            return result or SearchResult(found=())
        return self._fallen_back(fallback, self._why_late(run, result))

    def _why_not(self, scope: Scope) -> str | None:
        """Why the preferred engine is not even asked."""
        engine = self._sides.engine
        if engine.problem:
            return engine.problem
        if engine.state is not EmbedderState.READY:
            return str(engine.state)
        lacking = (self._sides.preferred.lacks(key) for key in scope.workspace_ids)
        return next((why for why in lacking if why is not None), None)

    def _why_late(self, run: Run, result: SearchResult | None) -> str:
        if result is not None:
            return "; ".join(result.degraded) or "took no part"
        outcome = next(note.outcome for note in run.ledger if note.name == "preferred")
        return str(outcome if outcome is not Outcome.OK else self._sides.engine.state)

    def _fallen_back(self, result: SearchResult, why: str) -> SearchResult:
        self._counters.add("search.fallback")
        name, other = self._sides.engine.identity.engine, self._sides.default_engine
        note = f"dense: {name}: {why.removeprefix('dense: ')}; {other} answers"
        return replace(result, degraded=(note, *result.degraded))


def _took_part(result: SearchResult) -> bool:
    """Whether its legs did: an unsearchable question needs none."""
    return all(
        not note.startswith(("dense:", "sparse:")) or note.endswith(_TOOK_PART)
        for note in result.degraded
    )


def _nothing(why: str) -> SearchResult:
    return SearchResult(found=(), degraded=(f"sparse: {why}",))


def _left_ms(most_ms: int) -> int:
    """Of the caller's deadline, with time left to end."""
    left_ms = (anyio.current_effective_deadline() - anyio.current_time()) * 1_000
    return max(1, int(min(most_ms, left_ms - min(ENDING_MS, left_ms * 0.2))))
