"""``recalld heartbeat`` against the daemon: what it shows, and that what is shown is told."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recalld.cli.heartbeat import WHY
from recalld.heartbeat.model import Reason
from support.daemon import Process, running

DECISION = "We decided to pin the upload client to 1.8 because the upload test was flaky"
PLAN = "Look at the upload test of the upload client, it is flaky again"


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Process]:
    with running(tmp_path / "d", environ={"TZ": "UTC"}) as process:
        yield process


def recalld(daemon: Process, *arguments: str) -> str:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "recalld", "heartbeat", *arguments]
    command += ["--socket", str(daemon.socket_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def fill(daemon: Process) -> None:
    now = datetime.now(UTC)
    for name in ("otter", "granite", "violin", "saffron", "harbour"):
        daemon.call("memory.add", content=f"likes the {name} picture best", type="PREFERENCE")
    before = (now - timedelta(days=7)).isoformat()
    daemon.call("memory.add", content=DECISION, type="EVENT", session="then", created_at=before)
    due = (now + timedelta(minutes=30)).isoformat()
    daemon.call("memory.add", content=PLAN, type="PLAN", session="now", expires_at=due)


def test_every_reason_has_words():
    assert set(WHY) == {reason.value for reason in Reason}


def test_a_list_without_signals_says_so(daemon: Process):
    assert "\n  no signals" in recalld(daemon, "--signals")


def test_it_shows_signals_decision_and_why_and_what_is_shown_is_told(daemon: Process):
    fill(daemon)
    listed = recalld(daemon, "--signals")
    assert listed.startswith("says nothing: only the signals were asked for")
    assert "immediate" in listed
    assert "[deadlines]" in listed
    told = recalld(daemon, "--explain")
    assert told.startswith("speaks: a deadline is less than an hour away")
    assert "period: " in told
    assert DECISION in told
    again = recalld(daemon)
    assert again.startswith("says nothing")
    assert daemon.call("status")["counters"]["heartbeat.delivered"] == 1


def test_json_is_the_result_and_nobody_was_told_yet(daemon: Process):
    fill(daemon)
    result = json.loads(recalld(daemon, "--json"))
    assert result["should_act"]
    assert result["related_context"][0]["memory"]["content"] == DECISION
    assert daemon.call("heartbeat.delivered", act_id=result["act_id"], ok=True) == {
        "state": "delivered"
    }


def test_another_owner_has_other_signals(daemon: Process):
    fill(daemon)
    assert PLAN not in recalld(daemon, "--owner", "bob")
