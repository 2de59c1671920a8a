"""A real index on a real folder, and what it holds, comparable with another one."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiosqlite
import trio

from recalld.counters import Counters
from recalld.index.flow import Indexer, IndexSettings
from recalld.index.model import WatchState, Workspace
from recalld.index.policy import IndexPolicy
from recalld.store.bridge import Database, open_database, open_loop
from recalld.store.index_write import IndexWriter
from recalld.text.tokens import query_tokens

# Generous: a machine under load fails late, not wrongly. The latencies are printed.
LIMIT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    database: Database
    indexer: Indexer
    counters: Counters
    changed: list[int]

    async def contents(self, workspace_id: int = 1) -> list[tuple[Any, ...]]:
        """Every row that is derived from the files, without ids and stamps."""

        async def job(connection: aiosqlite.Connection) -> list[tuple[Any, ...]]:
            files = await connection.execute_fetchall(
                "SELECT path, source, hex(sha256), title, date, session, head_text, skipped,"
                " warning FROM file WHERE workspace_id = ? ORDER BY path",
                (workspace_id,),
            )
            chunks = await connection.execute_fetchall(
                "SELECT f.path, c.uid, c.ordinal, c.start_line, c.end_line, c.heading, c.text,"
                " c.speaker, c.date, c.is_cjk, l.own, l.prev, l.next, l.head"
                " FROM chunk c JOIN file f ON f.id = c.file_id"
                " JOIN chunk_lexical l ON l.chunk_id = c.id"
                " WHERE c.workspace_id = ? ORDER BY f.path, c.ordinal",
                (workspace_id,),
            )
            passages = await connection.execute_fetchall(
                "SELECT c.uid, p.ordinal, p.start_char, p.end_char, hex(p.text_hash)"
                " FROM passage p JOIN chunk c ON c.id = p.chunk_id"
                " WHERE c.workspace_id = ? ORDER BY 1, 2",
                (workspace_id,),
            )
            return [tuple(row) for row in (*files, *chunks, *passages)]

        return await self.database.read(job)

    async def chunks(self, workspace_id: int = 1) -> list[tuple[str, int, int, str]]:
        """``(path, start_line, end_line, text)`` in order."""

        async def job(connection: aiosqlite.Connection) -> list[Any]:
            rows = await connection.execute_fetchall(
                "SELECT f.path, c.start_line, c.end_line, c.text"
                " FROM chunk c JOIN file f ON f.id = c.file_id"
                " WHERE c.workspace_id = ? ORDER BY f.path, c.ordinal",
                (workspace_id,),
            )
            return [tuple(row) for row in rows]

        return await self.database.read(job)

    async def hits(self, query: str, workspace_id: int = 1) -> list[str]:
        """Paths of the chunks whose full-text row holds a word of ``query``, in order."""
        match = " OR ".join(f'"{token}"' for token in query_tokens(query))

        async def job(connection: aiosqlite.Connection) -> list[str]:
            rows = await connection.execute_fetchall(
                f"SELECT f.path FROM lex_{workspace_id} x JOIN chunk c ON c.id = x.rowid"
                f" JOIN file f ON f.id = c.file_id WHERE lex_{workspace_id} MATCH ?"
                " ORDER BY f.path, c.ordinal",
                (f"own : ({match})",),
            )
            return [path for (path,) in rows]

        return await self.database.read(job)

    async def check(self, workspace_id: int = 1) -> None:
        """The full-text table agrees with the rows it was fed from."""

        async def job(connection: aiosqlite.Connection) -> list[list[Any]]:
            return [
                list(await connection.execute_fetchall(statement))
                for statement in (
                    "SELECT id FROM chunk WHERE id NOT IN (SELECT chunk_id FROM chunk_lexical)",
                    "SELECT chunk_id FROM chunk_lexical WHERE chunk_id NOT IN"
                    " (SELECT id FROM chunk)",
                    "SELECT chunk_id FROM passage WHERE chunk_id NOT IN (SELECT id FROM chunk)",
                    "SELECT id FROM chunk WHERE file_id NOT IN (SELECT id FROM file)",
                    f"SELECT term FROM lexv_{workspace_id} WHERE doc <= 0",
                )
            ]

        assert await self.database.read(job) == [[], [], [], [], []]


@asynccontextmanager
async def open_world(
    root: Path, state: Path, *, settings: IndexSettings | None = None, also: tuple[Path, ...] = ()
) -> AsyncIterator[World]:
    """``root`` (and further roots) as workspaces; nothing is indexed yet."""
    counters, changed = Counters(), list[int]()
    async with (
        open_loop(),
        open_database(state / "index.db", migrations="index", synchronous="NORMAL") as database,
    ):
        indexer = Indexer(
            IndexWriter(database),
            settings=settings or IndexSettings(),
            counters=counters,
            on_change=changed.append,
        )
        await indexer.set_workspaces(Workspace(root=str(path.resolve())) for path in (root, *also))
        yield World(database=database, indexer=indexer, counters=counters, changed=changed)


async def fresh_contents(
    root: Path, state: Path, *, settings: IndexSettings | None = None
) -> list[tuple[Any, ...]]:
    """What an index made from nothing holds of ``root``. Inside ``open_loop``."""
    state.mkdir()
    async with open_database(
        state / "index.db", migrations="index", synchronous="NORMAL"
    ) as database:
        indexer = Indexer(
            IndexWriter(database),
            settings=settings or IndexSettings(),
            counters=Counters(),
            on_change=lambda _: None,
        )
        await indexer.set_workspaces([Workspace(root=str(root.resolve()))])
        await indexer.sync()
        world = World(database=database, indexer=indexer, counters=Counters(), changed=[])
        return await world.contents()


async def eventually(claim: Callable[[], Awaitable[bool]], *, limit_s: float = LIMIT_S) -> float:
    """Seconds until the async ``claim`` holds; fails when it does not within ``limit_s``."""
    started = trio.current_time()
    with trio.move_on_after(limit_s):
        while not await claim():
            await trio.sleep(0.02)
        return trio.current_time() - started
    assert await claim(), f"still false after {limit_s} s"
    return trio.current_time() - started


# No rescan comes to the help of the events.
EVENTS_ONLY = IndexSettings(policy=IndexPolicy(rescan_s=3_600.0))


@asynccontextmanager
async def watching(
    root: Path, state: Path, *, options: IndexSettings = EVENTS_ONLY
) -> AsyncIterator[World]:
    async with open_world(root, state, settings=options) as world, trio.open_nursery() as nursery:
        await nursery.start(world.indexer.run)
        await eventually(lambda: settled(world))
        yield world
        nursery.cancel_scope.cancel()


async def settled(world: World) -> bool:
    statuses = await world.indexer.status()
    return all(s.watch is WatchState.WATCH and s.reconciled_at is not None for s in statuses)


async def converged(world: World, root: Path, tmp_path: Path, name: str) -> None:
    """Wait until the index equals one made from nothing; the latency is printed."""
    expected = await fresh_contents(root, tmp_path / f"fresh-{name}")

    async def equal() -> bool:
        return await world.contents() == expected

    seen_s = await eventually(equal)
    print(f"{name}: the index equals the disk after {seen_s:.2f} s")
    await world.check()


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
