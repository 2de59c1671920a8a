"""Whoever waits for the corpus is told when it cannot come, and a workspace can go."""

from pathlib import Path

import anyio
import trio

from recalld.search.policy import SearchPolicy
from support.embedders import HashModel, hashed_embedder
from support.searching import open_library, write_notes


async def test_a_sync_does_not_wait_for_an_engine_that_hangs(tmp_path: Path) -> None:
    model = HashModel(hangs="turbine")
    root = write_notes(tmp_path / "w", {"memory/a.md": "the gateway moved\n"})
    impatient = SearchPolicy(stall_s=1.0)
    engine = hashed_embedder(model)
    async with open_library(tmp_path, root, embedder=engine, policy=impatient) as library:
        write_notes(root, {"memory/b.md": "the turbine stands still\n"})
        await library.indexer.sync()
        with trio.fail_after(40):
            why = await library.searcher.caught_up(library.ids[0])
        assert why is not None
        assert why.endswith("has embedded nothing for 1 s")
        assert [found.path for found in (await library.ask("turbine")).found] == ["memory/b.md"]
        model.release.set()


async def test_a_removed_workspace_is_forgotten_and_waited_for_no_longer(tmp_path: Path) -> None:
    one = write_notes(tmp_path / "one", {"memory/a.md": "the gateway moved\n"})
    two = write_notes(tmp_path / "two", {"memory/b.md": "the turbine stands\n"})
    async with open_library(tmp_path, one, two) as library:
        gone = library.ids[1]
        await library.indexer.set_workspaces([library.indexer.workspaces[0]])
        with anyio.fail_after(20):
            assert await library.searcher.caught_up(gone) is None
        assert set(library.searcher._keeper._kept) == {library.ids[0]}
        assert (await library.ask("turbine")).found == ()
