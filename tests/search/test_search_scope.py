"""In a search over several workspaces the asker's own goes first, and the others stay in reach."""

from pathlib import Path

from recalld.search.model import Scope
from support.searching import NOW, open_library, write_notes

SAID = "The gateway listens on port {port}.\n"


async def test_the_asker_s_own_workspace_goes_first_wherever_it_stands(tmp_path: Path) -> None:
    roots = [
        write_notes(tmp_path / name, {"memory/net.md": SAID.format(port=port)})
        for name, port in (("one", 8301), ("two", 8302))
    ]
    async with open_library(tmp_path, *roots) as library:
        for home in library.ids:
            scope = Scope(workspace_ids=library.ids, home=home)
            result = await library.searcher.search(
                "which port does the gateway listen on?", scope=scope, limit=5, now=NOW
            )
            assert result.found[0].workspace_id == home
            assert {one.workspace_id for one in result.found} == set(library.ids)
            first, second = result.found
            assert first.raw_score > second.raw_score > 0


async def test_what_only_another_workspace_holds_is_found_there(tmp_path: Path) -> None:
    home = write_notes(tmp_path / "one", {"memory/a.md": "We cook on Fridays.\n"})
    other = write_notes(tmp_path / "two", {"memory/net.md": SAID.format(port=8301)})
    async with open_library(tmp_path, home, other) as library:
        scope = Scope(workspace_ids=library.ids, home=library.ids[0])
        result = await library.searcher.search(
            "which port does the gateway listen on?", scope=scope, limit=5, now=NOW
        )
        assert result.found[0].workspace_id == library.ids[1]
