"""Search over the index: one question, one list, one raw score."""

from datetime import datetime
from importlib import resources

import anyio
import msgspec
from anyio.abc import TaskStatus

from recalld.budget import Outcome, Run, Stage
from recalld.counters import Counters
from recalld.embed.port import Embedder, EmbedderState
from recalld.errors import Unavailable
from recalld.search.corpus import Corpus
from recalld.search.examined import Examined
from recalld.search.features import in_both_legs
from recalld.search.model import (
    Found,
    IndexReads,
    Scope,
    SearchResult,
    SearchStatus,
    StoredVectors,
)
from recalld.search.pipeline import Pipeline
from recalld.search.place import Place
from recalld.search.policy import SearchPolicy
from recalld.search.question import Question, read_question
from recalld.search.ranking import ranked
from recalld.search.relevance import Candidates, Coefficients, Judgement, judge_together
from recalld.search.schedule import CorpusKeeper, Kept
from recalld.search.score import Learned
from recalld.search.shown import shown

LEXICAL_ONLY = "none"

# Of what is left of a search, what the engine may cost: an engine that hangs leaves the other
# half to the words.
EMBED_SHARE = 0.5
# What ending takes at a caller's deadline: 25 ms to undo a read that hangs, and the judging.
ENDING_MS = 30
ENDING_SHARE = 0.2


class IndexSearcher:
    """The one ``Searcher``. ``run`` keeps its corpora; without it they are read on demand.

    Counted: ``search.searches``, ``search.degraded``, ``search.unsearchable``.
    """

    def __init__(
        self,
        reads: IndexReads,
        vectors: StoredVectors,
        *,
        embedder: Embedder,
        counters: Counters,
        policy: SearchPolicy | None = None,
    ) -> None:
        self._policy = policy or SearchPolicy()
        self._embedder = embedder
        self._counters = counters
        self._vectors = vectors
        self._pipeline = Pipeline(
            reads, embedder=embedder, policy=self._policy, learned=self.lists_of
        )
        self._keeper = CorpusKeeper(
            reads, vectors, embedder=embedder, counters=counters, policy=self._policy
        )
        self._hybrid = load_coefficients(embedder.identity.engine)
        self._lexical = load_coefficients(LEXICAL_ONLY)

    @property
    def identity(self) -> str:
        """Whose vectors it searches."""
        return self._keeper.identity

    @property
    def fitted_on(self) -> str:
        """What the coefficients come from that judge by its engine."""
        return self._hybrid.provenance.fitted_on

    def use(self, own: Coefficients) -> None:
        """Judge by the user's own coefficients in place of the shipped ones of the engine."""
        self._hybrid = own
        if self._embedder.identity.engine == LEXICAL_ONLY:
            self._lexical = own

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Keep every corpus current until cancelled. Started at once: nothing waits for it."""
        task_status.started()
        await self._keeper.run()

    def lists_of(self, _corpus: Corpus) -> Learned | None:
        """The learned weights of a workspace as it is now; None: the engine gives none, or they
        are not in memory."""
        return None

    def notify(self, workspace_id: int) -> None:
        """The index of this workspace was written."""
        self._keeper.notify(workspace_id)

    async def caught_up(self, workspace_id: int) -> str | None:
        """Return when everything written before the call can be found, or why it cannot be by
        its vectors yet. Needs ``run``."""
        return await self._keeper.caught_up(workspace_id)

    async def search(self, query: str, *, scope: Scope, limit: int, now: datetime) -> SearchResult:
        """See ``SearchResult``. ``now`` is the asker's; its zone says where their days begin."""
        question = read_question(query, self._policy, now=now)
        self._counters.add("search.searches")
        if not question.searchable:
            self._counters.add("search.unsearchable")
            return SearchResult(found=(), searchable=False)
        run = Run(_time_for(self._policy))
        examined, notes = await self._examined(run, question, scope, limit=limit)
        if notes:
            self._counters.add("search.degraded")
        started_ms = run.elapsed_ms
        judged = judge_together([self._candidates(one, scope.home) for one in examined])
        found = [
            one
            for each, judgement in zip(examined, judged, strict=True)
            for one in self._found(each, judgement, limit)
        ]
        found.sort(key=lambda one: (-one.raw_score, -one.order_score, one.path, one.start_line))
        return SearchResult(
            found=tuple(found[:limit]),
            degraded=notes,
            embed_ms=_took_ms(run, "embed"),
            lexical_ms=_took_ms(run, "lexical"),
            dense_ms=_took_ms(run, "dense") + _took_ms(run, "neighbours"),
            score_ms=run.elapsed_ms - started_ms,
        )

    async def examine(
        self, query: str, *, scope: Scope, limit: int, now: datetime
    ) -> tuple[Examined, ...]:
        """What ``search`` would judge, one value a workspace: for fitting and explaining."""
        question = read_question(query, self._policy, now=now)
        if not question.searchable:
            return ()
        run = Run(self._policy.total_ms)
        return (await self._examined(run, question, scope, limit=limit))[0]

    async def describe(self, workspace_id: int) -> SearchStatus:
        """Counts, engine and what is still to do."""
        kept = self._keeper.kept(workspace_id)
        corpus, embedder = kept.corpus, self._embedder
        stored = await self._vectors.counts()
        identity = self._keeper.identity
        others = {name: n for name, n in stored.items() if not name.startswith(identity)}
        return SearchStatus(
            engine=embedder.identity.engine,
            identity=identity,
            dimension=embedder.identity.dimension,
            state=embedder.state.value,
            problem=embedder.problem,
            chunks=len(corpus) if corpus is not None else 0,
            windows=len(corpus.filled) if corpus is not None else 0,
            embedded=int(corpus.filled.sum()) if corpus is not None else 0,
            refused=len(kept.refused),
            words=len(kept.vocabulary) if kept.vocabulary is not None else 0,
            stored=stored,
            reembedding=bool(others),
            stale=kept.stale,
            fitted_on=self.fitted_on,
        )

    async def _examined(
        self, run: Run, question: Question, scope: Scope, *, limit: int
    ) -> tuple[tuple[Examined, ...], tuple[str, ...]]:
        places, notes = await self._places(run, question, scope)
        if not places:
            return (), tuple(notes)
        embedding = Run(int(run.remaining_ms * EMBED_SHARE))
        vectors = await self._pipeline.embed(embedding, question, places)
        run.ledger += embedding.ledger
        count = min(max(self._policy.candidates, limit), self._policy.max_candidates)
        examined: list[Examined] = []
        for place in places:
            one = await self._pipeline.examine(run, place, vectors=vectors, count=count)
            if one is not None:
                examined.append(one)
        share = min(float(place.corpus.filled.mean()) for place in places if len(place.corpus))
        note = _dense_note(run, self._embedder, share=share)
        notes += [note] if note else []
        notes += _failures(run)
        if not examined:
            raise Unavailable("search", ", ".join(notes) or "no leg could run")
        return tuple(examined), tuple(notes)

    async def _places(
        self, run: Run, question: Question, scope: Scope
    ) -> tuple[list[Place], list[str]]:
        kept = [self._keeper.kept(key) for key in dict.fromkeys(scope.workspace_ids)]
        await run.fan_out([self._refresh_stage(one) for one in kept if one.stale])
        places = [Place.of(one, question, scope) for one in kept]
        ready = [place for place in places if place is not None]
        return [place for place in ready if len(place.corpus)], (
            ["index: not ready"] if len(ready) < len(places) else []
        )

    def _refresh_stage(self, kept: Kept) -> Stage[None]:
        async def work() -> None:
            await self._keeper.refresh(kept)

        # An outdated corpus can answer; without any there is nothing better to wait for.
        policy = self._policy
        limit_ms = policy.total_ms if kept.corpus is None else policy.refresh_limit_ms
        return Stage(name="refresh", work=work, otherwise=None, limit_ms=limit_ms)

    def _candidates(self, examined: Examined, home: int | None) -> Candidates:
        second = self._policy.second
        elsewhere = home not in (None, examined.corpus.workspace_id) and second.scope_bonus
        return Candidates(
            features=examined.features,
            coefficients=self.coefficients(examined),
            lead=examined.fusion.lead,
            away=second.scope_log_odds if elsewhere else 0.0,
        )

    def _found(self, examined: Examined, judgement: Judgement, limit: int) -> list[Found]:
        order = ranked(examined, judgement, self._policy)
        both = in_both_legs(examined.fusion, examined.evidence.at, self._policy)
        return [shown(examined, order, i, both_legs=bool(both[i])) for i in order.order[:limit]]

    def coefficients(self, examined: Examined) -> Coefficients:
        """Those that judge it: the engine's, or the lexical ones where it took no part."""
        return self._hybrid if examined.fusion.legs.dense is not None else self._lexical


def load_coefficients(engine: str) -> Coefficients:
    """The shipped coefficients of an engine; the lexical ones where it has none of its own."""
    folder = resources.files("recalld.search") / "coefficients"
    file = folder / f"{engine}.json"
    if not file.is_file():
        file = folder / f"{LEXICAL_ONLY}.json"
    return msgspec.json.decode(file.read_bytes(), type=Coefficients)


def _time_for(policy: SearchPolicy) -> int:
    """Milliseconds for one search: within its caller's deadline, with time left to end."""
    left_ms = (anyio.current_effective_deadline() - anyio.current_time()) * 1_000
    usable_ms = left_ms - min(ENDING_MS, left_ms * ENDING_SHARE)
    return max(1, int(min(policy.total_ms, usable_ms)))


def _took_ms(run: Run, name: str) -> float:
    return sum(note.took_ms for note in run.ledger if note.name == name)


def _failures(run: Run) -> list[str]:
    return [
        f"{note.name}: {note.outcome}" + (f" ({note.error})" if note.error else "")
        for note in run.ledger
        if note.name in ("lexical", "details", "neighbours", "sparse")
        and note.outcome is not Outcome.OK
    ]


def _dense_note(run: Run, embedder: Embedder, *, share: float) -> str | None:
    """Why the dense leg took no part, as ``degraded`` says it; None when it did or is off."""
    if embedder.state is EmbedderState.OFF:
        return None
    if embedder.state is not EmbedderState.READY:
        return f"dense: {embedder.problem or embedder.state}"
    for note in run.ledger:
        if note.name in ("embed", "dense") and note.outcome is not Outcome.OK:
            return f"dense: {note.outcome}" + (f" ({note.error})" if note.error else "")
    if share < 1.0:
        return f"dense: {share:.0%} of the windows embedded" if share else "dense: no vectors yet"
    return None
