"""A real index over a folder of files, with a searcher on it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import anyio

from recalld.counters import Counters
from recalld.embed.none import NoEmbedder
from recalld.embed.port import Embedder, EmbedderState
from recalld.index.flow import Indexer, IndexSettings
from recalld.index.model import Workspace
from recalld.search.flow import IndexSearcher
from recalld.search.model import Scope, SearchResult, Source
from recalld.search.policy import SearchPolicy
from recalld.store.bridge import Database, open_database, open_loop
from recalld.store.index_read import IndexReader
from recalld.store.index_write import IndexWriter
from recalld.store.vectors import VectorStore

NOW = datetime(2026, 4, 11, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """Indexed folders; ``ids`` are their workspaces in the order of the roots."""

    searcher: IndexSearcher
    indexer: Indexer
    database: Database
    reads: IndexReader
    vectors: VectorStore
    counters: Counters
    ids: tuple[int, ...]

    async def settle(self) -> None:
        """Everything on disk is indexed and, where possible, embedded."""
        await self.indexer.sync()
        for key in self.ids:
            await self.searcher.caught_up(key)

    async def ask(
        self,
        query: str,
        *,
        limit: int = 10,
        sources: frozenset[Source] | None = None,
        ids: Sequence[int] | None = None,
    ) -> SearchResult:
        scope = Scope(workspace_ids=tuple(self.ids if ids is None else ids), sources=sources)
        return await self.searcher.search(query, scope=scope, limit=limit, now=NOW)


@asynccontextmanager
async def open_library(
    folder: Path,
    *roots: Path,
    embedder: Embedder | None = None,
    policy: SearchPolicy | None = None,
) -> AsyncIterator[Library]:
    """Index ``roots`` into ``folder``. With an engine that loads, everything is embedded."""
    counters = Counters()
    chosen = embedder or NoEmbedder()
    async with (
        open_loop(),
        open_database(folder / "index.db", migrations="index", synchronous="NORMAL") as database,
        anyio.create_task_group() as nest,
    ):
        reads, vectors = IndexReader(database), VectorStore(database)
        searcher = IndexSearcher(reads, vectors, embedder=chosen, counters=counters, policy=policy)
        indexer = Indexer(
            IndexWriter(database),
            settings=IndexSettings(),
            counters=counters,
            on_change=searcher.notify,
        )
        await indexer.set_workspaces(Workspace(root=str(root)) for root in roots)
        await nest.start(searcher.run)
        ids = {workspace.root: workspace.id for workspace in indexer.workspaces}
        library = Library(
            searcher=searcher,
            indexer=indexer,
            database=database,
            reads=reads,
            vectors=vectors,
            counters=counters,
            ids=tuple(ids[str(root)] for root in roots),
        )
        if chosen.state is EmbedderState.LOADING:
            nest.start_soon(chosen.run)
        await library.settle()
        yield library
        nest.cancel_scope.cancel()


def write_notes(root: Path, notes: Mapping[str, str]) -> Path:
    """Files below ``root`` by relative path; the root comes back, resolved."""
    for path, text in notes.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    root.mkdir(parents=True, exist_ok=True)
    return root.resolve()
