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
import msgspec
from anyio.abc import TaskGroup

from recalld.counters import Counters
from recalld.embed import Engines, build_engines
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import Embedder, EmbedderState, Identity
from recalld.errors import BadConfig, Unavailable, sole
from recalld.evaluate.files import Layout, write_group
from recalld.evaluate.metrics import Answer, injected
from recalld.evaluate.sets import EvalSet, Query, Row, moment
from recalld.index.flow import Indexer, IndexSettings
from recalld.index.model import Workspace
from recalld.search.examined import Examined
from recalld.search.flow import IndexSearcher
from recalld.search.model import Found, Scope, SearchResult
from recalld.search.policy import SearchPolicy
from recalld.search.preferred.flow import PreferredSearcher
from recalld.searchers import Searchers, shipped_searchers
from recalld.store.bridge import open_database, open_loop
from recalld.store.index_read import IndexReader
from recalld.store.index_write import IndexWriter

# When a question is asked that tells no date, of a corpus that tells none.
NOW = datetime(2026, 1, 1, tzinfo=UTC)
# As many as are judged: enough to rank pages and chats by their best chunk.
LIMIT = 30
NOTHING = SearchPolicy()
INDEX = IndexSettings()
# A process that is unloaded between two questions would be waited for at each.
NEVER_S = 86_400
# How often one that loads is looked at.
LOOK_S = 0.05

Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """Folders in an index that is current. ``ids`` are the workspaces of ``roots``."""

    searchers: Searchers
    reader: IndexReader
    engines: Engines
    ids: Mapping[Path, int]
    counters: Counters

    @property
    def searcher(self) -> IndexSearcher | PreferredSearcher:
        """The one that answers in a daemon."""
        return self.searchers.best

    @property
    def embedder(self) -> Embedder:
        """The default engine: what is no search goes by it, as in a daemon."""
        return self.engines.default

    @property
    def identity(self) -> Identity:
        """Of the best engine: the one that is measured."""
        return (self.engines.preferred or self.engines.default).identity


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
    def searcher(self) -> IndexSearcher | PreferredSearcher:
        return self.index.searcher

    def asked_at(self, set_name: str, query: Query) -> datetime:
        """When the question is asked: as it says, else on the newest day of its group."""
        return query.asked_at or self.groups[set_name, query.group].last

    async def examine(self, key: Key, query: Query) -> Examined | None:
        """What the best engine judges of the question in a group; None: nothing.

        Raises ``Unavailable`` where the engine took no part: fitted so, that would be its rule.
        """
        placed, side = self.groups[key], self.index.searchers.best_side
        scope, now = Scope(workspace_ids=(placed.workspace_id,)), query.asked_at or placed.last
        found = await side.examine(query.text, scope=scope, limit=LIMIT, now=now)
        if not found or not len(found[0].features):
            return None
        _check(found[0], self.index)
        return found[0]

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
    """``roots`` indexed and embedded, in ``folder/index.db``; what is there already is kept.

    Searched as a daemon of this configuration would, by the shipped coefficients. Raises
    ``BadConfig`` where the preferred engine cannot be loaded, ``Unavailable`` where it breaks:
    what the default one answers in its place would be measured in its name.
    """
    counters = Counters()
    engines = build_engines(msgspec.structs.replace(embed, unload_after_s=NEVER_S), counters)
    try:
        async with (
            open_loop(),
            open_database(
                folder / "index.db", migrations="index", synchronous="NORMAL"
            ) as database,
            anyio.create_task_group() as nest,
        ):
            await _started(engines, nest)
            searchers = shipped_searchers(
                database,
                default=engines.default,
                preferred=engines.preferred,
                counters=counters,
                policy=search,
            )
            indexer = Indexer(
                IndexWriter(database),
                settings=index,
                counters=counters,
                on_change=searchers.best.notify,
            )
            at = {str(root.resolve()): root for root in roots}
            await indexer.set_workspaces(Workspace(root=root) for root in at)
            await indexer.sync()
            await nest.start(searchers.best.run)
            await _embedded(searchers, [workspace.id for workspace in indexer.workspaces])
            yield Indexed(
                searchers=searchers,
                reader=IndexReader(database),
                engines=engines,
                ids={at[one.root]: one.id for one in indexer.workspaces},
                counters=counters,
            )
            nest.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        raise sole(group) from group


def _check(examined: Examined, index: Indexed) -> None:
    """Raise ``Unavailable`` where a leg of the measured engine is lacking."""
    engine, legs = index.engines.preferred or index.engines.default, examined.fusion.legs
    if engine.state is EmbedderState.OFF:
        return
    name = engine.identity.engine
    if engine.state is not EmbedderState.READY or engine.problem:
        raise Unavailable(name, engine.problem or str(engine.state))
    embedded = examined.corpus.filled.mean() >= NOTHING.min_embedded_share
    if embedded and legs.dense is None:
        raise Unavailable(name, "did not embed a question in time")
    if index.engines.preferred is not None and legs.learned is None:
        raise Unavailable(name, "gave no learned weights for a question")


async def _started(engines: Engines, nest: TaskGroup) -> None:
    """Both run; the preferred one works."""
    nest.start_soon(engines.default.run)
    engine = engines.preferred
    if engine is None:
        return
    nest.start_soon(engine.run)
    engine.wake()
    while engine.state is not EmbedderState.READY:
        name, problem = engine.identity.engine, engine.problem
        if engine.state is EmbedderState.FAILED:
            raise BadConfig("embed.engine", f"{name}: {problem} (see `recalld model status`)")
        if problem:
            raise Unavailable(name, problem)
        await anyio.sleep(LOOK_S)


async def _embedded(searchers: Searchers, ids: Iterable[int]) -> None:
    """By the preferred engine everything; what the default one cannot is told in the notes."""
    for workspace_id in ids:
        await searchers.default.caught_up(workspace_id)
        if searchers.preferred is not None:
            why = await searchers.best_side.caught_up(workspace_id)
            if why is not None:
                raise Unavailable("embedder", why)


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
