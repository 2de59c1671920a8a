"""The daemon's parts as the server's ports ask for them, and how each part is."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from recalld.conversations import Conversations
from recalld.embed.port import Embedder, EmbedderState, SparseEmbedder
from recalld.index.flow import Indexer
from recalld.index.transcripts.model import Followed
from recalld.index.workspaces import resolve
from recalld.search.flow import LEXICAL_ONLY
from recalld.search.model import SearchStatus
from recalld.searchers import Searchers
from recalld.server.health import Condition
from recalld.server.ports import Entry, Kept, Place
from recalld.store.bridge import Database
from recalld.store.event_table import NewEvent, stamp
from recalld.store.events import EventLog
from recalld.store.index_check import agreement


class EventJournal:
    """The store's event log as the server's journal."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    async def append(self, entry: Entry) -> Kept:
        accepted = await self._log.append(
            NewEvent(
                event_id=entry.event_id,
                kind=entry.kind,
                session_key=entry.session_key,
                agent=entry.agent,
                workspace=entry.workspace,
                at=stamp(entry.at),
                payload=entry.payload,
                reply=entry.reply,
            )
        )
        return Kept(seq=accepted.seq, duplicate=accepted.duplicate, reply=accepted.reply)

    async def record_reply(self, seq: int, reply: bytes) -> None:
        await self._log.record_reply(seq, reply)


class IndexPlaces:
    """The indexed workspaces as places a message can be about."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer

    def all(self) -> Sequence[Place]:
        return [Place(id=found.id, root=found.root) for found in self._indexer.workspaces]

    def resolve(self, path: str) -> Place | None:
        found = resolve(os.path.realpath(path), self._indexer.workspaces)
        return None if found is None else Place(id=found.id, root=found.root)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexService:
    """Indexing and searching as one thing to ask."""

    indexer: Indexer
    searchers: Searchers
    embedder: Embedder
    database: Database
    conversations: Conversations | None = None

    async def sync(self, workspace_id: int | None, *, wait: bool) -> Mapping[str, object]:
        started = anyio.current_time()
        said = Followed()
        if wait and self.conversations is not None:
            said = await self.conversations.look()
        report = await self.indexer.sync(workspace_id, wait=wait)
        skipped = [{"path": skip.path, "why": skip.why} for skip in report.skipped]
        skipped += [] if self.conversations is None else self.conversations.skipped()
        for workspace in self.indexer.workspaces if wait else ():
            if workspace_id in (None, workspace.id):
                why = await self.searchers.default.caught_up(workspace.id)
                skipped += [] if why is None else [{"path": workspace.root, "why": why}]
        return {
            "files": report.files,
            "chunks": report.chunks,
            "added": report.added + said.added,
            "changed": report.changed + said.changed,
            "removed": report.removed + said.removed,
            "skipped": skipped,
            "took_ms": round((anyio.current_time() - started) * 1_000, 3),
        }

    async def status(self, workspace_id: int | None) -> Mapping[str, object]:
        identity = self.embedder.identity
        return {
            "engine": identity.engine,
            "model": identity.model,
            "dimension": identity.dimension,
            "state": self.embedder.state,
            "problem": self.embedder.problem,
            "fitted_on": self.searchers.default.fitted_on,
            "workspaces": [
                await self._workspace(status.id)
                for status in await self.indexer.status(workspace_id)
            ],
        }

    async def _workspace(self, workspace_id: int) -> Mapping[str, object]:
        (indexed,) = await self.indexer.status(workspace_id)
        searched = await self.searchers.default.describe(workspace_id)
        counted = await agreement(self.database, workspace_id, searched.identity)
        lexical = counted.chunks == counted.lexical == counted.full_text
        vectors = counted.chunks == counted.vectors or searched.engine == LEXICAL_ONLY
        return {
            "workspace": indexed.root,
            "files": counted.files,
            "chunks": counted.chunks,
            "lexical": counted.full_text,
            "vectors": counted.vectors,
            "skipped": indexed.skipped,
            "watch": indexed.watch,
            "reconciled_at": indexed.reconciled_at,
            "reading": {"done": indexed.done, "total": indexed.total},
            "degraded": [*indexed.degraded, *_outdated(searched)],
            "invariants": {
                "holds": lexical and vectors,
                "lexical": lexical,
                "vectors": vectors,
                "searchable": searched.chunks == counted.chunks and not searched.stale,
            },
            "refused_windows": searched.refused,
            "reembedding": searched.reembedding,
            "preferred": await self._preferred(workspace_id),
        }

    async def _preferred(self, workspace_id: int) -> Mapping[str, object] | None:
        """How far the better engine has come; None: there is none."""
        preferred = self.searchers.preferred
        if preferred is None:
            return None
        progress = await preferred.progress(workspace_id)
        return {
            "engine": progress.engine,
            "model": preferred.sides.engine.identity.model,
            "state": progress.state,
            "problem": progress.problem,
            "embedded": progress.embedded,
            "windows": progress.windows,
            "fitted_on": progress.fitted_on,
        }

    async def condition(self) -> Condition:
        """How indexing is, workspace by workspace."""
        statuses = await self.indexer.status()
        return Condition(
            degraded=tuple(f"{why} ({each.root})" for each in statuses for why in each.degraded),
            facts={
                "workspaces": [
                    {
                        "workspace": each.root,
                        "files": each.files,
                        "chunks": each.chunks,
                        "watch": each.watch,
                        "reconciled_at": each.reconciled_at,
                        "reading": {"done": each.done, "total": each.total},
                    }
                    for each in statuses
                ]
            },
        )


def _outdated(searched: SearchStatus) -> list[str]:
    """What is said of stored vectors that another engine made."""
    others = [name for name in searched.stored if not name.startswith(searched.identity)]
    return [
        f"{searched.stored[name]} vectors of {name} are being replaced by {searched.identity};"
        " `recalld index` waits for it"
        for name in others
    ]


async def embedder_condition(embedder: Embedder) -> Condition:
    identity, state = embedder.identity, embedder.state
    works = state in (EmbedderState.READY, EmbedderState.OFF) and not embedder.problem
    why = f"{state}: {embedder.problem}" if embedder.problem else str(state)
    return Condition(
        degraded=() if works else (why,),
        facts={"engine": identity.engine, "model": identity.model, "loading": str(state)},
    )


async def preferred_condition(embedder: SparseEmbedder) -> Condition:
    """Asleep is well: it wakes when it is asked."""
    identity, state = embedder.identity, embedder.state
    works = state in (EmbedderState.READY, EmbedderState.ASLEEP) and not embedder.problem
    why = f"{state}: {embedder.problem}" if embedder.problem else str(state)
    facts = {"engine": identity.engine, "identity": str(identity), "loading": str(state)}
    return Condition(degraded=() if works else (why,), facts={**facts, **embedder.describe()})


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreHealth:
    """One database, and the damaged file it took the place of."""

    database: Database
    quarantined: Path | None

    async def condition(self) -> Condition:
        database = self.database
        degraded = [] if self.quarantined is None else [f"damaged file kept at {self.quarantined}"]
        if database.settling:
            degraded.append(f"{database.settling} connections do not come back")
        return Condition(
            degraded=tuple(degraded),
            facts={
                "path": str(database.path),
                "wal_bytes": await database.wal_bytes(),
                "sqlite": database.sqlite_version,
            },
        )
