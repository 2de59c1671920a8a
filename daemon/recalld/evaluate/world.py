"""Every group of every set as a workspace of one real index, ready to be searched.

``open_index`` indexes any folders, ``open_world`` labelled sets. ``World.answer`` is one question
through the real search, in its own group alone or, with ``everywhere``, in all groups at once
with its own as the asker's.
"""

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import anyio

from recalld.counters import Counters
from recalld.embed import build_embedder
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder
from recalld.evaluate.files import Layout, write_group
from recalld.evaluate.metrics import Answer, injected
from recalld.evaluate.sets import EvalSet, Query, Row, moment
from recalld.index.flow import Indexer, IndexSettings
from recalld.index.model import Workspace
from recalld.search.flow import IndexSearcher
from recalld.search.model import Found, Scope, SearchResult
from recalld.search.policy import SearchPolicy
from recalld.store.bridge import open_database, open_loop
from recalld.store.index_read import IndexReader
from recalld.store.index_write import IndexWriter
from recalld.store.vectors import VectorStore

# When a question is asked that tells no date, of a corpus that tells none.
NOW = datetime(2026, 1, 1, tzinfo=UTC)
# As many as are judged: enough to rank pages and chats by their best chunk.
LIMIT = 30
NOTHING = SearchPolicy()
INDEX = IndexSettings()

Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """Folders in an index that is current. ``ids`` are the workspaces of ``roots``."""

    searcher: IndexSearcher
    reader: IndexReader
    embedder: Embedder
    ids: Mapping[Path, int]
    counters: Counters


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A group in the index. ``last`` is the day of its newest row."""

    workspace_id: int
    layout: Layout
    last: datetime

    def row_of(self, found: Found) -> str | None:
        return self.layout.row_at(found.path, found.end_line)

    def session_of(self, found: Found) -> str:
        return self.layout.sessions[found.path]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Sets in an index. Keys are (set, group)."""

    index: Indexed
    groups: Mapping[Key, Placed]

    @property
    def searcher(self) -> IndexSearcher:
        return self.index.searcher

    def asked_at(self, set_name: str, query: Query) -> datetime:
        """When the question is asked: as it says, else on the newest day of its group."""
        return query.asked_at or self.groups[set_name, query.group].last

    async def ask(
        self, set_name: str, query: Query, *, limit: int = LIMIT, everywhere: bool = False
    ) -> SearchResult:
        """The question through the real search."""
        home = self.groups[set_name, query.group].workspace_id
        ids = tuple(one.workspace_id for one in self.groups.values()) if everywhere else (home,)
        scope = Scope(workspace_ids=ids, home=home)
        now = self.asked_at(set_name, query)
        return await self.searcher.search(query.text, scope=scope, limit=limit, now=now)

    async def answer(
        self, set_name: str, query: Query, *, limit: int = LIMIT, everywhere: bool = False
    ) -> Answer:
        """The question's answer by rows; rows of other groups are named ``set/group/row``."""
        started = anyio.current_time()
        result = await self.ask(set_name, query, limit=limit, everywhere=everywhere)
        took_ms = (anyio.current_time() - started) * 1_000
        return self.answered(set_name, query, result.found, took_ms=took_ms)

    def answered(
        self, set_name: str, query: Query, found: Iterable[Found], *, took_ms: float = 0.0
    ) -> Answer:
        """``found`` as rows of the question's group."""
        placed = {one.workspace_id: (key, one) for key, one in self.groups.items()}
        rows: dict[str, tuple[float, str]] = {}
        for one in found:
            key, group = placed[one.workspace_id]
            row, session = group.row_of(one) or one.path, group.session_of(one)
            if key != (set_name, query.group):
                row, session = "/".join((*key, row)), "/".join((*key, session))
            rows.setdefault(row, (one.raw_score, session))
        ranked = tuple((row, raw) for row, (raw, _) in rows.items())
        return Answer(
            set_name=set_name,
            query=query,
            ranked=ranked,
            sessions=tuple(session for _, session in rows.values()),
            injected=injected(ranked),
            took_ms=took_ms,
        )


@asynccontextmanager
async def open_index(
    folder: Path,
    roots: Iterable[Path],
    *,
    embed: EmbedPolicy,
    search: SearchPolicy = NOTHING,
    index: IndexSettings = INDEX,
) -> AsyncIterator[Indexed]:
    """``roots`` indexed and embedded, in ``folder/index.db``; what is there already is kept."""
    counters = Counters()
    embedder = build_embedder(embed, counters)
    async with (
        open_loop(),
        open_database(folder / "index.db", migrations="index", synchronous="NORMAL") as database,
        anyio.create_task_group() as nest,
    ):
        reader = IndexReader(database)
        searcher = IndexSearcher(
            reader,
            VectorStore(database),
            embedder=embedder,
            counters=counters,
            policy=search,
        )
        indexer = Indexer(
            IndexWriter(database),
            settings=index,
            counters=counters,
            on_change=searcher.notify,
        )
        nest.start_soon(embedder.run)
        at = {str(root.resolve()): root for root in roots}
        await indexer.set_workspaces(Workspace(root=root) for root in at)
        await indexer.sync()
        await nest.start(searcher.run)
        for workspace in indexer.workspaces:
            await searcher.caught_up(workspace.id)
        yield Indexed(
            searcher=searcher,
            reader=reader,
            embedder=embedder,
            ids={at[one.root]: one.id for one in indexer.workspaces},
            counters=counters,
        )
        nest.cancel_scope.cancel()


@asynccontextmanager
async def open_world(
    folder: Path,
    sets: Iterable[EvalSet],
    *,
    embed: EmbedPolicy,
    search: SearchPolicy = NOTHING,
    index: IndexSettings = INDEX,
) -> AsyncIterator[World]:
    """Write, index and embed ``sets`` under ``folder``; what is there already is kept."""
    rows = {
        (one.name, group): (folder / "files" / one.name / f"g{number:02d}", members)
        for one in sets
        for number, (group, members) in enumerate(one.groups.items())
    }
    layouts = {key: write_group(root, members) for key, (root, members) in rows.items()}
    for root, _ in rows.values():
        _undated(root)
    roots = [root for root, _ in rows.values()]
    async with open_index(folder, roots, embed=embed, search=search, index=index) as indexed:
        groups = {
            key: Placed(workspace_id=indexed.ids[root], layout=layouts[key], last=_newest(members))
            for key, (root, members) in rows.items()
        }
        yield World(index=indexed, groups=groups)


def _undated(root: Path) -> None:
    """A row without a date is of no day; its file says when the set was written here."""
    for file in root.rglob("*.md"):
        os.utime(file, (0, 0))


def _newest(rows: Iterable[Row]) -> datetime:
    dates = [found for row in rows if (found := moment(row.date)) is not None]
    return max(dates, default=NOW)
