"""``recalld checkpoint``: the file and its versions on their own, and what the daemon is asked."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trio

from recalld.cli._run import run
from recalld.continuity.checkpoint import render
from recalld.continuity.disk import ARCHIVE, FILE
from recalld.continuity.model import Checkpoint, NewVersion, Origin
from recalld.store.checkpoints import CheckpointStore
from support.doctoring import state_of, written
from support.scripted import ScriptedDaemon, scripted_daemon
from support.store_world import open_state

NOW = datetime.now(UTC).replace(microsecond=0)
WORK = Checkpoint(
    objective="Migrate the invoice export",
    current_step="Tables copied\nrow counts differ",
    key_decisions=("Keep the old table: audits read it", "分三批迁移"),
    next_action="核对行数",
    updated_at=NOW,
)
FIELDS = {
    "objective": "Migrate the invoice export",
    "current_step": "Tables copied\nrow counts differ",
    "key_decisions": ["Keep the old table: audits read it", "分三批迁移"],
    "next_action": "核对行数",
    "blockers": "",
    "unsurfaced_results": "",
    "path": FILE,
    "active": True,
    "origin": "hand",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith(("RECALLD_", "XDG_"))]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("RECALLD_STATE_DIR", str(home / "state"))
    monkeypatch.setenv("RECALLD_SOCKET", str(home / "s.sock"))
    return home


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return written(tmp_path / "ws", WORK)


@pytest.fixture
def daemon(home: Path) -> Iterator[ScriptedDaemon]:
    version = {
        "name": "v2",
        "at": "2026-08-01T10:00:00Z",
        "origin": "machine",
        "cold": False,
        "objective": "迁移发票导出",
        "changed": ["Key Decisions: + a: b", "Key Decisions: - c", "Next Action: None → 核对行数"],
    }
    answers: dict[str, dict[str, object] | None] = {
        "checkpoint.write": {**FIELDS, "updated_at": "2026-08-01T10:00:00Z", "age_s": 0},
        "checkpoint.restore": {**FIELDS, "updated_at": "2026-08-01T10:00:00Z", "age_s": 0},
        "checkpoint.history": {"versions": [version, {**version, "name": "v1", "cold": True}]},
    }
    with scripted_daemon(home / "s.sock", answers) as daemon:
        yield daemon


def checkpoint(*arguments: str | Path) -> int:
    return run(["checkpoint", *map(str, arguments)])


def test_show_prints_the_file_without_a_daemon(root: Path, capsys):
    before = state_of(root)
    assert checkpoint("show", "-w", root) == 0
    out = capsys.readouterr().out
    assert "Objective           Migrate the invoice export\n" in out
    assert "Current Step        Tables copied\n                    row counts differ\n" in out
    assert "Key Decisions       - Keep the old table: audits read it\n" in out
    assert "Blockers            -\n" in out
    assert f"active work; updated {NOW:%Y-%m-%dT%H:%M:%SZ} by an agent or a person; {FILE}" in out
    assert state_of(root) == before


def test_show_as_json_is_what_the_daemon_would_answer(root: Path, capsys):
    assert checkpoint("show", "-w", root, "--json") == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    told = json.loads(out)
    assert told.pop("age_s") >= 0
    assert told == {**FIELDS, "updated_at": f"{NOW:%Y-%m-%dT%H:%M:%SZ}"}


def test_show_says_who_wrote_it_where_that_was_noted(root: Path, home: Path, capsys):
    keep(home / "state", root, WORK, Origin.MACHINE)
    assert checkpoint("show", "-w", root, "--json") == 0
    assert json.loads(capsys.readouterr().out)["origin"] == "machine"
    (root / FILE).write_text(render(replace(WORK, blockers="The database")), encoding="utf-8")
    assert checkpoint("show", "-w", root, "--json") == 0
    assert json.loads(capsys.readouterr().out)["origin"] == "hand"


def keep(state: Path, root: Path, checkpoint: Checkpoint, origin: Origin) -> None:
    """A version in the database, as the daemon keeps it."""
    from hashlib import sha256  # noqa: PLC0415 (for this alone)

    text = render(checkpoint)
    version = NewVersion(
        text=text, sha=sha256(text.encode()).hexdigest(), origin=origin, at=NOW, session_key=None
    )

    async def work() -> None:
        state.mkdir(mode=0o700, exist_ok=True)
        async with open_state(state / "state.db") as database:
            await CheckpointStore(database).add_version(str(root.resolve()), version)

    trio.run(work)


def test_bc_15_show_says_of_an_unfilled_template_that_it_is_one(tmp_path: Path, capsys):
    root = written(tmp_path / "ws", "# Current State\n\n## Objective\n[what we are doing]\n")
    assert checkpoint("show", "-w", root) == 0
    out = capsys.readouterr().out
    assert "unfilled template" in out
    assert "no active work" in out
    assert "what we are doing" not in out


def test_secrets_are_not_printed(tmp_path: Path, capsys):
    secret = "ghp_" + "a1B2" * 9
    root = written(tmp_path / "ws", replace(WORK, blockers=f"The token {secret} expired"))
    for arguments in (["show"], ["show", "--json"], ["diff"]):
        assert checkpoint(*arguments, "-w", root) == 0
        assert secret not in capsys.readouterr().out


@pytest.mark.parametrize("command", ["show", "diff"])
def test_what_is_not_there_is_1(tmp_path: Path, capsys, command: str):
    (tmp_path / "empty").mkdir()
    assert checkpoint(command, "-w", tmp_path / "empty") == 1
    assert "not found" in capsys.readouterr().err


def test_a_checkpoint_that_cannot_be_read_is_refused_by_name(root: Path, capsys):
    (root / FILE).unlink()
    (root / FILE).mkdir()
    assert checkpoint("show", "-w", root) == 1
    assert FILE in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["write", "--objective", "x"],
        ["history"],
        ["restore", "v1"],
    ],
)
def test_what_needs_a_daemon_says_so_and_how_to_start_one(root: Path, capsys, arguments):
    assert checkpoint(*arguments, "-w", root) == 69
    assert "start one with 'recalld serve'" in capsys.readouterr().err


def test_write_sends_the_fields_that_were_given_and_no_others(daemon, root: Path, capsys):
    assert checkpoint("write", "--objective", "迁移发票导出", "--blockers", "", "-w", root) == 0
    assert daemon.seen("checkpoint.write") == [
        {"workspace": str(root), "objective": "迁移发票导出", "blockers": ""}
    ]
    assert "Migrate the invoice export" in capsys.readouterr().out


def test_write_takes_every_field_in_its_short_and_its_long_name(daemon, root: Path):
    long = ["--current-step", "a", "--next-action", "b", "--unsurfaced-results", "c"]
    short = ["--step", "a", "--next", "b", "--unsurfaced", "c"]
    for names in (long, short):
        given = ["--decision", "one", "--decision", "二", "--session", "s1"]
        assert checkpoint("write", *names, *given, "-w", root) == 0
    first, second = daemon.seen("checkpoint.write")
    assert first == second
    assert first == {
        "workspace": str(root),
        "current_step": "a",
        "key_decisions": ["one", "二"],
        "next_action": "b",
        "unsurfaced_results": "c",
        "session": "s1",
    }


def test_an_empty_decision_clears_them_all(daemon, root: Path):
    assert checkpoint("write", "--decision", "", "-w", root) == 0
    assert daemon.seen("checkpoint.write")[0]["key_decisions"] == []


def test_writing_nothing_is_a_wrong_command_line(daemon, root: Path, capsys):
    assert checkpoint("write", "-w", root) == 2
    assert "--objective" in capsys.readouterr().err
    assert daemon.seen("checkpoint.write") == []


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        ({"code": -32005, "message": "an error message is no objective"}, 1, "no objective"),
        ({"code": -32004, "message": "not found: workspace /x"}, 1, "not found"),
        ({"code": -32002, "message": "continuity: the disk is full"}, 75, "disk is full"),
        (
            {"code": -32602, "message": "bad params", "data": {"key": "params.objective"}},
            2,
            "bad params: objective",
        ),
    ],
)
def test_a_refusal_is_told_and_ends_with_its_code(daemon, root: Path, capsys, error, code, says):
    daemon.answers["checkpoint.write"] = {"error": error}
    assert checkpoint("write", "--objective", "x", "-w", root, "--json") == code
    captured = capsys.readouterr()
    assert says in captured.err
    assert json.loads(captured.out)["error"]["code"] == code


def test_history_lists_what_the_daemon_keeps(daemon, root: Path, capsys):
    assert checkpoint("history", "-w", root, "--limit", "7") == 0
    assert daemon.seen("checkpoint.history") == [{"workspace": str(root), "limit": 7}]
    head, first, second, *_ = capsys.readouterr().out.split("\n")
    assert head.split() == ["name", "at", "by", "objective", "changed"]
    assert first.split()[:4] == ["v2", "2026-08-01T10:00:00Z", "machine", "迁移发票导出"]
    assert first.endswith("  Key Decisions, Next Action")
    assert "machine (cold)" in second
    assert checkpoint("history", "-w", root, "--json") == 0
    assert json.loads(capsys.readouterr().out)["versions"][0]["name"] == "v2"
    daemon.answers["checkpoint.history"] = {"versions": []}
    assert checkpoint("history", "-w", root) == 0
    assert "no version is kept yet" in capsys.readouterr().out


def test_restore_asks_for_the_version_by_its_name(daemon, root: Path, capsys):
    assert checkpoint("restore", "../../etc/passwd", "-w", root, "--json") == 0
    assert daemon.seen("checkpoint.restore") == [
        {"workspace": str(root), "name": "../../etc/passwd"}
    ]
    assert json.loads(capsys.readouterr().out)["objective"] == FIELDS["objective"]


def test_diff_compares_the_newest_copy_with_the_file_as_it_is(root: Path, capsys):
    assert checkpoint("diff", "-w", root) == 0
    assert capsys.readouterr().out.endswith(":\n  nothing\n")
    (root / FILE).write_text(render(replace(WORK, next_action="发布")), encoding="utf-8")
    assert checkpoint("diff", "-w", root) == 0
    assert "  Next Action: 核对行数 → 发布\n" in capsys.readouterr().out


def test_diff_takes_any_listed_name_cold_copies_and_kept_versions_too(root, home, capsys):
    old = replace(WORK, objective="Something else", updated_at=NOW - timedelta(days=90))
    (root / ARCHIVE / "cold").mkdir()
    (root / ARCHIVE / "cold" / "2026-01-01_10-00-00.md").write_text(render(old), encoding="utf-8")
    keep(home / "state", root, replace(old, objective="In the database"), Origin.HAND)
    for name, was in (("2026-01-01_10-00-00.md", "Something else"), ("v1", "In the database")):
        assert checkpoint("diff", name, "-w", root, "--json") == 0
        told = json.loads(capsys.readouterr().out)
        assert told["name"] == name
        assert told["changed"] == [f"Objective: {was} → {WORK.objective}"]


@pytest.mark.parametrize("name", ["v9", "../CURRENT_STATE.md", "2026-01-01_10-00-00.md", "%", ""])
def test_diff_knows_versions_by_listing_alone(root: Path, home: Path, capsys, name: str):
    keep(home / "state", root, WORK, Origin.HAND)
    assert checkpoint("diff", name, "-w", root) == 1
    assert "not found" in capsys.readouterr().err


def test_the_workspace_is_the_one_around_the_current_folder_or_the_only_one(
    root: Path, tmp_path: Path, monkeypatch, capsys
):
    other = written(tmp_path / "other", replace(WORK, objective="Other work"))
    (root / "src").mkdir()
    config = tmp_path / "config.toml"
    config.write_text(f'workspaces = ["{root}"]\n', encoding="utf-8")
    monkeypatch.setenv("RECALLD_CONFIG", str(config))
    objectives = {}
    for folder in (root / "src", tmp_path, other):
        monkeypatch.chdir(folder)
        assert checkpoint("show", "--json") == 0
        objectives[folder.name] = json.loads(capsys.readouterr().out)["objective"]
    assert objectives == {
        "src": WORK.objective,
        tmp_path.name: WORK.objective,
        "other": "Other work",
    }
    config.write_text(f'workspaces = ["{root}", "{other}"]\n', encoding="utf-8")
    monkeypatch.chdir(other)
    assert checkpoint("show", "--json") == 0
    assert json.loads(capsys.readouterr().out)["objective"] == "Other work"
    monkeypatch.chdir(tmp_path)
    assert checkpoint("show") == 2
    assert f"{root}, {other}" in capsys.readouterr().err
    # A folder inside a workspace shares its checkpoint.
    assert checkpoint("show", "-w", root / "src", "--json") == 0
    assert json.loads(capsys.readouterr().out)["objective"] == WORK.objective


def test_without_settings_the_current_folder_will_do_if_it_has_a_checkpoint(
    root: Path, tmp_path: Path, monkeypatch, capsys
):
    monkeypatch.chdir(root)
    assert checkpoint("show") == 0
    assert WORK.objective in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    assert checkpoint("show") == 2
    assert "none is configured" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["show", "diff", "history"])
def test_a_named_folder_that_is_none_is_a_usage_error(tmp_path: Path, capsys, command: str):
    assert checkpoint(command, "-w", tmp_path / "nope") == 2
    assert f"--workspace: {tmp_path / 'nope'} is not a folder" in capsys.readouterr().err
