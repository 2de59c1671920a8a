"""All groups as workspaces of one real index, ready to be searched."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import anyio
import msgspec

from bench.quality.files import Layout, write_group
from bench.quality.sets import EvalSet, Query
from recalld.counters import Counters
from recalld.embed import build_embedder
from recalld.embed.policy import EmbedPolicy
from recalld.index.flow import Indexer, IndexSettings
from recalld.index.model import Workspace
from recalld.search.flow import IndexSearcher
from recalld.search.model import Found, Scope, SearchResult
from recalld.store.bridge import open_database, open_loop
from recalld.store.index_read import IndexReader
from recalld.store.index_write import IndexWriter
from recalld.store.vectors import VectorStore

NOW = datetime(2026, 1, 1, tzinfo=UTC)
# As many as are judged: enough to rank pages and chats by their best chunk.
LIMIT = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A group in the index."""

    workspace_id: int
    layout: Layout

    def row_of(self, found: Found) -> str | None:
        return self.layout.row_at(found.path, found.end_line)

    def session_of(self, found: Found) -> str:
        return self.layout.sessions[found.path]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    searcher: IndexSearcher
    groups: dict[tuple[str, str], Placed]
    counters: Counters

    async def ask(self, set_name: str, query: Query, *, limit: int = LIMIT) -> SearchResult:
        placed = self.groups[set_name, query.group]
        scope = Scope(workspace_ids=(placed.workspace_id,))
        return await self.searcher.search(query.text, scope=scope, limit=limit, now=NOW)


@asynccontextmanager
async def open_world(folder: Path, sets: tuple[EvalSet, ...], engine: str) -> AsyncIterator[World]:
    """Write, index and embed everything under ``folder``; what is there already is kept."""
    layouts = {
        (one.name, group): (folder / "files" / one.name / f"g{number:02d}", rows)
        for one in sets
        for number, (group, rows) in enumerate(one.groups.items())
    }
    written = {key: write_group(root, rows) for key, (root, rows) in layouts.items()}
    counters = Counters()
    policy = msgspec.convert({"engine": engine}, EmbedPolicy)
    embedder = build_embedder(policy, counters)
    async with (
        open_loop(),
        open_database(folder / "index.db", migrations="index", synchronous="NORMAL") as database,
        anyio.create_task_group() as nest,
    ):
        searcher = IndexSearcher(
            IndexReader(database), VectorStore(database), embedder=embedder, counters=counters
        )
        indexer = Indexer(
            IndexWriter(database),
            settings=IndexSettings(),
            counters=counters,
            on_change=searcher.notify,
        )
        nest.start_soon(embedder.run)
        roots = {str(root.resolve()): key for key, (root, _) in layouts.items()}
        await indexer.set_workspaces(Workspace(root=root) for root in roots)
        await indexer.sync()
        await nest.start(searcher.run)
        groups = {}
        for workspace in indexer.workspaces:
            await searcher.caught_up(workspace.id)
            key = roots[workspace.root]
            groups[key] = Placed(workspace_id=workspace.id, layout=written[key])
        yield World(searcher=searcher, groups=groups, counters=counters)
        nest.cancel_scope.cancel()
