"""What the doctor reads of a workspace, from real folders, and that it leaves them as they were."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recalld.continuity.checkpoint import render
from recalld.continuity.disk import ARCHIVE, FILE
from recalld.continuity.examine import HOW_MADE, PLAN_FILES, Surroundings, examine
from recalld.continuity.findings import Activity, Examined
from recalld.continuity.model import Checkpoint

NOW = datetime(2026, 8, 1, 12, 0, tzinfo=UTC)
WORK = Checkpoint(objective="Migrate the export", next_action="Count rows", updated_at=NOW)
TRACES = "memory/recall-traces.jsonl"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ARCHIVE).mkdir(parents=True)
    (tmp_path / FILE).write_text(render(WORK), encoding="utf-8")
    return tmp_path


async def looked_at(root: Path, **around) -> Examined:
    given = {"trace_file": TRACES, "is_users": lambda key: not key.startswith("cron:"), **around}
    return await examine(str(root), Surroundings(**given), now=NOW)


def state_of(root: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.lstat().st_mtime_ns, path.lstat().st_mode)
        for path in (root, *root.rglob("*"))
    }


async def test_a_workspace_is_read_and_left_as_it_was(root: Path):
    (root / "tasks.md").write_text("- [ ] export", encoding="utf-8")
    before = state_of(root)
    seen = await looked_at(root)
    assert seen.fault is None
    assert seen.parsed.checkpoint == WORK
    assert seen.modified_at is not None
    assert seen.archive == ()
    assert [plan.path for plan in seen.plans] == ["tasks.md"]
    assert seen.activity is None
    assert state_of(root) == before


async def test_what_is_not_there_is_said(root: Path):
    absent = await looked_at(root / "nowhere")
    assert absent.fault == f"there is no folder {root / 'nowhere'}"
    (root / FILE).unlink()
    assert (await looked_at(root)).fault == f"{FILE} is not there; {HOW_MADE}"


def _is_a_folder(file: Path) -> None:
    file.mkdir()


def _is_a_pipe(file: Path) -> None:
    os.mkfifo(file)


def _is_too_large(file: Path) -> None:
    file.write_text("x" * (300 * 1024), encoding="utf-8")


def _leads_out(file: Path) -> None:
    outside = file.parents[2] / "outside.md"
    outside.write_text(render(WORK), encoding="utf-8")
    file.symlink_to(outside)


@pytest.mark.parametrize("make", [_is_a_folder, _is_a_pipe, _is_too_large, _leads_out])
async def test_what_cannot_be_read_is_a_fault_that_names_the_file(tmp_path: Path, make):
    root = tmp_path / "ws"
    (root / FILE).parent.mkdir(parents=True)
    make(root / FILE)
    fault = (await looked_at(root)).fault
    assert fault is not None
    assert FILE in fault


async def test_the_archive_is_newest_first_with_cold_copies_and_without_strangers(root: Path):
    (root / ARCHIVE / "cold").mkdir()
    for name, objective in (
        ("2026-07-01_10-00-00.md", "second"),
        ("2026-07-02_10-00-00.md", "first"),
        ("cold/2026-01-01_10-00-00.md", "third"),
        ("notes.md", "no copy"),
    ):
        text = render(Checkpoint(objective=objective))
        (root / ARCHIVE / name).write_text(text, encoding="utf-8")
    (root / ARCHIVE / "2026-07-03_10-00-00.md").write_bytes(b"x" * (300 * 1024))
    seen = await looked_at(root)
    assert [copy.checkpoint.objective for copy in seen.archive] == ["first", "second", "third"]
    assert seen.archive[0].at == datetime(2026, 7, 2, 10, tzinfo=UTC)
    assert seen.unreadable == ("2026-07-03_10-00-00.md",)


async def test_plans_are_found_in_any_case_and_finished_changes_are_not(root: Path):
    for path in (
        "TASKS.md",
        "openspec/project.md",
        "openspec/changes/export/tasks.md",
        "openspec/changes/archive/old/tasks.md",
        "openspec/notes.txt",
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path, encoding="utf-8")
    os.mkfifo(root / "openspec" / "pipe.md")
    seen = await looked_at(root)
    assert [plan.path for plan in seen.plans] == [
        "TASKS.md",
        "openspec/project.md",
        "openspec/changes/export/tasks.md",
    ]


async def test_a_flood_of_plans_is_bounded(root: Path):
    (root / "openspec").mkdir()
    for number in range(PLAN_FILES + 20):
        (root / "openspec" / f"{number:03}.md").touch()
    assert len((await looked_at(root)).plans) == PLAN_FILES


def trace(at: datetime, session: str = "s1") -> str:
    return json.dumps({"ts": at.isoformat().replace("+00:00", "Z"), "session": session})


async def test_the_newest_trace_of_a_users_session_is_activity(root: Path):
    hour = timedelta(hours=1)
    lines = [trace(NOW - 2 * hour), trace(NOW - hour), trace(NOW, "cron:nightly"), "{torn", "[]"]
    (root / TRACES).write_text("\n".join(lines), encoding="utf-8")
    seen = await looked_at(root)
    assert seen.activity is not None
    assert seen.activity.at == NOW - hour
    assert TRACES in seen.activity.seen_in
    (root / TRACES).rename(root / f"{TRACES}.1")
    (root / TRACES).write_text(trace(NOW, "cron:nightly"), encoding="utf-8")
    rotated = await looked_at(root)
    assert rotated.activity == seen.activity


async def test_the_newest_of_all_activity_counts_but_none_that_lies_ahead(root: Path):
    (root / TRACES).write_text(trace(NOW - timedelta(hours=3)), encoding="utf-8")
    newest = Activity(at=NOW - timedelta(hours=1), seen_in="a codex transcript")
    ahead = Activity(at=NOW + timedelta(days=1), seen_in="a wrong clock")
    seen = await looked_at(root, activity=(newest, ahead))
    assert seen.activity == newest
