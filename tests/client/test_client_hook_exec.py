"""The host that is nobody's: it says what to ask and gets what was answered."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.hooking import Hooks
from support.scripted import ScriptedDaemon, scripted_daemon

SESSION = {"key": "s1", "workspace": "/notes", "client": "vim"}


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[ScriptedDaemon]:
    answers: dict[str, dict[str, object] | None] = {
        "session.start": {"recovery": None, "checkpoint": {"objective": "发票"}, "trace_id": "1"},
        "session.prompt": {"status": "ok", "recovery": None, "context": "<r>端口</r>", "hits": []},
        "session.turn": {"accepted": True},
        "session.compact": {"checkpoint": None},
        "session.reset": {"archived": "memory/session_archive/2026-01-01_00-00-00.md"},
        "session.end": {"archived": None},
        "subagent.end": {"unsurfaced": 2},
    }
    with scripted_daemon(tmp_path / "s", answers) as running:
        yield running


@pytest.fixture
def hooks(tmp_path: Path, daemon: ScriptedDaemon) -> Hooks:
    return Hooks(socket=daemon.path, state=tmp_path / "state")


@pytest.mark.parametrize(
    ("method", "params", "printed"),
    [
        ("session.start", {"source": "new"}, {"recovery": None, "context": None}),
        ("session.prompt", {"text": "端口？"}, {"recovery": None, "context": "<r>端口</r>"}),
        ("session.turn", {"user": "u", "assistant": "a"}, {"accepted": True}),
        ("session.compact", {"phase": "before"}, {"checkpoint": None}),
        (
            "session.reset",
            {"reason": "new"},
            {"archived": "memory/session_archive/2026-01-01_00-00-00.md"},
        ),
        ("session.end", {"reason": "bye"}, {"archived": None}),
        ("subagent.end", {"child": "c", "outcome": "ok"}, {"unsurfaced": 2}),
    ],
)
def test_each_method_of_the_session_events_is_passed_on(daemon, hooks, method, params, printed):
    told = {"session": SESSION, **params}
    ran = hooks("exec", {"method": method, "params": told})
    (saw,) = daemon.seen(method)
    saw.pop("budget_ms", None)
    assert saw == told
    assert ran.printed == printed
    assert (ran.code, ran.err, hooks.log) == (0, b"", [])


@pytest.mark.parametrize(("asked", "most"), [(100, 100), (60_000, 1_440), ("soon", 1_440)])
def test_a_budget_is_kept_below_the_hooks_deadline(daemon, hooks, asked, most):
    params = {"session": SESSION, "text": "x", "budget_ms": asked}
    hooks("exec", {"method": "session.prompt", "params": params})
    (saw,) = daemon.seen("session.prompt")
    assert 50 <= saw["budget_ms"] <= most


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"method": "memory.forget", "params": {"id": "1"}},
        {"method": "config.reload"},
        {"method": ["session.prompt"], "params": {}},
        {"method": "session.prompt", "params": [1]},
        {"method": "session.turn", "params": {"user": float("nan")}},
        {"method": "session.turn", "params": {"messages": [{"content": "x" * 300_000}]}},
    ],
)
def test_anything_else_is_refused_with_a_line_in_the_log(daemon, hooks, event):
    ran = hooks("exec", event)
    assert (ran.code, ran.out, ran.err, daemon.requests) == (0, b"", b"", [])
    assert len(hooks.log) == 1


def test_numbers_lists_and_null_arrive_as_they_were(daemon, hooks):
    params = {"session": SESSION, "messages": [{"at": None, "n": [1, -2.5, 1e30, True, 10**30]}]}
    hooks("exec", {"method": "session.turn", "params": params})
    assert daemon.seen("session.turn") == [params]


def test_what_the_daemon_refuses_prints_nothing_and_logs_its_code_alone(daemon, hooks):
    daemon.answers["session.turn"] = {"error": {"code": -32602, "message": "sk-secret is wrong"}}
    ran = hooks("exec", {"method": "session.turn", "params": {"user": "sk-secret"}})
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    (line,) = hooks.log
    assert "exec session.turn: the daemon answered error -32602" in line
    assert "secret" not in line
