"""``recalld doctor`` offline: what it prints, how it ends, and that it changes nothing."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recalld.cli._roots import real_path
from recalld.cli._run import run
from recalld.continuity.checkpoint import render
from recalld.continuity.disk import ARCHIVE, FILE
from recalld.continuity.model import Checkpoint
from support.doctoring import HOUR, Turn, remembered, state_of, transcript, work_at, written

TEMPLATE = """# Current State
> Last updated: YYYY-MM-DDTHH:MM:SSZ

## Objective
[what we are doing]

## Current Step
TBD

## Key Decisions
-

## Next Action
<!-- fill in -->

## Blockers
None

## Unsurfaced Results
N/A
"""


def now() -> datetime:
    """As late as it is asked: between collecting and running a whole suite lie minutes."""
    return datetime.now(UTC)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user of whom nothing is known."""
    for name in [name for name in os.environ if name.startswith(("RECALLD_", "XDG_"))]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    (home / "run").mkdir(parents=True, mode=0o700)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("RECALLD_STATE_DIR", str(home / "state"))
    monkeypatch.setenv("RECALLD_SOCKET", str(home / "run" / "recalld.sock"))
    return home


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "ws"


def doctor(*arguments: str | Path) -> int:
    return run(["doctor", *map(str, arguments)])


def findings(capsys, check: str) -> list[tuple[str, str]]:
    """Severity and message of one check, in every block of a ``--json`` run."""
    told = json.loads(capsys.readouterr().out)
    blocks = [*told["workspaces"], told["daemon"]]
    return [
        (one["severity"], one["message"])
        for block in blocks
        for one in block["findings"]
        if one["check"] == check
    ]


def test_a_workspace_in_order_ends_with_0_and_prints_every_check(root: Path, capsys):
    assert doctor("--workspace", written(root, work_at(now()))) == 0
    out = capsys.readouterr().out
    lines = out.split("\n")
    assert lines[0] == f"recalld doctor: workspace {root}"
    assert lines[1] == "[OK]        memory/CURRENT_STATE.md is there"
    assert lines[-3:] == ["", "Overall status: OK", ""]
    told = [line for line in lines if line.startswith("[")]
    assert len(told) >= 8
    assert all(line[:12].rstrip().endswith("]") and line[12] != " " for line in told)


def _nothing(root: Path) -> None:
    del root


def _no_file(root: Path) -> None:
    root.mkdir()


def _no_copy(root: Path) -> None:
    written(root, work_at(now()), copy=False)


def _old(root: Path) -> None:
    written(root, work_at(now() - 30 * HOUR))


def _template(root: Path) -> None:
    written(root, TEMPLATE)


def _idle(root: Path) -> None:
    written(root, Checkpoint(updated_at=now()))


def _results(root: Path) -> None:
    written(root, render(work_at(now())).replace("Results\nNone", "Results\n子代理：全部通过"))


@pytest.mark.parametrize(
    ("make", "code", "status", "says"),
    [
        (_nothing, 2, "CRITICAL", "there is no folder"),
        (_no_file, 2, "CRITICAL", "memory/CURRENT_STATE.md is not there"),
        (_old, 1, "WARNING", "30 h old"),
        (_template, 1, "WARNING", "unfilled template"),
        (_results, 1, "WARNING", "子代理：全部通过"),
        (_no_copy, 0, "INFO", "holds no copy yet"),
        (_idle, 0, "INFO", "no active work"),
    ],
)
def test_the_exit_code_is_that_of_the_worst_finding(
    root: Path, capsys, make: Callable[[Path], None], code: int, status: str, says: str
):
    make(root)
    assert doctor("--workspace", root) == code
    out = capsys.readouterr().out
    assert f"[{status}]".ljust(12) in out
    assert says in out
    assert out.endswith(f"\nOverall status: {status}\n")


def test_a_missing_file_stops_the_other_checks(root: Path, capsys):
    root.mkdir()
    assert doctor("-w", root, "--json") == 2
    told = json.loads(capsys.readouterr().out)
    assert [one["check"] for one in told["workspaces"][0]["findings"]] == ["file"]


def test_a_chinese_checkpoint_is_as_good_as_an_english_one(root: Path, capsys):
    state = Checkpoint(
        objective="把发票导出迁移到新库",
        next_action="核对行数",
        updated_at=now(),
        current_step="已复制",
    )
    written(root, state)
    (root / "tasks.md").write_text("- [ ] 发票导出\n", encoding="utf-8")
    assert doctor("-w", root) == 0
    assert "Overall status: OK" in capsys.readouterr().out
    (root / "tasks.md").write_text("- [ ] 写周报\n", encoding="utf-8")
    assert doctor("-w", root, "--json") == 0
    assert findings(capsys, "plans")[0][0] == "INFO"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--bogus"],
        ["extra"],
        ["--workspace"],
        ["--workspace", ""],
        ["--workspace", "ws", "--repair=maybe"],
        [],
    ],
)
def test_a_wrong_command_line_is_64(arguments: list[str], capsys):
    assert doctor(*arguments) == 64
    captured = capsys.readouterr()
    assert captured.err != ""
    assert "Overall" not in captured.out


def test_help_is_no_usage_error(capsys):
    assert doctor("--help") == 0
    assert "--repair" in capsys.readouterr().out


def test_json_is_one_line_with_the_same_verdict(root: Path, capsys):
    assert doctor("-w", written(root, work_at(now()), copy=False), "--json") == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    told = json.loads(out)
    assert told["status"] == "INFO"
    assert told["repaired"] == []
    (block,) = told["workspaces"]
    assert (block["workspace"], block["status"]) == (str(root), "INFO")
    assert {"check": "archive", "severity": "INFO", "message": f"{ARCHIVE}/ holds no copy yet"} in (
        block["findings"]
    )


def test_several_workspaces_are_told_one_by_one_and_the_worst_counts(
    root: Path, tmp_path: Path, capsys
):
    written(root, work_at(now()))
    assert doctor("-w", root, "-w", tmp_path / "gone", "-w", f"{root}/") == 2
    out = capsys.readouterr().out
    assert out.count(f"recalld doctor: workspace {root}\n") == 1
    assert out.count(f"recalld doctor: workspace {tmp_path}/gone\n") == 1
    assert out.count("Overall status: ") == 1


def test_without_a_name_the_configured_workspaces_are_examined(tmp_path: Path, capsys):
    for name in ("a", "b"):
        written(tmp_path / "all" / name, work_at(now()))
    config = tmp_path / "config.toml"
    config.write_text(f'workspaces = ["{tmp_path}/all/*", "{tmp_path}/c"]\n', encoding="utf-8")
    assert doctor("--config", config, "--json") == 2
    told = json.loads(capsys.readouterr().out)
    examined = {one["workspace"]: one["status"] for one in told["workspaces"]}
    assert examined == {
        f"{tmp_path}/all/a": "OK",
        f"{tmp_path}/all/b": "OK",
        f"{tmp_path}/c": "CRITICAL",
    }


def test_wrong_settings_are_a_finding_and_keep_nobody_from_examining(
    root: Path, tmp_path: Path, capsys
):
    config = tmp_path / "config.toml"
    config.write_text("[recall]\ntopk = 4\n", encoding="utf-8")
    for arguments in (["-w", str(written(root, work_at(now())))], []):
        assert doctor(*arguments, "--config", config, "--json") == 2
        ((severity, message),) = findings(capsys, "config")
        assert severity == "CRITICAL"
        assert "topk" in message


def test_nothing_is_changed_and_no_connection_leaves_the_machine(root: Path, home: Path, capsys):
    written(root, work_at(now() - HOUR))
    transcript(root, "t1", began=HOUR)
    remembered(home / "state", root, [Turn(user="hello", assistant="Done.")], since=9 * HOUR)
    before = state_of(root, home)
    code = (
        "import os, sys\n"
        "def watch(event, given):\n"
        "    if event == 'socket.getaddrinfo' or (\n"
        "        event == 'socket.connect' and not isinstance(given[1], str)\n"
        "    ):\n"
        "        os._exit(99)\n"
        "sys.addaudithook(watch)\n"
        "from recalld.cli._run import run\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-B", "-c", code, "doctor", "-w", str(root), "--json"],
        capture_output=True,
        text=True,
        env=environ,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "kept by the daemon" in ran.stdout
    assert state_of(root, home) == before


def test_a_database_that_a_killed_daemon_left_is_read_and_left_as_it_is(
    root: Path, home: Path, capsys
):
    written(root, work_at(now() - HOUR))
    remembered(home / "state", root, [], since=9 * HOUR)
    killed = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('INSERT INTO event (kind, session_key, agent, workspace, at, received_at,"
        " payload) VALUES (?, ?, ?, ?, ?, ?, ?)', ('session.turn', 's1', 'main', sys.argv[2],"
        ' sys.argv[3], sys.argv[3], b\'{"user": "hi", "assistant": "x"}\'))\n'
        "os._exit(9)\n"
    )
    state = home / "state" / "state.db"
    arguments = [str(state), str(root), now().isoformat()]
    subprocess.run([sys.executable, "-c", killed, *arguments], check=False)
    assert state.with_name("state.db-wal").stat().st_size > 0
    before = state_of(home)
    assert doctor("-w", root, "--json") == 1
    assert "kept by the daemon" in findings(capsys, "staleness")[-1][1]
    assert state_of(home) == before


def test_a_damaged_database_is_a_finding(root: Path, home: Path, capsys):
    written(root, work_at(now()))
    (home / "state").mkdir(mode=0o700)
    (home / "state" / "state.db").write_bytes(b"no database" * 1_000)
    assert doctor("-w", root, "--json") == 1
    ((severity, message),) = findings(capsys, "state")
    assert severity == "WARNING"
    assert "no session can be told of" in message


def test_a_database_of_an_older_version_is_no_fault(root: Path, home: Path, capsys):
    written(root, work_at(now()))
    (home / "state").mkdir(mode=0o700)
    sqlite3.connect(home / "state" / "state.db").close()
    assert doctor("-w", root, "--json") == 0
    assert findings(capsys, "state") == []


def test_one_socket_that_is_no_socket_is_left_alone(root: Path, home: Path, capsys):
    written(root, work_at(now()))
    place = home / "run" / "recalld.sock"
    place.write_text("mine", encoding="utf-8")
    assert doctor("-w", root, "--repair", "--json") == 2
    assert "is no socket" in findings(capsys, "socket")[0][1]
    assert place.read_text(encoding="utf-8") == "mine"


def test_a_daemon_that_never_ran_is_no_finding_and_one_that_did_is_missed(
    root: Path, home: Path, capsys
):
    written(root, work_at(now()))
    assert doctor("-w", root, "--json") == 0
    assert [one for one, _ in findings(capsys, "daemon")] == ["OK"]
    remembered(home / "state", root, [], since=HOUR)
    assert doctor("-w", root, "--json") == 0
    assert [one for one, _ in findings(capsys, "daemon")] == ["INFO"]


def test_a_model_that_is_half_there_is_a_finding(root: Path, home: Path, capsys):
    written(root, work_at(now()))
    model = home / ".local/share/recalld/models/bge-m3"
    assert doctor("-w", root, "--json") == 0
    assert findings(capsys, "model") == []
    model.mkdir(parents=True)
    (model / "config.json").write_text("{}", encoding="utf-8")
    assert doctor("-w", root, "--json") == 1
    assert "tokenizer.json is missing" in findings(capsys, "model")[0][1]


def test_the_age_of_a_checkpoint_is_told_in_days_when_it_is_that_old(root: Path, capsys):
    written(root, work_at(now() - timedelta(days=3, hours=2)))
    assert doctor("-w", root) == 1
    assert "3 days old" in capsys.readouterr().out


def test_what_stands_in_a_checkpoint_cannot_forge_a_line(root: Path, capsys):
    text = render(work_at(now())).replace(
        "Migrate the invoice export", "Ship\x1b[2J it\r[OK]        all is well"
    )
    assert doctor("-w", written(root, text)) in {0, 1}
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert not any(line.startswith("[OK]        all is well") for line in out.split("\n"))


def test_a_socket_that_nobody_may_connect_to_is_named(root: Path, home: Path, capsys):
    written(root, work_at(now()))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home / "run" / "recalld.sock"))
        (home / "run" / "recalld.sock").chmod(0o666)
        assert doctor("-w", root, "--json") == 1
    assert any("mode 0666" in message for _, message in findings(capsys, "socket"))
    assert (root / FILE).is_file()


def test_a_disk_that_hangs_is_given_up(tmp_path: Path):
    told = threading.Event()

    def hangs(path: str) -> str:
        told.wait()
        return path

    assert real_path(str(tmp_path), look=hangs, limit_s=0.05) is None
    told.set()
    assert real_path(str(tmp_path / "." / "x")) == str(tmp_path / "x")
