"""The commands against the daemon they ship with."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from recalld.cli._throwaway import throwaway_daemon
from recalld.client import Client

ENVIRON = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample notes, where the daemon may write its traces."""
    place = tmp_path_factory.mktemp("cli") / "notes"
    with resources.as_file(resources.files("recalld") / "demo" / "sample") as sample:
        shutil.copytree(sample, place)
    return place


@pytest.fixture(scope="module")
def daemon(notes: Path) -> Iterator[Client]:
    with throwaway_daemon(notes) as client:
        client.call("index.sync", timeout_s=120)
        yield client


def recalld(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "recalld", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRON,
    )


def output_of(*arguments: str) -> str:
    """Standard output of a command that ends with 0 within 2 s of its last byte."""
    process = recalld(*arguments)
    assert process.stdout is not None
    assert process.stderr is not None
    out = process.stdout.read()
    err = process.stderr.read()
    assert process.wait(timeout=2) == 0, err
    process.stdout.close()
    process.stderr.close()
    return out


def test_one_shot_commands_print_and_end(daemon: Client):
    assert "memory/2026-05-11.md" in output_of("search", "upload queue", "--socket", daemon.path)
    assert "state: " in output_of("status", "--socket", daemon.path)
    counted = json.loads(output_of("index", "status", "--json", "--socket", daemon.path))
    assert counted


def test_a_prompt_about_the_past_gets_a_block_and_a_trace_that_explains_it(
    daemon: Client, notes: Path
):
    question = "What did we decide last time about how often the upload queue retries?"
    told = output_of("recall", question, "--json", "--socket", daemon.path)
    answer = json.loads(told)
    assert answer["status"] == "ok"
    assert answer["context"].startswith("<recall-context>")
    explained = json.loads(output_of("why", answer["trace_id"], "--json", "--socket", daemon.path))
    assert explained["trace_id"] == answer["trace_id"]
    assert explained["gate"]["decision"] == "yes"
    plain = output_of("why", answer["trace_id"], "--socket", daemon.path)
    assert "in the block" in plain


def test_tail_finds_the_traces_of_the_daemons_own_workspace(daemon: Client, notes: Path):
    answer = json.loads(output_of("recall", "/recall map tiles", "--json", "--socket", daemon.path))
    follower = recalld("tail", "-n", "50", "--socket", daemon.path)
    assert follower.stdout is not None
    for line in follower.stdout:
        if answer["trace_id"] in line:
            break
    else:
        pytest.fail("the trace never came")
    follower.kill()
    follower.communicate()


def test_a_second_daemon_on_the_same_socket_is_refused(daemon: Client, notes: Path, tmp_path: Path):
    environ = {**ENVIRON, "RECALLD_STATE_DIR": str(tmp_path / "state")}
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "recalld", "serve"),
            *("--socket", daemon.path, "--workspace", str(notes), "--config", "/dev/null"),
        ],
        capture_output=True,
        text=True,
        env=environ,
        timeout=20,
        check=False,
    )
    assert ran.returncode not in {0, 69}
    assert "Traceback" not in ran.stderr
    assert daemon.call("ping")["ok"] is True


def demo(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "recalld", "demo", *arguments],
        capture_output=True,
        text=True,
        env=ENVIRON,
        timeout=120,
        check=False,
    )


def test_the_demo_shows_each_kind_of_decision():
    ran = demo("--json")
    assert (ran.returncode, ran.stderr) == (0, "")
    results = {one["label"]: one["result"] for one in json.loads(ran.stdout)["prompts"]}
    statuses = {label: result["status"] for label, result in results.items()}
    assert statuses == {
        "yes": "ok",
        "no": "skipped_not_needed",
        "uncertain": "ok",
        "strong": "ok",
        "explicit": "ok",
        "suppressed": "skipped_not_needed",
        "chinese": "ok",
    }
    assert results["uncertain"]["decision"]["verdict"] == "uncertain"
    assert "memory/2026-05-11.md" in results["yes"]["context"]
    assert "memory/2026-06-02.md" in results["chinese"]["context"]
    stages = [stage["name"] for stage in results["strong"]["stages"]]
    assert "literal" in stages
    assert not any(name.startswith("det:") for name in stages)


def test_the_demo_over_a_folder_of_the_users_leaves_nothing_behind(notes: Path, tmp_path: Path):
    mine = tmp_path / "mine"
    shutil.copytree(notes, mine, ignore=shutil.ignore_patterns("*.jsonl*"))
    before = {path: path.stat().st_mtime_ns for path in mine.rglob("*")}
    ran = demo(str(mine))
    assert ran.returncode == 0, ran.stderr
    assert {path: path.stat().st_mtime_ns for path in mine.rglob("*")} == before
    assert ran.stdout.count("── ") == 7
    for label in ("no", "explicit", "suppressed", "chinese"):
        assert f"── {label}: " in ran.stdout
    assert re.search(r"^indexed: files \d+, chunks \d+, skipped 0$", ran.stdout, re.MULTILINE)


@pytest.mark.parametrize("what", ["absent", "empty"])
def test_the_demo_refuses_a_folder_without_notes(tmp_path: Path, what: str):
    (tmp_path / "empty").mkdir()
    ran = demo(str(tmp_path / what))
    assert ran.returncode == 1
    assert ran.stderr.startswith("recalld: ")
    assert "Traceback" not in ran.stderr


def interrupted_demo(scratch: Path) -> tuple[int, str, bool]:
    """Exit status and standard error of a demo that got Ctrl-C; whether it had files then."""
    with subprocess.Popen(
        [sys.executable, "-m", "recalld", "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**ENVIRON, "TMPDIR": str(scratch)},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("recalld demo: ")
        had_files = list(scratch.iterdir()) != []
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    return process.returncode, err, had_files


def test_ctrl_c_ends_the_demo_its_daemon_and_its_files(tmp_path: Path):
    # A demo takes two seconds, and a busy machine may be late: then it is over before Ctrl-C.
    for _ in range(5):
        code, err, had_files = interrupted_demo(tmp_path)
        assert err == ""
        assert list(tmp_path.iterdir()) == []
        if code != 0 and had_files:
            break
    assert (code, had_files) == (130, True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_daemon_in_the_foreground_ends_in_order_on_a_signal(
    notes: Path, tmp_path: Path, number: signal.Signals
):
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "recalld", "serve", "--config", "/dev/null"),
            *("--workspace", str(notes), "--socket", str(tmp_path / "run" / "s")),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**ENVIRON, "RECALLD_STATE_DIR": str(tmp_path / "state")},
    )
    assert process.stderr is not None
    for line in process.stderr:
        if '"ready"' in line:
            break
    process.send_signal(number)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 0
    assert "Traceback" not in err
