"""A heartbeat over the real daemon: the past decision is named, told once, and never lost."""

import json
import signal
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Process, Reply, running

ENVIRON = {"TZ": "UTC"}
DECISION = "We decided to pin the upload client to 1.8 because the upload test was flaky"
RESOLVED = "Upload test flaky because of the upload client; fixed by PR 812"
PLAN = "Look at the upload test of the upload client, it is flaky again"
NAMES = ("otter", "granite", "violin", "saffron", "harbour")


def ago(**by: float) -> str:
    return (datetime.now(UTC) - timedelta(**by)).isoformat()


def add(daemon: Process, content: str, kind: str, **more: Any) -> str:
    added = daemon.call("memory.add", content=content, type=kind, **more)
    return str(added["memory"]["id"])


def remember(daemon: Process) -> tuple[str, str, str]:
    """A decision, a matter that was resolved, and what is due now, of other sessions."""
    for name in NAMES:
        add(daemon, f"likes the {name} picture best", "PREFERENCE")
    decision = add(daemon, DECISION, "EVENT", session="then", created_at=ago(days=7))
    past = add(daemon, RESOLVED, "ACTIVITY", session="once", created_at=ago(days=20))
    daemon.call("memory.resolve", id=past)
    due = ago(minutes=-30)
    plan = add(daemon, PLAN, "PLAN", session="now", expires_at=due, created_at=ago(days=1))
    return decision, past, plan


def test_s1_2_the_act_names_what_was_decided_and_how_it_was_resolved(tmp_path: Path):
    with running(tmp_path / "d", environ=ENVIRON) as daemon:
        decision, past, plan = remember(daemon)
        with daemon.peer() as listener:
            listener.result("events.subscribe", kinds=["heartbeat"])
            tick = daemon.call("heartbeat.tick")
            assert tick["should_act"]
            assert tick["decision_reason"] == "act_deadline_critical"
            assert {signal["check"] for signal in tick["signals"]} >= {"deadlines"}
            related = {one["memory"]["id"]: one for one in tick["related_context"]}
            assert decision in related
            assert past in related
            assert plan not in related
            assert related[decision]["age"] == "7 days ago"
            assert related[decision]["signal_id"] == f"deadlines:{plan}"
            for told in (tick["message"], tick["context"]):
                assert DECISION in told
                assert "PR 812" in told
            event = listener.hear()["params"]
            assert event["kind"] == "heartbeat"
            assert event["data"]["act_id"] == tick["act_id"]
            assert event["data"]["message"] == tick["message"]
            quiet = daemon.call("heartbeat.tick")
            assert not quiet["should_act"]
            assert listener.hear()["params"]["data"] == {"owner": "default", **quiet}
        assert daemon.call("heartbeat.delivered", act_id=tick["act_id"], ok=True) == {
            "state": "delivered"
        }
        again = daemon.call("heartbeat.tick")
        assert not again["should_act"]
        assert (again["message"], again["context"], again["act_id"]) == ("", "", None)
        assert (again["lookups"], again["llm_calls"], again["related_context"]) == (0, 0, [])
        assert daemon.call("heartbeat.acknowledge", act_id=tick["act_id"], snooze_s=60) == {}
        relate = daemon.call("heartbeat.relate", memory_id=plan)["related_context"]
        assert {one["memory"]["id"] for one in relate} == set(related)
        words = daemon.call(
            "heartbeat.relate", content=PLAN, type="PLAN", session="then", created_at=ago(hours=1)
        )
        assert decision not in [one["memory"]["id"] for one in words["related_context"]]


def test_an_act_is_neither_lost_nor_doubled_by_a_kill(tmp_path: Path):
    home = tmp_path / "d"
    with running(home, environ=ENVIRON) as daemon:
        remember(daemon)
        tick = daemon.call("heartbeat.tick")
        assert tick["should_act"]
        daemon.send_signal(signal.SIGKILL)
        daemon.ended()
    with running(home, environ=ENVIRON) as daemon:
        again = daemon.call("heartbeat.tick")
        assert (again["should_act"], again["act_id"]) == (False, None)
        # Who got it says so to the daemon that is there now.
        told = daemon.call("heartbeat.delivered", act_id=tick["act_id"], ok=False)
        assert told == {"state": "failed"}
        back = daemon.call("heartbeat.tick")
        assert back["should_act"]
        assert DECISION in back["message"]
        own = refusal(daemon, "memory.add", content=tick["message"], type="EVENT")
        assert own["code"] == -32005


def test_the_daemon_ticks_by_itself_and_its_command_brings_the_message(tmp_path: Path):
    script, said = tmp_path / "bring.py", tmp_path / "said.json"
    script.write_text(
        f"import json, sys; open({str(said)!r}, 'a').write(json.dumps(sys.argv[1:]) + '\\n')\n",
        encoding="utf-8",
    )
    command = json.dumps([sys.executable, str(script), "{owner}", "{message}"])
    home = tmp_path / "d"
    with running(home, environ=ENVIRON) as daemon:
        remember(daemon)
    config = f"[heartbeat]\nscheduled = true\n[heartbeat.delivery]\ncommand = {command}\n"
    with running(home, environ=ENVIRON, config=config) as daemon:
        with daemon.peer() as listener:
            listener.result("events.subscribe", kinds=["heartbeat"])
            until_told(daemon)
        (line,) = said.read_text("utf-8").splitlines()
        owner, message = json.loads(line)
        assert owner == "default"
        assert DECISION in message
        assert not daemon.call("heartbeat.tick")["should_act"]


@pytest.mark.parametrize("hosts", [[], ["claude-code"]])
def test_a_session_that_starts_is_told_where_that_is_configured(tmp_path: Path, hosts: list[str]):
    config = f"[heartbeat]\nsession_start_hosts = {json.dumps(hosts)}\n"
    with running(tmp_path / "d", environ=ENVIRON, config=config) as daemon:
        remember(daemon)
        for client in ("codex", None, "claude-code"):
            session = {"key": f"s-{client}", "client": client}
            start = daemon.call("session.start", session=session, source="startup")
            assert ("heartbeat" in start) is (client in hosts)
        if hosts:
            assert DECISION in start["heartbeat"]["context"]
            daemon.call("heartbeat.delivered", act_id=start["heartbeat"]["act_id"], ok=True)
            session = {"key": "s2", "client": "claude-code"}
            assert "heartbeat" not in daemon.call(
                "session.start", session=session, source="startup"
            )


@pytest.mark.parametrize(
    ("method", "params", "code", "key"),
    [
        ("heartbeat.tick", {"autonomy": "wild"}, -32602, "params.autonomy"),
        ("heartbeat.tick", {"whose": "x"}, -32602, "params"),
        ("heartbeat.delivered", {"act_id": "none", "ok": True}, -32004, None),
        ("heartbeat.delivered", {"act_id": "none"}, -32602, "params"),
        ("heartbeat.acknowledge", {}, -32602, "params"),
        ("heartbeat.acknowledge", {"act_id": "a", "memory_id": "b"}, -32602, "params"),
        ("heartbeat.acknowledge", {"memory_id": "none"}, -32004, None),
        ("heartbeat.relate", {}, -32602, "params.content"),
        ("heartbeat.relate", {"content": "x", "memory_id": "y"}, -32602, "params"),
        ("heartbeat.relate", {"memory_id": "none"}, -32004, None),
    ],
)
def test_a_wrong_request_is_told_what_is_wrong(
    heart: Process, method: str, params: Reply, code: int, key: str | None
):
    error = refusal(heart, method, **params)
    assert error["code"] == code
    if key is not None:
        assert error["data"]["key"].startswith(key)


@pytest.fixture(scope="module")
def heart(tmp_path_factory: pytest.TempPathFactory):
    with running(tmp_path_factory.mktemp("heart") / "d", environ=ENVIRON) as daemon:
        yield daemon


def until_told(daemon: Process) -> None:
    pause, deadline = threading.Event(), time.monotonic() + 30
    while not daemon.call("status")["counters"].get("heartbeat.delivered"):
        assert time.monotonic() < deadline, "nothing was delivered"
        pause.wait(0.1)


def refusal(daemon: Process, method: str, **params: Any) -> Reply:
    with daemon.peer() as peer:
        error: Reply = peer.ask(method, **params)["error"]
        return error
