"""One search, step by step: embed, widen, search both legs, fuse, look closer, judge."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import anyio
import anyio.lowlevel
import anyio.to_thread
import numpy as np

from recalld.budget import Run, Stage
from recalld.embed.port import Embedder, EmbedderState, QuestionVectors, SparseVector
from recalld.search.corpus import Corpus
from recalld.search.examined import Examined
from recalld.search.features import Evidence, features, rarity, token_sets
from recalld.search.matrix import Singles
from recalld.search.model import (
    ChunkDetail,
    IndexReads,
    LexicalHits,
    LexicalQuery,
)
from recalld.search.place import Place
from recalld.search.policy import SearchPolicy
from recalld.search.question import Question, lookup_terms
from recalld.search.score import (
    Dense,
    Fusion,
    Learned,
    Legs,
    Lexical,
    best,
    dense_scores,
    fuse,
    spread,
)
from recalld.search.vocabulary import expansion

T = TypeVar("T")

# Microseconds, measured at 512 dimensions: all scores of a window, the best words of a term.
_COST_OF_SCAN = 0.19
_COST_OF_LOOKUP = 0.03
# Of a window: finding it again in lists that are older than the corpus; 40 tokens cost .06.
_COST_OF_LISTS = 0.25
_INLINE_US = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A question's vectors: as it is, its content words in each place, its terms.

    ``weights`` are those of the question as it is; None: the engine gives none.
    """

    question: Singles
    content: Mapping[str, Singles]
    terms: tuple[str, ...]
    words: Singles
    weights: SparseVector | None = None


class Pipeline:
    """The steps, on one index and one engine. Each is a stage with its own deadline."""

    def __init__(
        self,
        reads: IndexReads,
        *,
        embedder: Embedder,
        policy: SearchPolicy,
        learned: Callable[[Corpus], Learned | None],
    ) -> None:
        self._reads = reads
        self._embedder = embedder
        self._policy = policy
        self._learned = learned
        self._limiter = anyio.CapacityLimiter(4)

    async def embed(self, run: Run, question: Question, places: Sequence[Place]) -> Embedded | None:
        """Everything the question needs, in one batch. None: the dense leg cannot take part."""
        if self._embedder.state is not EmbedderState.READY:
            return None
        contents = tuple(dict.fromkeys(place.content for place in places))
        terms = self._terms(question, places)
        texts = (question.text, *contents)
        stage: Stage[QuestionVectors | None] = Stage(
            name="embed",
            work=partial(self._embedder.embed_question, texts, words=terms),
            otherwise=None,
            limit_ms=self._policy.embed_limit_ms,
        )
        vectors = await run.stage(stage)
        if vectors is None:
            return None
        return Embedded(
            question=vectors.texts[0],
            content=dict(zip(contents, vectors.texts[1:], strict=True)),
            terms=terms,
            words=vectors.words,
            weights=vectors.sparse[0] if vectors.sparse else None,
        )

    async def examine(
        self, run: Run, place: Place, *, vectors: Embedded | None, count: int
    ) -> Examined | None:
        """The ``count`` best candidates of one workspace; None when no leg could run."""
        embedded = vectors if self.has_vectors(place) else None
        wider = await self._widen(run, place, embedded)
        hits, dense = await self._both_legs(run, place, wider=wider, vectors=embedded)
        if hits is None and dense is None:
            return None
        learned = None
        if dense is not None and embedded is not None and embedded.weights is not None:
            learned = await self._shares(run, place, embedded.weights)
        found = hits or LexicalHits(own={}, expansion={}, counts={})
        corpus = place.corpus
        lexical = Lexical(own=spread(corpus, found.own), expansion=spread(corpus, found.expansion))
        fusion = fuse(
            corpus,
            Legs(lexical=lexical, dense=dense, learned=learned),
            allowed=place.allowed,
            cues=place.cues,
            policy=self._policy,
        )
        return await self._judged(run, fusion, place=place, counts=found.counts, count=count)

    def has_vectors(self, place: Place) -> bool:
        """Whether enough of the corpus is embedded for its best to be the best."""
        filled = place.corpus.filled
        return bool(len(filled)) and filled.mean() >= self._policy.min_embedded_share

    def _terms(self, question: Question, places: Sequence[Place]) -> tuple[str, ...]:
        if not any(place.vocabulary for place in places):
            return ()
        latin = any(
            1 - place.corpus.is_cjk.mean() >= self._policy.min_latin_share
            for place in places
            if len(place.corpus)
        )
        if question.cjk and not latin:
            return ()
        shortest = min((place.content for place in places), key=len)
        return lookup_terms(shortest, self._policy)

    async def _widen(self, run: Run, place: Place, vectors: Embedded | None) -> tuple[str, ...]:
        """The neighbour words of one workspace; none when its vocabulary is not there yet."""
        if vectors is None or place.vocabulary is None or not vectors.terms:
            return ()
        known = len(place.vocabulary)
        look = partial(
            place.vocabulary.neighbours, vectors.terms, vectors.words, policy=self._policy
        )
        stage: Stage[list[list[tuple[str, float]]]] = Stage(
            name="neighbours",
            work=partial(self._off_loop, look, _COST_OF_LOOKUP * len(vectors.terms) * known),
            otherwise=[],
            limit_ms=self._policy.scan_limit_ms,
        )
        near = await run.stage(stage)
        return expansion(
            place.question.text,
            vectors.terms[: len(near)],
            near,
            said=place.question.said,
            limit=self._policy.max_expansion,
        )

    async def _both_legs(
        self,
        run: Run,
        place: Place,
        *,
        wider: tuple[str, ...],
        vectors: Embedded | None,
    ) -> tuple[LexicalHits | None, Dense | None]:
        stages = [self._lexical_stage(place, wider)]
        if vectors is not None:
            stages.append(self._dense_stage(place, vectors))
        results = await run.fan_out(stages)
        hits = next((one for one in results if isinstance(one, LexicalHits)), None)
        dense = next((one for one in results if isinstance(one, Dense)), None)
        return hits, dense

    def _lexical_stage(
        self, place: Place, wider: tuple[str, ...]
    ) -> Stage[LexicalHits | Dense | None]:
        query = LexicalQuery(
            workspace_id=place.corpus.workspace_id,
            own=place.question.tokens,
            expansion=wider,
            sources=place.sources,
            weights=self._policy.column_weights,
            best=self._policy.lexical_best,
        )
        return Stage(
            name="lexical",
            work=partial(self._reads.lexical, query),
            otherwise=None,
            limit_ms=self._policy.lexical_limit_ms,
        )

    def _dense_stage(self, place: Place, vectors: Embedded) -> Stage[LexicalHits | Dense | None]:
        scan = partial(
            dense_scores,
            place.corpus,
            vectors.question,
            content=vectors.content[place.content],
            allowed=place.allowed,
            policy=self._policy,
        )
        return Stage(
            name="dense",
            work=partial(self._off_loop, scan, _COST_OF_SCAN * len(place.corpus.filled)),
            otherwise=None,
            limit_ms=self._policy.scan_limit_ms,
        )

    async def _shares(self, run: Run, place: Place, weights: SparseVector) -> Singles | None:
        lists = self._learned(place.corpus)
        if lists is None:
            return None
        shares = partial(lists.shares, place.corpus, weights)
        cost_us = _COST_OF_LISTS * len(place.corpus.filled)
        stage: Stage[Singles | None] = Stage(
            name="sparse",
            work=partial(self._off_loop, shares, cost_us),
            otherwise=None,
            limit_ms=self._policy.scan_limit_ms,
        )
        return await run.stage(stage)

    async def _judged(
        self,
        run: Run,
        fusion: Fusion,
        *,
        place: Place,
        counts: Mapping[str, int],
        count: int,
    ) -> Examined | None:
        corpus, question = place.corpus, place.question
        at = best(fusion.score, count)
        ids = corpus.columns.id[at].tolist()
        stage: Stage[dict[int, ChunkDetail] | None] = Stage(
            name="details",
            work=partial(self._reads.details, ids),
            otherwise=None,
            limit_ms=self._policy.details_limit_ms,
        )
        details = await run.stage(stage)
        if details is None:
            return None
        here = np.array([key in details for key in ids], np.bool_)
        shown = tuple(details[key] for key in ids if key in details)
        evidence = Evidence(
            at=at[here],
            tokens=tuple(token_sets(one, question, self._policy) for one in shown),
            rare=rarity(question.tokens, counts, int(corpus.findable.sum())),
        )
        return Examined(
            corpus=corpus,
            question=question,
            fusion=fusion,
            evidence=evidence,
            features=features(corpus, question, fusion, evidence=evidence, policy=self._policy),
            details=shown,
        )

    async def _off_loop(self, work: Callable[[], T], cost_us: float) -> T:
        """Small work is done here: a thread's wake-up costs more, most of all on a busy machine."""
        if cost_us <= _INLINE_US:
            await anyio.lowlevel.checkpoint()
            return work()
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)
