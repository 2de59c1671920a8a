"""Transcripts followed on a real folder into a real index."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiosqlite

from recalld.counters import Counters
from recalld.index.echo import Echoes
from recalld.index.flow import Indexer, IndexSettings
from recalld.index.model import Workspace
from recalld.index.policy import IndexPolicy
from recalld.index.transcripts.flow import Follower, Surroundings
from recalld.index.transcripts.model import Progress
from recalld.index.transcripts.pipeline import Kit
from recalld.store.bridge import Database, open_database, open_loop
from recalld.store.index_write import IndexWriter
from recalld.store.transcripts import TranscriptStore


@dataclass(frozen=True, kw_only=True)
class Said:
    """A stored turn, or a piece of one."""

    path: str
    role: str
    text: str
    line: int
    session: str | None
    heading: str
    date: str | None
    uid: str


@dataclass(kw_only=True)
class Scene:
    database: Database
    indexer: Indexer
    follower: Follower
    store: TranscriptStore
    counters: Counters
    changed: list[int]
    echoes: Echoes = field(default_factory=Echoes)

    async def said(self) -> list[Said]:
        async def job(connection: aiosqlite.Connection) -> list[Said]:
            rows = await connection.execute_fetchall(
                "SELECT f.path, c.speaker, c.text, c.start_line, f.session, c.heading, c.date,"
                " c.uid"
                " FROM chunk c JOIN file f ON f.id = c.file_id WHERE f.source = 'sessions'"
                " ORDER BY f.path, c.ordinal"
            )
            names = ("path", "role", "text", "line", "session", "heading", "date", "uid")
            return [Said(**dict(zip(names, row, strict=True))) for row in rows]

        return await self.database.read(job)

    async def texts(self) -> list[str]:
        return [each.text for each in await self.said()]

    async def look(self) -> list[str]:
        await self.follower.look()
        await self.check()
        return await self.texts()

    async def progress(self, path: str) -> Progress:
        (row,) = [row for row in await self.store.known() if row.path == path]
        assert row.progress is not None
        return row.progress

    async def skipped(self) -> dict[str, str | None]:
        return {row.path: row.skipped for row in await self.store.known() if row.skipped}

    async def neighbours(self) -> list[tuple[str, str, str]]:
        """``(prev, own, next)`` of every turn."""

        async def job(connection: aiosqlite.Connection) -> list[Any]:
            rows = await connection.execute_fetchall(
                "SELECT l.prev, l.own, l.next FROM chunk_lexical l JOIN chunk c"
                " ON c.id = l.chunk_id ORDER BY c.file_id, c.ordinal"
            )
            return [tuple(row) for row in rows]

        return await self.database.read(job)

    async def check(self) -> None:
        """No row without its others, no line twice, and the full text agrees with its source."""

        async def job(connection: aiosqlite.Connection) -> list[list[Any]]:
            return [
                list(await connection.execute_fetchall(statement))
                for statement in (
                    "SELECT id FROM chunk WHERE id NOT IN (SELECT chunk_id FROM chunk_lexical)",
                    "SELECT chunk_id FROM chunk_lexical WHERE chunk_id NOT IN"
                    " (SELECT id FROM chunk)",
                    "SELECT file_id FROM transcript_line WHERE file_id NOT IN"
                    " (SELECT id FROM file)",
                    "SELECT uid FROM chunk GROUP BY uid, workspace_id HAVING count(*) > 1",
                    "SELECT term FROM lexv_1 WHERE doc <= 0",
                )
            ]

        assert await self.database.read(job) == [[], [], [], [], []]


@asynccontextmanager
async def following(
    state: Path,
    *roots: Path,
    patterns: tuple[str, ...] = (),
    heard: Callable[[str], str] | None = None,
    patience_s: float = 30.0,
) -> AsyncIterator[Scene]:
    """The workspaces ``roots``, of which only transcripts are looked at."""
    counters, changed, echoes = Counters(), list[int](), Echoes()
    state.mkdir(exist_ok=True)
    async with (
        open_loop(),
        open_database(state / "index.db", migrations="index", synchronous="NORMAL") as database,
    ):
        writer = IndexWriter(database)
        indexer = Indexer(
            writer, settings=IndexSettings(), counters=counters, on_change=lambda _: None
        )
        await indexer.set_workspaces(Workspace(root=str(root.resolve())) for root in roots)
        store = TranscriptStore(writer)
        kit = Kit(
            store=store,
            policy=IndexPolicy(),
            counters=counters,
            heard=heard or echoes.without,
        )
        around = Surroundings(
            workspaces=lambda: indexer.workspaces, patterns=patterns, patience_s=patience_s
        )
        follower = Follower(kit, around, on_change=changed.append)
        yield Scene(
            database=database,
            indexer=indexer,
            follower=follower,
            store=store,
            counters=counters,
            changed=changed,
            echoes=echoes,
        )


def lines(*objects: object) -> bytes:
    return b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in objects)


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def claude(uid: str, text: object, *, role: str = "user", **more: object) -> dict[str, object]:
    message = {"role": role, "content": text, **more.pop("message", {})}  # type: ignore[dict-item]
    return {"type": role, "uuid": uid, "sessionId": "s1", "message": message, **more}
