"""What a prompt cannot do without, measured alone: its embeddings, its FTS queries, its scans.

The prompt is recalled once in this process, over a copy of the daemon's index, with ports that
note what passes through them. The same work is then done again with nothing around it: the
texts given to an embedder in an idle loop, timed inside that loop; the statements on a plain
sqlite3 connection; the scans on the vectors.
"""

import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import anyio
import numpy as np
from anyio.from_thread import BlockingPortal, start_blocking_portal

from recalld.budget import Run
from recalld.counters import Counters
from recalld.embed import build_embedder
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder, EmbedderState, Identity, QuestionVectors, Vectors
from recalld.recall.gate_extended import extended_stage
from recalld.recall.model import Prompt
from recalld.recall.pipeline import Ports, recall
from recalld.recall.policy import GraphMemoryPolicy, RecallPolicy
from recalld.recall.record import Recall
from recalld.recall.rules import rules_of
from recalld.recall.steps import results_of
from recalld.search.corpus import Corpus
from recalld.search.examined import Examined
from recalld.search.flow import IndexSearcher
from recalld.search.model import LexicalHits, LexicalQuery, Scope
from recalld.search.vocabulary import Vocabulary
from recalld.store.bridge import open_database, open_loop
from recalld.store.index_read import IndexReader, lexical_statement
from recalld.store.vectors import VectorStore

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Everything one prompt asked of the engine and of the index, in order."""

    embedded: list[tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=list)
    queries: list[LexicalQuery] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Seconds of one prompt's parts, each alone."""

    embed_s: float
    fts_s: float
    scan_s: float

    @property
    def total_s(self) -> float:
        return self.embed_s + self.fts_s + self.scan_s


class NotingEmbedder:
    """An engine that notes the questions it is asked."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.work = Work()

    @property
    def identity(self) -> Identity:
        return self._inner.identity

    @property
    def state(self) -> EmbedderState:
        return self._inner.state

    @property
    def problem(self) -> str:
        return self._inner.problem

    async def run(self) -> None:
        await self._inner.run()

    async def ready(self) -> None:
        await self._inner.ready()

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self._inner.embed_queries(texts)

    async def embed_question(
        self, texts: Sequence[str], *, words: Sequence[str]
    ) -> QuestionVectors:
        self.work.embedded.append((tuple(texts), tuple(words)))
        return await self._inner.embed_question(texts, words=words)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._inner.embed_passages(texts)

    async def embed_words(self, texts: Sequence[str]) -> Vectors:
        return await self._inner.embed_words(texts)


class NotingReader(IndexReader):
    """An index that notes the full-text queries it is asked."""

    work: Work

    async def lexical(self, query: LexicalQuery) -> LexicalHits:
        self.work.queries.append(query)
        return await super().lexical(query)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """Of each prompt its work, its recall and what its searches judged; and the vectors."""

    work: dict[str, Work]
    seen: dict[str, Recall]
    examined: dict[str, list[Examined]]
    corpus: Corpus
    vocabulary: Vocabulary


@asynccontextmanager
async def _searcher(
    index: Path,
) -> AsyncIterator[tuple[IndexSearcher, NotingEmbedder, NotingReader]]:
    counters = Counters()
    embedder = NotingEmbedder(build_embedder(EmbedPolicy(), counters))
    async with (
        open_loop(),
        open_database(index, migrations="index", synchronous="NORMAL") as database,
    ):
        reader = NotingReader(database)
        searcher = IndexSearcher(
            reader, VectorStore(database), embedder=embedder, counters=counters
        )
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(embedder.run)
            tasks.start_soon(searcher.run)
            await embedder.ready()
            yield searcher, embedder, reader
            tasks.cancel_scope.cancel()


async def note(index: Path, prompts: Sequence[str], workspace_id: int) -> Noted:
    """Recall every prompt once and note what it needed."""
    async with _searcher(index) as (searcher, embedder, reader):
        await searcher.caught_up(workspace_id)
        rules = rules_of(extended_stage(embedder.identity))
        found: dict[str, Work] = {}
        recalled: dict[str, Recall] = {}
        for text in prompts:
            reader.work = embedder.work = found[text] = Work()
            fresh = Recall(
                prompt=Prompt(
                    text=text,
                    at=NOW,
                    session_key="agent:main:bench",
                    agent="main",
                    workspace_id=workspace_id,
                    workspace_root="/",
                ),
                policy=RecallPolicy(),
                graph=GraphMemoryPolicy(),
                total_ms=5_000,
            )
            seen = await recall(fresh, run=Run(5_000), ports=Ports(searcher=searcher, rules=rules))
            found[text].stages.extend(stage.name for stage in seen.stages)
            recalled[text] = seen
        kept = searcher._keeper.kept(workspace_id)
        judged = {text: await _judged(searcher, seen) for text, seen in recalled.items()}
        assert kept.vocabulary is not None
        return Noted(
            work=found,
            seen=recalled,
            examined=judged,
            corpus=judged[prompts[0]][0].corpus,
            vocabulary=kept.vocabulary,
        )


async def _judged(searcher: IndexSearcher, seen: Recall) -> list[Examined]:
    """What each search of the prompt judged."""
    assert seen.prompt.workspace_id is not None
    scope = Scope(workspace_ids=(seen.prompt.workspace_id,))
    found: list[Examined] = []
    for search in seen.searches:
        text = search.query.text
        limit = results_of(seen)
        found.extend(await searcher.examine(text, scope=scope, limit=limit, now=NOW))
    return found


@contextmanager
def alone(index: Path, noted: Noted) -> Iterator["Alone"]:
    """Parts over a copy of the index, with an engine of their own that is ready."""
    embedder = build_embedder(EmbedPolicy(), Counters())
    with start_blocking_portal(backend="trio") as portal, closing(sqlite3.connect(index)) as store:
        portal.call(embedder.run)
        yield Alone(portal, embedder=embedder, store=store, noted=noted)


class Alone:
    """The parts, each with nothing around it."""

    def __init__(
        self,
        portal: BlockingPortal,
        *,
        embedder: Embedder,
        store: sqlite3.Connection,
        noted: Noted,
    ) -> None:
        self._portal = portal
        self._embedder = embedder
        self._connection = store
        self._noted = noted

    def embed_s(self, text: str) -> float:
        """One query embedding."""
        return self._portal.call(self._embedded, (text,), ())[0]

    def cost(self, text: str) -> Cost:
        """``text`` must be among the noted prompts."""
        work = self._noted.work[text]
        embed_s = scan_s = 0.0
        for texts, words in work.embedded:
            took_s, vectors = self._portal.call(self._embedded, texts, words)
            embed_s += took_s
            scan_s += self._scan_s(vectors.texts, vectors.words)
        return Cost(embed_s=embed_s, fts_s=self._fts_s(work.queries), scan_s=scan_s)

    async def _embedded(
        self, texts: Sequence[str], words: Sequence[str]
    ) -> tuple[float, QuestionVectors]:
        began_s = time.perf_counter()
        vectors = await self._embedder.embed_question(texts, words=words)
        return time.perf_counter() - began_s, vectors

    def _fts_s(self, queries: Sequence[LexicalQuery]) -> float:
        total_s = 0.0
        for query in queries:
            statement, parameters = lexical_statement(query)
            total_s += _took_s(partial(self._fetch, statement, parameters))
        return total_s

    def _fetch(self, statement: str, parameters: Sequence[str]) -> None:
        self._connection.execute(statement, parameters).fetchall()

    def _scan_s(self, questions: Vectors, words: Vectors) -> float:
        """All windows, all file heads, and the vocabulary where words were looked up."""
        corpus, matrix = self._noted.corpus, self._noted.vocabulary._matrix
        total_s = _took_s(lambda: corpus.vectors.scores(questions.mean(axis=0)))
        total_s += _took_s(lambda: corpus.heads.scores(questions[0]))
        if len(words):
            some = np.ascontiguousarray(words)
            total_s += _took_s(lambda: matrix.best(some, 4))
        return total_s


def _took_s(work: Callable[[], object]) -> float:
    began_s = time.perf_counter()
    work()
    return time.perf_counter() - began_s
