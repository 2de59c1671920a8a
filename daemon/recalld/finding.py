"""How what is written down is indexed, searched and recalled."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from recalld.announcing import index_event
from recalld.base import Base
from recalld.conversations import Conversations, Stores, conversations
from recalld.index.flow import Indexer, IndexSettings
from recalld.index.ignore import trace_paths
from recalld.index.reread import reread
from recalld.llm.model import Chat
from recalld.outside import language_model, with_fallback
from recalld.parts import IndexService
from recalld.recall.flow import MessageEmbedder, RecallService, RecallWorld
from recalld.recall.gate_extended import extended_stage
from recalld.recall.ids import TraceIds
from recalld.recall.model import RecallResult
from recalld.recall.pipeline import Ports
from recalld.recall.rules import rules_of
from recalld.search.model import Searcher
from recalld.searchers import Searchers, searchers_of
from recalld.server.hub import Hub
from recalld.store.index_write import IndexWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Indexing, searching and recall over one set of databases."""

    indexer: Indexer
    searchers: Searchers
    asked: Searcher
    recall: RecallService
    index: IndexService
    conversations: Conversations
    chat: Chat


def engine_of(base: Base, hub: Hub, ids: TraceIds) -> Engine:
    """``hub`` is told of every change of the index."""
    settings, counters = base.settings, base.counters
    searchers = _searchers(base)

    def changed(workspace_id: int) -> None:
        searchers.best.notify(workspace_id)
        hub.publish(index_event(workspace_id, indexer.workspaces, base.now()))

    indexer = _indexer(base, changed)
    said = _conversations(base, indexer, changed)
    asked = with_fallback(searchers.best, settings, counters, workspaces=lambda: indexer.workspaces)
    chat = language_model(settings, counters)
    ports = Ports(
        searcher=asked,
        sparse=searchers.sparse,
        rules=rules_of(extended_stage(base.embedder.identity)),
        embed=MessageEmbedder(base.embedder),
        reread=reread,
        chat=chat,
    )
    return Engine(
        indexer=indexer,
        searchers=searchers,
        asked=asked,
        recall=_recall(base, indexer, ports, ids=ids, on_recall=said.heard.note),
        index=IndexService(
            indexer=indexer,
            searchers=searchers,
            embedder=base.embedder,
            database=base.index.database,
            conversations=said,
        ),
        conversations=said,
        chat=chat,
    )


def _searchers(base: Base) -> Searchers:
    return searchers_of(
        base.index.database,
        default=base.embedder,
        preferred=base.preferred,
        environ=base.settings.environ,
        counters=base.counters,
    )


def _indexer(base: Base, changed: Callable[[int], None]) -> Indexer:
    config = base.settings.current
    return Indexer(
        IndexWriter(base.index.database),
        settings=IndexSettings(
            policy=config.index, never=trace_paths(config.trace.file, config.trace.keep)
        ),
        counters=base.counters,
        on_change=changed,
    )


def _conversations(base: Base, indexer: Indexer, changed: Callable[[int], None]) -> Conversations:
    return conversations(
        indexer,
        stores=Stores(index=base.index.database, state=base.state.database, counters=base.counters),
        policy=base.settings.current.index,
        home=base.settings.environ.get("HOME") or str(Path.home()),
        on_change=changed,
    )


def _recall(
    base: Base,
    indexer: Indexer,
    ports: Ports,
    *,
    ids: TraceIds,
    on_recall: Callable[[RecallResult], None],
) -> RecallService:
    return RecallService(
        RecallWorld(
            ports=ports,
            settings=lambda: base.settings.current,
            sink=base.sink,
            counters=base.counters,
            ids=ids,
            roots=lambda: [workspace.root for workspace in indexer.workspaces],
            on_recall=on_recall,
        )
    )
