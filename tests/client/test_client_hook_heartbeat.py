"""A heartbeat's signals at the start of a session: shown after the snapshot, and told on."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.hooking import RUN, Hooks
from support.scripted import ScriptedDaemon, scripted_daemon

BLOCK = "<heartbeat-signals>\n- [immediate] 发票到期\n</heartbeat-signals>"
START = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/w", "source": "startup"}
SNAPSHOT = "CONTINUITY SNAPSHOT"


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[ScriptedDaemon]:
    answers: dict[str, dict[str, object] | None] = {
        "session.start": {
            "recovery": SNAPSHOT,
            "checkpoint": None,
            "heartbeat": {"context": BLOCK, "act_id": "A1"},
        },
        "heartbeat.delivered": None,
    }
    with scripted_daemon(tmp_path / "s", answers) as running:
        yield running


@pytest.fixture
def hooks(tmp_path: Path, daemon: ScriptedDaemon) -> Hooks:
    return Hooks(socket=daemon.path, state=tmp_path / "state", deadline_ms=10_000)


def told(daemon: ScriptedDaemon) -> list[dict[str, object]]:
    """A hook is gone before its last word is read: whoever asks after it is answered later."""
    for _ in range(100):
        if found := daemon.seen("heartbeat.delivered"):
            return found
        daemon.arrived.clear()
        daemon.arrived.wait(0.05)
    return []


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_signals_stand_behind_the_snapshot_and_count_as_told(
    host: str, hooks: Hooks, daemon: ScriptedDaemon
):
    ran = hooks(host, START)
    assert (ran.code, ran.err, hooks.log) == (0, b"", [])
    assert ran.context == f"{SNAPSHOT}\n\n{BLOCK}"
    assert told(daemon) == [{"act_id": "A1", "ok": True}]


def test_signals_that_do_not_fit_are_left_out_and_not_told(hooks: Hooks, daemon: ScriptedDaemon):
    start = daemon.answers["session.start"]
    assert start is not None
    start["heartbeat"] = {"context": "x" * 12_000, "act_id": "A1"}
    assert hooks("claude-code", START).context == SNAPSHOT
    assert daemon.seen("heartbeat.delivered") == []
    assert any("heartbeat" in str(line) for line in hooks.log)


@pytest.mark.parametrize(
    "odd", [None, [], "x", {"context": BLOCK}, {"act_id": "A1"}, {"context": 1, "act_id": 1}]
)
def test_what_is_no_signal_is_passed_over(hooks: Hooks, daemon: ScriptedDaemon, odd: object):
    start = daemon.answers["session.start"]
    assert start is not None
    start["heartbeat"] = odd
    assert hooks("codex", START).context == SNAPSHOT
    assert daemon.seen("heartbeat.delivered") == []


def test_a_host_that_does_not_listen_is_told_another_time(hooks: Hooks, daemon: ScriptedDaemon):
    reader, writer = os.pipe()
    os.close(reader)
    child = subprocess.Popen(
        [sys.executable, "-c", RUN, "claude-code"],
        stdin=subprocess.PIPE,
        stdout=writer,
        env=hooks.environ(),
    )
    os.close(writer)
    child.communicate(json.dumps(START).encode(), timeout=20)
    assert child.returncode == 0
    assert told(daemon) == [{"act_id": "A1", "ok": False}]
