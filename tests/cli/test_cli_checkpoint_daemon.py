"""``recalld checkpoint`` with the real daemon: written, listed, compared and restored."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from recalld.cli._run import run
from recalld.continuity.disk import FILE
from support.daemon import Process, running


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    place = tmp_path_factory.mktemp("checkpoint")
    (place / "ws").mkdir()
    with running(place / "d", workspaces=[place / "ws"]) as process:
        yield process


@pytest.fixture
def root(daemon: Process) -> Path:
    """The daemon's workspace, with no checkpoint yet."""
    root = daemon.state.parent.parent / "ws"
    (root / FILE).unlink(missing_ok=True)
    return root


@pytest.fixture(autouse=True)
def place(daemon: Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("RECALLD_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RECALLD_STATE_DIR", str(daemon.state))
    monkeypatch.setenv("RECALLD_SOCKET", str(daemon.socket_path))
    monkeypatch.chdir(tmp_path)


def told(capsys, *arguments: str | Path, code: int = 0):
    """What ``recalld checkpoint … --json`` prints; the exit code is ``code``."""
    capsys.readouterr()
    assert run(["checkpoint", *map(str, arguments), "--json"]) == code
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    return json.loads(out)


def test_what_is_written_is_shown_listed_compared_and_restored(root: Path, daemon, capsys):
    # Without a name: the only workspace the daemon has.
    first = told(capsys, "write", "--objective", "迁移发票导出", "--decision", "分三批迁移")
    assert (first["objective"], first["active"], first["origin"]) == ("迁移发票导出", True, "hand")
    shown = told(capsys, "show")
    assert shown == {**first, "age_s": shown["age_s"]}
    assert shown == {**told_by(daemon, root), "age_s": shown["age_s"]}
    second = told(capsys, "write", "--next", "Count the rows", "--decision", "")
    assert second["objective"] == "迁移发票导出"
    assert (second["next_action"], second["key_decisions"]) == ("Count the rows", [])
    versions = told(capsys, "history", "--limit", "2")["versions"]
    assert [one["objective"] for one in versions] == ["迁移发票导出"] * 2
    before = versions[1]["name"]
    assert told(capsys, "diff", before)["changed"] == [
        "Key Decisions: - 分三批迁移",
        "Next Action: None → Count the rows",
    ]
    restored = told(capsys, "restore", before)
    assert (restored["next_action"], restored["key_decisions"]) == ("", ["分三批迁移"])
    assert told(capsys, "diff", before)["changed"] == []
    text = (root / FILE).read_text(encoding="utf-8")
    assert "- 分三批迁移" in text


def told_by(daemon: Process, root: Path):
    return daemon.call("checkpoint.read", workspace=str(root))


def test_what_a_hand_wrote_into_the_file_is_what_is_shown(root: Path, capsys):
    told(capsys, "write", "--objective", "Migrate the export", "--next", "Count the rows")
    text = (root / FILE).read_text(encoding="utf-8")
    (root / FILE).write_text(text.replace("Count the rows", "核对行数"), encoding="utf-8")
    shown = told(capsys, "show")
    assert (shown["next_action"], shown["origin"]) == ("核对行数", "hand")
    kept = told(capsys, "write", "--blockers", "The database account")
    assert (kept["next_action"], kept["blockers"]) == ("核对行数", "The database account")


@pytest.mark.parametrize(
    "arguments",
    [
        ["restore", "v999999"],
        ["restore", "../CURRENT_STATE.md"],
        ["diff", "v999999"],
        ["write", "--objective", "Not logged in · Please run /login"],
        ["show"],
    ],
)
def test_what_is_not_there_and_what_is_refused_is_1(root: Path, capsys, arguments: list[str]):
    assert "error" in told(capsys, *arguments, code=1)
    assert not (root / FILE).exists()


def test_a_folder_that_is_no_workspace_is_1(tmp_path: Path, capsys):
    told(capsys, "write", "--objective", "x", "--workspace", tmp_path, code=1)
    assert not (tmp_path / FILE).exists()


def test_c3_7_a_greeting_instead_of_the_work_is_found_in_what_the_daemon_kept(root, daemon, capsys):
    told(capsys, "write", "--objective", "迁移发票导出", "--next", "核对行数")
    daemon.call(
        "session.turn",
        session={"key": "s1", "workspace": str(root), "client": "claude-code"},
        user="刚才我们说到哪了",
        assistant="你好！有什么可以帮您的吗？",
    )
    capsys.readouterr()
    assert run(["doctor", "--workspace", str(root), "--json"]) == 1
    (block,) = json.loads(capsys.readouterr().out)["workspaces"]
    found = {one["check"]: one for one in block["findings"]}
    assert found["greeting"]["severity"] == "WARNING"
    assert "刚才我们说到哪了" in found["greeting"]["message"]
    assert "claude-code in 1 session" in found["hooks"]["message"]
