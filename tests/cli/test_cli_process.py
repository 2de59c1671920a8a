"""The commands as processes: what a shell, a pipe and an impatient person get of them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recalld import __version__
from recalld.cli._exits import verdict_on
from recalld.cli._run import run
from recalld.client import Client, RpcError, TimedOut
from support.answering import HIT, answering
from support.scripted import ScriptedDaemon


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[ScriptedDaemon]:
    with answering(tmp_path) as daemon:
        yield daemon


def subprocess_of(*arguments: str) -> "subprocess.CompletedProcess[str]":
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environ, check=False
    )


def test_the_version_is_told_without_loading_the_program():
    code = (
        "import sys; sys.argv = ['recalld', '--version'];"
        "from recalld.cli import main; code = main();"
        "print(code, sorted({'typer', 'rich', 'trio', 'msgspec'} & set(sys.modules)))"
    )
    assert subprocess_of("-c", code).stdout == f"recalld {__version__}\n0 []\n"


def test_the_package_runs_as_a_module():
    ran = subprocess_of("-m", "recalld", "--version")
    assert (ran.returncode, ran.stdout) == (0, f"recalld {__version__}\n")


def test_a_client_command_loads_no_part_of_the_daemon(daemon):
    code = (
        "import sys; from recalld.cli._run import run;"
        f"code = run(['search', 'x', '--json', '--socket', {str(daemon.path)!r}]);"
        "print(code, sorted({'trio', 'anyio', 'faiss', 'numpy', 'aiosqlite'} & set(sys.modules)))"
    )
    assert subprocess_of("-c", code).stdout.split("\n")[1] == "0 []"


def test_a_reader_that_goes_away_is_no_stack_trace(daemon):
    daemon.answers["search"] = {"hits": [HIT] * 20_000}
    pipe = (
        f"{sys.executable} -m recalld search x --socket {daemon.path} | head -1;"
        "exit ${PIPESTATUS[0]}"
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        ["bash", "-c", pipe], capture_output=True, text=True, env=environ, check=False
    )
    assert ran.returncode in {0, 141}
    assert ran.stderr == ""
    assert ran.stdout.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        *(["search", "x"], ["recall", "x", "--json"], ["status"]),
        *(["--help"], ["search", "--help"], ["--version"], ["config", "show"]),
    ],
)
@pytest.mark.parametrize("many", [1, 20_000])
def test_an_output_that_is_full_is_one_line_and_no_stack_trace(daemon, arguments, many):
    daemon.answers["search"] = {"hits": [HIT] * many}
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environ |= {"RECALLD_SOCKET": str(daemon.path), "RECALLD_CONFIG": "/dev/null"}
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "recalld", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environ,
            check=False,
        )
    assert ran.returncode == 1
    assert ran.stderr == "recalld: cannot write to standard output: no space left on device\n"


def test_a_variable_that_is_misspelt_is_named_when_no_daemon_is_found(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("RECALLD_SOKET", str(tmp_path / "right"))
    assert run(["status", "--socket", str(tmp_path / "absent")]) == 69
    assert "RECALLD_SOKET is set, did you mean RECALLD_SOCKET?" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["search", "x"], ["recall", "x"], ["index"], ["status"]])
def test_ctrl_c_ends_a_waiting_command_at_once_without_a_stack_trace(daemon, command):
    method = {"search": "search", "recall": "session.prompt", "index": "index.sync"}
    daemon.answers[method.get(command[0], "status")] = None
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "recalld", *command, "--socket", str(daemon.path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
    )
    assert daemon.arrived.wait(20)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=2)
    assert process.returncode == 130
    assert (out, err) == (b"", b"")


def test_a_daemon_that_never_answers_is_busy_or_timed_out(daemon, capsys):
    daemon.answers["status"] = None
    with Client(daemon.path) as client, pytest.raises(TimedOut) as caught:
        client.call("status", timeout_s=0.05)
    assert verdict_on(caught.value)[0] == 75


def test_a_refused_parameter_is_complained_about_once():
    said = "params.limit: Expected int <= 100"
    error = RpcError(-32602, said, {"key": "params.limit", "problem": "Expected int <= 100"})
    assert verdict_on(error) == (2, "limit: Expected int <= 100")
    broken = RpcError(-32603, "internal error", {"incident": "4f2a"})
    assert verdict_on(broken)[1] == "internal error: 4f2a"
