"""Files through the whole of ingest into a real store."""

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from recalld.errors import NotFound
from recalld.index.flow import IndexSettings
from recalld.index.model import Workspace
from recalld.index.policy import IndexPolicy
from support.indexing import open_world, put


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    folder.mkdir()
    return folder


def write(root: Path, path: str, text: str | bytes) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(text, bytes):
        target.write_bytes(text)
    else:
        target.write_text(text)


def bad_files(folder: Path) -> list[dict[str, Any]]:
    with (folder / "bad-inputs.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [row for row in rows if row["kind"] == "file"]


def payload(row: dict[str, Any]) -> bytes:
    data = row["text"].encode() if "text" in row else base64.b64decode(row["bytes_b64"])
    pad = row.get("pad")
    return data + (pad["unit"] * pad["times"] + pad.get("tail", "")).encode() if pad else data


SECRETS = (
    b"AKIAQ3EGRJZ7WLK2M5TN",
    b"k9Zr2Lw8Xq4Vb1Nc7Md3Fs6Gh5Jt0PyUaReIoTgb",
    b"b3BlbnNzaC1rZXkt",
)


async def test_every_bad_file_becomes_what_it_should_beside_a_good_one(
    eval_data: Path, root: Path, tmp_path: Path
) -> None:
    rows = bad_files(eval_data)
    assert len(rows) == 16
    for row in rows:
        name = base64.b64decode(row["name_b64"]) if "name_b64" in row else row["name"].encode()
        Path(os.fsdecode(bytes(root) + b"/" + name)).write_bytes(payload(row))
    write(root, "good.md", "the good plan")
    async with open_world(root, tmp_path) as world:
        report = await world.indexer.sync()
        chunks = await world.chunks()
        assert [(s.path, s.why) for s in report.skipped] == [("utf16.md", "utf16")]
        assert (report.files, report.added) == (16, 17)
        assert world.counters.get("index.prepare_failed") == 0
        of: dict[str, list[tuple[int, int, str]]] = {}
        for path, start, end, text in chunks:
            assert "\0" not in text
            of.setdefault(path, []).append((start, end, text))
        assert "empty.md" not in of
        assert of["good.md"] == [(1, 1, "the good plan")]
        assert of["bom.md"] == [(1, 3, "# Title\n\nplan text")]
        assert of["latin1.md"] == [(1, 3, "# Caf\ufffd\n\nna\ufffdve plan")]
        assert of["overlong.md"][0][:2] == (1, 3)
        assert "\ufffdetc/passwd" in of["overlong.md"][0][2]
        assert of["fence.md"] == [
            (1, 5, "# Notes\n```python\nprint('open fence')\n\n## Heading inside")
        ]
        assert [(s, e) for s, e, _ in of["yamlbomb.md"]] == [(1, 9), (11, 11)]
        assert of["vt.md"][0][:2] == (1, 2)
        assert of["bad\\xffname.md"] == [(1, 3, "# bytes in the name\n\nplan")]
        assert sum(len(text) for _, _, text in of["longline.md"]) < 300_000
        assert of["closetag.md"][0][:2] == (1, 4)
        assert "[redacted:" in of["aws.md"][0][2]
        assert "[redacted:" in of["key.md"][0][2]
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("index.db*"))
    assert not [secret for secret in SECRETS if secret in stored]


async def test_every_published_file_is_indexed(eval_data: Path, root: Path, tmp_path: Path) -> None:
    with (eval_data / "ingest" / "files.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        data = row["content"].encode() if "content" in row else None
        write(root, f"{row['id']}.md", data or base64.b64decode(row.get("content_b64", "")))
    async with open_world(root, tmp_path) as world:
        report = await world.indexer.sync()
        assert [(s.path, s.why) for s in report.skipped] == [("dev-115.md", "utf16")]
        assert report.files == len(rows) - 1
        assert world.counters.get("index.prepare_failed") == 0
        await world.check()
        before = await world.contents()
        again = await world.indexer.sync()
        assert (again.added, again.changed, again.removed) == (0, 0, 0)
        assert await world.contents() == before


async def test_what_was_deleted_while_nobody_looked_is_gone_after_the_next_look(
    root: Path, tmp_path: Path
) -> None:
    write(root, "memory/a.md", "alpha budget is 40k")
    async with open_world(root, tmp_path) as world:
        await world.indexer.sync()
        assert await world.hits("budget") == ["memory/a.md"]
        (root / "memory/a.md").rename(root / "memory/b.md")
        await world.indexer.sync()
        assert await world.hits("alpha budget") == ["memory/b.md"]
        (root / "memory/b.md").unlink()
        await world.indexer.sync()
        assert await world.hits("alpha") == []
    write(root, "memory/c.md", "gamma budget is 9k")
    async with open_world(root, tmp_path) as world:
        await world.indexer.sync()
        assert await world.hits("budget") == ["memory/c.md"]
    (root / "memory/c.md").unlink()
    async with open_world(root, tmp_path) as world:
        report = await world.indexer.sync()
        assert (report.removed, report.files, report.chunks) == (1, 0, 0)
        assert await world.hits("budget") == []
        assert await world.contents() == []
        await world.check()


async def test_a_file_with_several_names_is_found_once_under_one_path(
    root: Path, tmp_path: Path
) -> None:
    write(root, "MEMORY.md", "the spare key is with Oduya")
    write(root, "memory/x.md", "boiler code 7 means low water")
    (root / "notes.md").symlink_to("MEMORY.md")
    (root / "old").symlink_to("memory")
    (root / "memory/loop").symlink_to(".")
    async with open_world(root, tmp_path) as world:
        await world.indexer.sync()
        assert await world.hits("spare key") == ["MEMORY.md"]
        assert await world.hits("boiler code") == ["memory/x.md"]
        await world.indexer.sync()
        assert await world.hits("spare key boiler") == ["MEMORY.md", "memory/x.md"]


async def test_deleting_one_of_two_names_leaves_the_file_indexed_under_the_other(
    root: Path, tmp_path: Path
) -> None:
    write(root, "a.md", "shared words")
    os.link(root / "a.md", root / "b.md")
    async with open_world(root, tmp_path) as world:
        await world.indexer.sync()
        assert await world.hits("shared") == ["a.md"]
        (root / "a.md").unlink()
        await world.indexer.sync()
        assert await world.hits("shared") == ["b.md"]


async def test_own_blocks_are_not_remembered(root: Path, tmp_path: Path) -> None:
    block = "<recall-context>\n- billing retries use 5 attempts\n</recall-context>\n"
    write(root, "a.md", f"first line\n{block}What is left for the job?\n")
    async with open_world(root, tmp_path) as world:
        await world.indexer.sync()
        assert await world.hits("billing retries") == []
        ((_, start, end, text),) = await world.chunks()
        assert (start, end) == (1, 5)
        assert text.endswith("What is left for the job?")


async def test_a_changed_file_is_the_only_one_written(root: Path, tmp_path: Path) -> None:
    write(root, "a.md", "one")
    write(root, "b.md", "two")
    async with open_world(root, tmp_path) as world:
        await world.indexer.sync()
        write(root, "b.md", "three")
        report = await world.indexer.sync()
        assert (report.added, report.changed, report.removed) == (0, 1, 0)
        assert await world.hits("two three") == ["b.md"]
        assert await world.hits("two") == []
        assert world.changed == [1, 1]
        await world.check()


async def test_a_touched_file_is_read_once_and_not_written(root: Path, tmp_path: Path) -> None:
    write(root, "a.md", "one")
    async with open_world(root, tmp_path) as world:
        await world.indexer.sync()
        os.utime(root / "a.md", ns=(10**18, 10**18))
        report = await world.indexer.sync()
        assert (report.added, report.changed) == (0, 0)
        assert world.changed == [1]


async def test_same_size_within_one_clock_tick_is_still_seen(root: Path, tmp_path: Path) -> None:
    async with open_world(root, tmp_path) as world:
        for number in range(10, 30):
            write(root, "a.md", f"number {number}")
            await world.indexer.sync()
            assert [text for *_, text in await world.chunks()] == [f"number {number}"]


async def test_other_chunk_sizes_reach_files_whose_bytes_did_not_change(
    root: Path, tmp_path: Path
) -> None:
    write(root, "a.md", "para one is here\n\n" * 40)
    async with open_world(root, tmp_path) as world:
        await world.indexer.sync()
        assert len(await world.chunks()) == 1
    small = IndexSettings(policy=IndexPolicy(max_chunk_chars=200))
    async with open_world(root, tmp_path, settings=small) as world:
        report = await world.indexer.sync()
        assert report.changed == 1
        assert len(await world.chunks()) > 2
        assert (await world.indexer.sync()).changed == 0


async def test_other_globs_give_the_same_file_another_source(root: Path, tmp_path: Path) -> None:
    write(root, "journal/a.md", "one")
    async with open_world(root, tmp_path) as world:
        await world.indexer.sync()
        named = Workspace(root=str(root.resolve()), memory=("journal/**",))
        assert (await world.contents())[0][1] == "documents"
        await world.indexer.set_workspaces([named])
        await world.indexer.sync()
        assert (await world.contents())[0][1] == "memory"


async def test_a_removed_workspace_leaves_nothing_behind(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write(root, "a.md", "one")
    write(other, "b.md", "two")
    async with open_world(root, tmp_path, also=(other,)) as world:
        report = await world.indexer.sync()
        assert (report.files, report.chunks) == (2, 2)
        assert [w.id for w in world.indexer.workspaces] == [1, 2]
        await world.indexer.set_workspaces([Workspace(root=str(root.resolve()))])
        assert await world.contents(2) == []
        assert [len(await world.contents(1)), world.changed[-1]] == [3, 2]
        with pytest.raises(NotFound):
            await world.indexer.sync(2)
        await world.indexer.set_workspaces(
            [Workspace(root=str(path.resolve())) for path in (root, other)]
        )
        assert [w.id for w in world.indexer.workspaces] == [1, 3]


async def test_a_workspace_inside_another_owns_its_files_alone(root: Path, tmp_path: Path) -> None:
    write(root, "a.md", "outer words")
    write(root, "inner/b.md", "inner words")
    async with open_world(root, tmp_path, also=(root / "inner",)) as world:
        await world.indexer.sync()
        assert await world.hits("words", 1) == ["a.md"]
        assert await world.hits("words", 2) == ["b.md"]
        await world.indexer.set_workspaces([Workspace(root=str(root.resolve()))])
        await world.indexer.sync()
        assert await world.hits("words", 1) == ["a.md", "inner/b.md"]


async def test_a_missing_root_is_said_and_its_rows_go(root: Path, tmp_path: Path) -> None:
    write(root, "a.md", "one")
    async with open_world(root, tmp_path) as world:
        await world.indexer.sync()
        root.rename(tmp_path / "away")
        await world.indexer.sync()
        (status,) = await world.indexer.status()
        assert (status.files, status.chunks) == (0, 0)
        assert "root: missing" in status.degraded


async def test_status_and_report_count_alike(root: Path, tmp_path: Path) -> None:
    write(root, "a.md", "one\n\n# T\n")
    write(root, "b.md", "x".encode("utf-16"))
    os.mkfifo(root / "c.md")
    async with open_world(root, tmp_path) as world:
        seen: list[tuple[int, int]] = []
        report = await world.indexer.sync(progress=lambda done, total: seen.append((done, total)))
        (status,) = await world.indexer.status(1)
        assert (status.files, status.chunks, status.skipped) == (1, 2, 2)
        assert (report.files, report.chunks, len(report.skipped)) == (1, 2, 2)
        assert seen[-1] == (2, 2)
        assert status.reconciled_at is not None
        assert world.counters.get("index.skipped.utf16") == 1
        assert world.counters.get("index.skipped.fifo") == 1


async def test_rebuilt_from_nothing_the_index_has_the_same_ids(root: Path, tmp_path: Path) -> None:
    write(root, "a.md", "## Al, 2024-05-01\nsame\n## Al, 2024-05-01\nsame\n")
    write(root, "b.md", "same\n")
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    async with open_world(root, tmp_path / "1") as world:
        await world.indexer.sync()
        first = await world.contents()
    async with open_world(root, tmp_path / "2") as world:
        await world.indexer.sync()
        assert await world.contents() == first


async def test_a_path_that_may_no_longer_be_indexed_leaves_the_index(
    root: Path, tmp_path: Path
) -> None:
    put(root / "memory/trace.md", "a trace that repeats what was asked")
    async with open_world(root, tmp_path) as world:
        await world.indexer.sync()
        assert await world.hits("trace") == ["memory/trace.md"]
        (workspace,) = world.indexer.workspaces
        await world.indexer.set_workspaces([workspace], never=("memory/trace.md",))
        await world.indexer.sync()
        assert await world.hits("trace") == []
