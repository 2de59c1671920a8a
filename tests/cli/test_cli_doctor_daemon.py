"""``recalld doctor`` beside a daemon: one that is well, one that hangs, one that is in trouble."""

import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recalld import __version__
from recalld.cli._doctor_daemon import SILENCE_S, ask
from recalld.cli._run import run
from recalld.client import Client
from recalld.continuity.disk import ARCHIVE, FILE
from recalld.server.listen import lock_file
from support.daemon import Process, running
from support.doctoring import HOUR, state_of, work_at, written
from support.e2e import until
from support.scripted import ScriptedDaemon, scripted_daemon

# How much longer than the silence itself a hung daemon may make the command.
OVERHEAD_S = 0.2


def now() -> datetime:
    """As late as it is asked: between collecting and running a whole suite lie minutes."""
    return datetime.now(UTC)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith(("RECALLD_", "XDG_"))]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    (home / "recalld").mkdir(parents=True, mode=0o700)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("RECALLD_STATE_DIR", str(home / "state"))
    monkeypatch.setenv("RECALLD_SOCKET", str(home / "recalld" / "s.sock"))
    return home


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return written(tmp_path / "ws", work_at(now()))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """The real one, over a workspace in order, with everything indexed."""
    place = tmp_path_factory.mktemp("doctor")
    notes = written(place / "notes", work_at(datetime.now(UTC)))
    (notes / "memory/alarm.md").write_text("The alarm goes to the night desk.\n", "utf-8")
    with running(place / "d", workspaces=[notes]) as process:
        process.call("index.sync")
        until(lambda: watched(process), what="a watcher that reports")
        yield process


def watched(daemon: Process) -> bool:
    return all(part["watch"] == "watch" for part in daemon.call("index.status")["workspaces"])


def notes_of(daemon: Process) -> Path:
    return daemon.state.parent.parent / "notes"


def told(capsys) -> dict[str, list[tuple[str, str]]]:
    """Severity and message of each finding by its check, of a ``--json`` run."""
    result = json.loads(capsys.readouterr().out)
    found: dict[str, list[tuple[str, str]]] = {}
    for block in [*result["workspaces"], result["daemon"]]:
        for one in block["findings"]:
            found.setdefault(one["check"], []).append((one["severity"], one["message"]))
    found["repaired"] = [(one["severity"], one["message"]) for one in result["repaired"]]
    return found


def doctor(socket: Path, *arguments: str | Path) -> int:
    return run(["doctor", "--json", "--socket", str(socket), *map(str, arguments)])


def test_a_daemon_that_is_well_passes_every_check(daemon: Process, monkeypatch, capsys):
    monkeypatch.setenv("RECALLD_STATE_DIR", str(daemon.state))
    # Without a name: what the daemon remembers.
    assert doctor(daemon.socket_path) == 0
    found = told(capsys)
    assert found["daemon"] == [("OK", f"the daemon answers (pid {daemon.child.pid})")]
    assert found["versions"] == [("OK", f"daemon and command are {__version__}")]
    assert found["watcher"] == [("OK", "changes are watched")]
    ((severity, message),) = found["index"]
    assert severity == "OK"
    assert "agree: files 1, chunks 1, lexical 1, vectors 1" in message
    assert {one for one, _ in found["degraded"]} <= {"OK", "INFO"}
    assert "socket" not in found
    assert "state" not in found


def test_a_folder_the_daemon_does_not_remember_is_a_finding(daemon: Process, root, capsys):
    assert doctor(daemon.socket_path, "-w", root) == 1
    assert told(capsys)["index"] == [
        ("WARNING", f"the daemon does not remember this folder: recalld workspace add {root}")
    ]
    inner = written(notes_of(daemon) / "sub", work_at(now()))
    assert doctor(daemon.socket_path, "-w", inner) == 0
    assert told(capsys)["index"][0][0] == "INFO"


def test_permissions_of_a_running_daemons_socket_are_looked_at(daemon: Process, capsys):
    path = daemon.socket_path
    path.chmod(0o666)
    path.parent.chmod(0o755)
    try:
        assert doctor(path) == 1
        messages = [message for _, message in told(capsys)["socket"]]
        assert messages == [
            f"{path} has mode 0666; expected 0600",
            f"{path.parent} has mode 0755; expected 0700",
        ]
        assert doctor(path, "--repair") == 1
        found = told(capsys)
        assert found["repaired"] == [("OK", f"repaired: set the mode of {path} to 0600")]
        # A folder that was not made for the socket is somebody's.
        assert [message for _, message in found["socket"]] == messages[1:]
    finally:
        path.parent.chmod(0o700)
        path.chmod(0o600)


def test_s2_20_a_stopped_daemon_costs_two_seconds_at_most_and_is_critical(
    daemon: Process, root: Path, capsys
):
    daemon.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        with Client(daemon.socket_path) as client:
            answers = ask(client)
        took_s = time.monotonic() - began
        assert doctor(daemon.socket_path, "-w", root) == 2
    finally:
        daemon.send_signal(signal.SIGCONT)
    assert SILENCE_S <= took_s <= SILENCE_S + OVERHEAD_S <= 2.0
    assert answers.told == {}
    found = told(capsys)
    assert found["daemon"] == [
        ("CRITICAL", "the daemon does not answer: ping is not answered within 1.8 s")
    ]
    assert "index" not in found
    assert found["file"][0][0] == "OK"


@pytest.fixture
def scripted(tmp_path: Path, root: Path) -> Iterator[ScriptedDaemon]:
    """Everything well, as far as a test does not write down otherwise."""
    with scripted_daemon(tmp_path / "home/recalld/s.sock", answers_for(root)) as daemon:
        (tmp_path / "home/recalld/s.sock").chmod(0o600)
        yield daemon


def answers_for(root: Path, **part: object) -> dict[str, dict[str, object] | None]:
    workspace = {
        "workspace": str(root),
        "files": 2,
        "chunks": 9,
        "lexical": 9,
        "vectors": 9,
        "watch": "watch",
        "reading": {"done": 0, "total": 0},
        "degraded": [],
        "invariants": {"holds": True},
        "reembedding": False,
        **part,
    }
    return {
        "ping": {"ok": True, "version": __version__, "pid": 7, "protocol": 1},
        "status": {"state": "ok", "degraded": []},
        "index.status": {"workspaces": [workspace]},
        "index.sync": {"files": 2, "chunks": 9, "added": 0, "changed": 0, "removed": 0},
    }


@pytest.mark.parametrize(
    ("part", "code", "check", "severity", "says"),
    [
        ({}, 0, "index", "OK", "agree: files 2"),
        ({"vectors": 8, "invariants": {"holds": False}}, 1, "index", "WARNING", "disagree"),
        (
            {"invariants": {"holds": False}, "reading": {"done": 3, "total": 9}},
            0,
            "index",
            "INFO",
            "being built",
        ),
        ({"invariants": {"holds": False}, "reembedding": True}, 0, "index", "INFO", "being built"),
        (
            {"invariants": {"holds": False}, "reading": {"done": 9, "total": 9}},
            1,
            "index",
            "WARNING",
            "disagree",
        ),
        ({"watch": "polling", "degraded": ["watch: polling"]}, 0, "watcher", "INFO", "polled"),
        ({"watch": "starting"}, 0, "watcher", "INFO", "the watcher is starting"),
        ({"watch": "down"}, 1, "watcher", "WARNING", "the watcher is down"),
        ({"degraded": ["3 vectors of old are being replaced"]}, 1, "index", "WARNING", "replaced"),
    ],
)
def test_the_index_and_its_watcher_are_judged_by_what_the_daemon_says(
    scripted: ScriptedDaemon, root: Path, capsys, part, code, check, severity, says
):
    scripted.answers.update(answers_for(root, **part))
    assert doctor(scripted.path, "-w", root) == code
    assert any(one == severity and says in message for one, message in told(capsys)[check])


@pytest.mark.parametrize(
    ("method", "answer", "code", "check", "severity", "says"),
    [
        ("ping", {"version": "0.0.1", "protocol": 1}, 1, "versions", "WARNING", "is 0.0.1"),
        ("ping", {"version": __version__, "protocol": 2}, 1, "versions", "WARNING", "protocol 2"),
        ("ping", None, 2, "daemon", "CRITICAL", "ping is not answered"),
        ("status", None, 1, "daemon", "WARNING", "status is not answered"),
        ("index.status", None, 1, "daemon", "WARNING", "index.status is not answered"),
        (
            "status",
            {"error": {"code": -32603, "message": "internal error"}},
            1,
            "daemon",
            "WARNING",
            "status is refused: internal error",
        ),
        (
            "status",
            {"degraded": ["store: damaged file kept at /x"]},
            1,
            "degraded",
            "WARNING",
            "damaged file",
        ),
        ("status", {"degraded": ["embedder: loading"]}, 0, "degraded", "INFO", "loading"),
        ("status", {"degraded": ["index: watch: down (/x)"]}, 0, "degraded", "OK", "works"),
        ("status", {"degraded": None}, 0, "degraded", "OK", "works"),
    ],
)
def test_what_is_wrong_with_the_daemon_is_said(
    scripted: ScriptedDaemon, root: Path, capsys, method, answer, code, check, severity, says
):
    scripted.answers[method] = answer
    assert doctor(scripted.path, "-w", root) == code
    assert any(one == severity and says in message for one, message in told(capsys)[check])


def test_after_one_question_without_an_answer_no_other_is_asked(
    scripted: ScriptedDaemon, root: Path
):
    scripted.answers["ping"] = None
    doctor(scripted.path, "-w", root)
    assert [request["method"] for request in scripted.requests] == ["ping"]


def test_repair_rebuilds_an_index_that_disagrees_and_only_that(
    scripted: ScriptedDaemon, root: Path, capsys
):
    assert doctor(scripted.path, "-w", root, "--repair") == 0
    assert scripted.seen("index.sync") == []
    capsys.readouterr()
    scripted.answers.update(answers_for(root, invariants={"holds": False}))
    assert doctor(scripted.path, "-w", root) == 1
    assert scripted.seen("index.sync") == []
    capsys.readouterr()
    assert doctor(scripted.path, "-w", root, "--repair") == 1
    assert scripted.seen("index.sync") == [{"workspace": str(root)}]
    ((severity, message),) = told(capsys)["repaired"]
    assert severity == "OK"
    assert "rebuilt the index" in message


def test_a_repair_that_fails_is_told_and_the_others_go_on(
    scripted: ScriptedDaemon, root: Path, capsys
):
    scripted.answers.update(answers_for(root, invariants={"holds": False}))
    scripted.answers["index.sync"] = {"error": {"code": -32002, "message": "store: disk full"}}
    traces = root / "memory/recall-traces.jsonl"
    traces.touch(mode=0o644)
    traces.chmod(0o644)
    assert doctor(scripted.path, "-w", root, "--repair") == 1
    repaired = told(capsys)["repaired"]
    assert [one for one, _ in repaired] == ["OK", "WARNING"]
    assert "disk full" in repaired[1][1]
    assert traces.stat().st_mode & 0o777 == 0o600


def test_repair_removes_what_was_left_behind_and_never_touches_the_checkpoint(
    tmp_path: Path, root: Path, home: Path, capsys
):
    with running(home / "d", workspaces=[root]) as process:
        process.send_signal(signal.SIGKILL)
        process.ended()
    path = process.socket_path
    left = [
        root / "memory/.recalld-0123456789abcdef.tmp",
        root / ARCHIVE / ".recalld-0123456789abcdef.tmp",
    ]
    mine = root / "memory/.recalld-mine.tmp"
    for file in (*left, mine):
        file.write_text("half", encoding="utf-8")
        long_ago = (now() - HOUR).timestamp()
        os.utime(file, (long_ago, long_ago))
    fresh = root / "memory/.recalld-fedcba9876543210.tmp"
    fresh.write_text("half", encoding="utf-8")
    (root / "memory/recall-traces.jsonl").write_text("", encoding="utf-8")
    (root / "memory/recall-traces.jsonl").chmod(0o644)
    kept = [root / FILE, *(root / ARCHIVE).glob("2*.md"), mine]
    before = [state_of(one) for one in kept]
    untouched = state_of(root)
    assert doctor(path, "-w", root) == 1
    found = told(capsys)
    assert found["socket"] == [("WARNING", f"{path} was left behind: nobody listens there")]
    assert [one for one, _ in found["leftovers"]] == ["INFO", "INFO"]
    assert [one for one, _ in found["traces"]] == ["WARNING"]
    assert state_of(root) == untouched
    assert doctor(path, "-w", root, "--repair") == 0
    found = told(capsys)
    assert {one for one, _ in found["repaired"]} == {"OK"}
    assert len(found["repaired"]) == 4
    assert not path.exists()
    assert not any(file.exists() for file in left)
    assert [state_of(one) for one in kept] == before
    assert not {"socket", "leftovers", "traces"} & found.keys()


def test_a_socket_whose_lock_is_held_is_not_removed(home: Path, root: Path, capsys):
    path = home / "recalld" / "s.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    path.chmod(0o600)
    lock = lock_file(path.with_name("s.sock.lock"), what="a daemon that is coming up")
    try:
        assert doctor(path, "-w", root, "--repair") == 1
    finally:
        os.close(lock)
    assert path.exists()
    ((severity, message),) = told(capsys)["repaired"]
    assert severity == "WARNING"
    assert "is held by" in message
