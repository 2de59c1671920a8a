"""A searcher with a preferred engine over a folder of notes; the engine is a fake that can fail."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import anyio
import anyio.lowlevel
import numpy as np

from recalld.counters import Counters
from recalld.embed.port import (
    Both,
    EmbedderState,
    Identity,
    Purpose,
    QuestionVectors,
    SparseEmbedder,
    SparseVector,
    Vectors,
)
from recalld.errors import Unavailable
from recalld.index.flow import Indexer, IndexSettings
from recalld.index.model import Workspace
from recalld.search.model import Scope, SearchResult
from recalld.search.preferred.flow import PreferredSearcher, Stores, sides_of
from recalld.store.bridge import Database, open_database, open_loop
from recalld.store.index_read import IndexReader
from recalld.store.index_write import IndexWriter
from recalld.store.sparse import SparseStore
from recalld.store.vectors import VectorStore
from recalld.text.tokens import lexical_tokens
from support.embedders import HashModel, hashed_embedder
from support.searching import NOW


class FakeLarge:
    """Words to dimensions and to weights of 1. ``state`` is what a test sets it to.

    ``hung``: calls never return. ``broken``: passages that hold it are refused.
    """

    def __init__(self, dimension: int = 48) -> None:
        self.identity = Identity(engine="large", model="tokens", dimension=dimension)
        self.state = EmbedderState.READY
        self.problem = ""
        self.hung = False
        self.broken: str | None = None
        self.woken = 0
        self.passes: list[tuple[Purpose, tuple[str, ...]]] = []
        self._model = HashModel(dimension=dimension)

    async def run(self) -> None:
        """Always there."""

    async def ready(self) -> None:
        while self.state is not EmbedderState.READY:
            await anyio.sleep(0.01)

    def wake(self) -> None:
        self.woken += 1

    def describe(self) -> Mapping[str, object]:
        return {}

    async def embed_both(self, texts: Sequence[str], purpose: Purpose) -> Both:
        if self.state is not EmbedderState.READY:
            raise Unavailable("embedder", str(self.state))
        if self.hung:
            await anyio.sleep_forever()
        if self.broken is not None and any(self.broken in text for text in texts):
            raise Unavailable("embedder", "broken on purpose")
        self.passes.append((purpose, tuple(texts)))
        await anyio.lowlevel.checkpoint()
        rows = self._model.encode(texts, purpose) if texts else np.zeros((0, 48), np.float32)
        return Both(dense=rows, sparse=tuple(weights_of(text) for text in texts))

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return (await self.embed_both(texts, Purpose.QUERY)).dense

    async def embed_question(
        self, texts: Sequence[str], *, words: Sequence[str]
    ) -> QuestionVectors:
        both = await self.embed_both(texts, Purpose.QUERY)
        return QuestionVectors(
            texts=both.dense, words=await self.embed_queries(words), sparse=both.sparse
        )

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return (await self.embed_both(texts, Purpose.PASSAGE)).dense

    async def embed_words(self, texts: Sequence[str]) -> Vectors:
        return (await self.embed_both(texts, Purpose.WORD)).dense


def weights_of(text: str) -> SparseVector:
    digests = {blake2b(one.encode(), digest_size=3).digest() for one in lexical_tokens(text)}
    ids = sorted(int.from_bytes(digest) for digest in digests)
    return SparseVector(ids=np.array(ids, np.int32), weights=np.ones(len(ids), np.float32))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Indexed folders with two engines over them."""

    searcher: PreferredSearcher
    indexer: Indexer
    database: Database
    counters: Counters
    ids: tuple[int, ...]

    @property
    def scope(self) -> Scope:
        return Scope(workspace_ids=self.ids)

    async def settle(self) -> None:
        """What is on disk is indexed and embedded by the default engine, and where it works by
        the preferred one, whose lists are built."""
        await self.indexer.sync()
        sides = self.searcher.sides
        for key in self.ids:
            await sides.default.caught_up(key)
            if sides.engine.state is EmbedderState.READY:
                await sides.preferred.caught_up(key)
        await sides.sparse.rebuild()

    async def ask(self, query: str, *, limit: int = 10) -> SearchResult:
        return await self.searcher.search(query, scope=self.scope, limit=limit, now=NOW)

    async def ask_sparse(self, query: str, *, limit: int = 10) -> SearchResult:
        return await self.searcher.by_weights.search(query, scope=self.scope, limit=limit, now=NOW)


@asynccontextmanager
async def open_shelf(folder: Path, *roots: Path, engine: SparseEmbedder) -> AsyncIterator[Shelf]:
    counters = Counters()
    default = hashed_embedder(name="small")
    async with (
        open_loop(),
        open_database(folder / "index.db", migrations="index", synchronous="NORMAL") as database,
        anyio.create_task_group() as nest,
    ):
        stores = Stores(
            reads=IndexReader(database),
            vectors=VectorStore(database),
            weights=SparseStore(database),
        )
        sides = sides_of(stores, default=default, preferred=engine, counters=counters)
        searcher = PreferredSearcher(sides, counters=counters)
        indexer = Indexer(
            IndexWriter(database),
            settings=IndexSettings(),
            counters=counters,
            on_change=searcher.notify,
        )
        await indexer.set_workspaces(Workspace(root=str(root)) for root in roots)
        await nest.start(searcher.run)
        nest.start_soon(default.run)
        ids = {workspace.root: workspace.id for workspace in indexer.workspaces}
        shelf = Shelf(
            searcher=searcher,
            indexer=indexer,
            database=database,
            counters=counters,
            ids=tuple(ids[str(root)] for root in roots),
        )
        await shelf.settle()
        yield shelf
        nest.cancel_scope.cancel()
