"""The daemon's parts as the server asks for them."""

from typing import cast

import anyio

from recalld.embed.port import Embedder
from recalld.index.flow import Indexer
from recalld.index.model import SyncReport, Workspace
from recalld.parts import IndexService
from recalld.search.flow import IndexSearcher
from recalld.searchers import Searchers
from recalld.store.bridge import Database


class Quick:
    """An indexer that is done at once."""

    workspaces = (Workspace(root="/a", id=1), Workspace(root="/b", id=2))

    async def sync(self, workspace_id, *, wait):
        del workspace_id, wait
        return SyncReport(files=3)


class Embedding:
    """A searcher that needs a second to catch up with a workspace."""

    def __init__(self):
        self.waited = []

    async def caught_up(self, workspace_id):
        self.waited.append(workspace_id)
        await anyio.sleep(1)
        return "usem3: hangs" if workspace_id == 2 else None


async def test_a_sync_that_waits_takes_as_long_as_it_says(autojump_clock):
    for workspace_id, wait, waited, took_ms in (
        (None, True, [1, 2], 2_000),
        (2, True, [2], 1_000),
        (None, False, [], 0),
    ):
        searcher = Embedding()
        service = IndexService(
            indexer=cast("Indexer", Quick()),
            searchers=Searchers(default=cast("IndexSearcher", searcher)),
            embedder=cast("Embedder", None),
            database=cast("Database", None),
        )
        told = await service.sync(workspace_id, wait=wait)
        assert (searcher.waited, told["took_ms"], told["files"]) == (waited, took_ms, 3)
        hung = [{"path": "/b", "why": "usem3: hangs"}] if 2 in waited else []
        assert told["skipped"] == hung
