"""The checkpoint's file on a real disk: replaced whole, a hand's edit wins, nothing outside."""

import os
import stat
from pathlib import Path

import pytest

from recalld.continuity.checkpoint import render
from recalld.continuity.disk import FILE, MAX_BYTES, Workbench, draft_of
from recalld.continuity.model import Checkpoint
from recalld.errors import Refused

OLD = Checkpoint(objective="Ship the release", next_action="Tag it")
NEW = Checkpoint(objective="Ship the release", next_action="Announce it")


def live(root: Path) -> Path:
    return root / FILE


def put(root: Path, data: bytes) -> Path:
    file = live(root)
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    return file


async def sha_of(bench: Workbench) -> str | None:
    sheet = await bench.read()
    return None if sheet is None else sheet.sha


async def test_a_written_checkpoint_is_read_back_and_a_missing_one_is_none(tmp_path: Path):
    bench = Workbench(str(tmp_path))
    assert await bench.read() is None
    sha = await bench.write(OLD, expected_sha=None)
    sheet = await bench.read()
    assert sheet is not None
    assert sheet.parsed.checkpoint == OLD
    assert sheet.sha == sha == draft_of(OLD).sha
    assert live(tmp_path).read_text() == render(OLD) == sheet.text
    assert [file.name for file in live(tmp_path).parent.iterdir()] == ["CURRENT_STATE.md"]


async def test_an_edit_made_after_the_reading_wins(tmp_path: Path):
    bench = Workbench(str(tmp_path))
    read = await bench.write(OLD, expected_sha=None)
    by_hand = put(tmp_path, b"# Current State\n\n## Objective\nSomething else\n")
    before = by_hand.read_bytes()
    assert await bench.write(NEW, expected_sha=read) is None
    assert await bench.write(NEW, expected_sha=None) is None
    assert by_hand.read_bytes() == before
    assert await bench.write(NEW, expected_sha=await sha_of(bench)) is not None
    assert by_hand.read_text() == render(NEW)


async def test_a_file_that_was_taken_away_meanwhile_is_not_made_again(tmp_path: Path):
    bench = Workbench(str(tmp_path))
    read = await bench.write(OLD, expected_sha=None)
    live(tmp_path).unlink()
    assert await bench.write(NEW, expected_sha=read) is None
    assert not live(tmp_path).exists()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
async def test_the_file_keeps_its_mode(tmp_path: Path, mode: int):
    bench = Workbench(str(tmp_path))
    sha = await bench.write(OLD, expected_sha=None)
    live(tmp_path).chmod(mode)
    assert await bench.write(NEW, expected_sha=sha) is not None
    assert stat.S_IMODE(live(tmp_path).stat().st_mode) == mode


async def test_a_pipe_at_its_place_is_refused_and_nobody_waits(tmp_path: Path):
    (tmp_path / "memory").mkdir()
    os.mkfifo(live(tmp_path))
    bench = Workbench(str(tmp_path))
    with pytest.raises(Refused, match=r"memory/CURRENT_STATE\.md: is not a regular file"):
        await bench.read()
    with pytest.raises(Refused, match="not a regular file"):
        await bench.write(NEW, expected_sha=None)


async def test_what_is_too_large_is_refused_by_its_name(tmp_path: Path):
    file = put(tmp_path, b"x" * (MAX_BYTES + 1))
    with pytest.raises(Refused, match=r"memory/CURRENT_STATE\.md: is larger than"):
        await Workbench(str(tmp_path)).read()
    assert file.stat().st_size == MAX_BYTES + 1
