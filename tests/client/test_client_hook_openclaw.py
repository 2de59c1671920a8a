"""The gateway's hooks as a plugin gets them, for whoever calls the hook process instead."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.hooking import Hooks, Ran
from support.scripted import ScriptedDaemon, scripted_daemon

CONTEXT = {
    "runId": "run-1",
    "agentId": "main",
    "sessionKey": "agent:main:main",
    "sessionId": "c3f1",
    "workspaceDir": "/home/user/.openclaw/workspace",
    "trigger": "user",
}
SESSION = {
    "key": "agent:main:main",
    "agent": "main",
    "workspace": "/home/user/.openclaw/workspace",
    "client": "openclaw",
}
MESSAGES = [
    {"role": "user", "content": "早些的问题", "timestamp": 1_780_000_000_000},
    {"role": "assistant", "content": [{"type": "text", "text": "早些的回答"}]},
    {"role": "user", "content": [{"type": "text", "text": "移动网关"}, {"type": "image"}]},
    {"role": "assistant", "content": [{"type": "toolCall", "id": "1", "name": "sh"}]},
    {"role": "toolResult", "toolCallId": "1", "content": [{"type": "text", "text": "done"}]},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"},
                                      {"type": "text", "text": "移到 9410。"}]},
]  # fmt: skip
BAD_MESSAGES = [None, [], "x", [7, None, {"role": "user"}, {"role": "user", "content": {"a": 1}}]]


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[ScriptedDaemon]:
    answers: dict[str, dict[str, object] | None] = {
        "session.start": {"recovery": "CONTINUITY SNAPSHOT"},
        "session.prompt": {"recovery": "CONTINUITY SNAPSHOT", "context": "<r>端口</r>"},
        "session.end": None,
    }
    with scripted_daemon(tmp_path / "s", answers) as running:
        yield running


@pytest.fixture
def hooks(tmp_path: Path, daemon: ScriptedDaemon) -> Hooks:
    return Hooks(socket=daemon.path, state=tmp_path / "state")


def call(hooks: Hooks, name: str, event: dict[str, Any], **context: Any) -> Ran:
    return hooks("openclaw", {"hook": name, "event": event, "context": CONTEXT | context})


def asked(daemon: ScriptedDaemon, method: str) -> dict[str, Any]:
    assert [request["method"] for request in daemon.requests] == [method]
    (params,) = daemon.seen(method)
    return params


def test_a_prompt_gets_system_context(daemon, hooks):
    ran = call(hooks, "before_prompt_build", {"prompt": "端口？", "messages": []})
    params = asked(daemon, "session.prompt")
    params.pop("budget_ms")
    assert params == {"session": SESSION, "text": "端口？"}
    assert ran.printed == {"prependSystemContext": "CONTINUITY SNAPSHOT\n\n<r>端口</r>"}
    assert (ran.code, ran.err, hooks.log) == (0, b"", [])


@pytest.mark.parametrize("trigger", ["heartbeat", "cron", "memory"])
@pytest.mark.parametrize(
    ("name", "event"),
    [("before_prompt_build", {"prompt": "x"}), ("agent_end", {"messages": MESSAGES})],
)
def test_what_no_user_asked_for_is_neither_a_question_nor_a_turn(
    daemon, hooks, name, event, trigger
):
    assert call(hooks, name, event, trigger=trigger).out == b""
    assert daemon.requests == []


@pytest.mark.parametrize(("told", "success"), [({}, True), ({"success": False}, False)])
def test_a_run_that_ended_is_the_last_exchange(daemon, hooks, told, success):
    ran = call(hooks, "agent_end", {"runId": "run-1", "messages": MESSAGES, **told})
    params = asked(daemon, "session.turn")
    assert params.pop("event_id").startswith("run-1:turn:")
    assert params == {
        "session": SESSION,
        "user": "移动网关",
        "assistant": "移到 9410。",
        "success": success,
        "run_id": "run-1",
    }
    assert (ran.code, ran.out) == (0, b"")


@pytest.mark.parametrize("messages", BAD_MESSAGES)
def test_a_run_in_which_nobody_spoke_is_not_told(daemon, hooks, messages):
    ran = call(hooks, "agent_end", {"messages": messages})
    assert (ran.code, ran.out, daemon.requests, hooks.log) == (0, b"", [], [])


@pytest.mark.parametrize(
    ("name", "event", "context", "method", "told"),
    [
        ("before_compaction", {"messageCount": 90, "compactingCount": 70}, {"trigger": "manual"},
         "session.compact", {"phase": "before", "trigger": "manual"}),
        ("after_compaction", {"compactedCount": 70}, {"trigger": "overflow"},
         "session.compact", {"phase": "after", "trigger": "auto"}),
        ("before_reset", {"reason": "new"}, {}, "session.reset", {"reason": "new"}),
        ("before_reset", {"reason": "reset"}, {}, "session.reset", {"reason": "reset"}),
        ("before_reset", {"reason": "idle"}, {}, "session.reset", {"reason": "reset"}),
        ("session_start", {"sessionId": "c3f2"}, {}, "session.start", {"source": "startup"}),
        ("session_start", {"sessionId": "c3f2", "resumedFrom": "c3f1"}, {},
         "session.start", {"source": "new"}),
    ],
)  # fmt: skip
def test_the_life_of_a_session_is_told(daemon, hooks, name, event, context, method, told):
    ran = call(hooks, name, event, **context)
    assert asked(daemon, method) == {"session": SESSION, **told}
    shown = {"prependSystemContext": "CONTINUITY SNAPSHOT"} if name == "session_start" else None
    assert (ran.code, ran.printed, hooks.log) == (0, shown, [])


@pytest.mark.parametrize(
    "reason",
    ["new", "reset", "idle", "daily", "compaction", "deleted", "shutdown", "restart", "unknown"],
)
def test_the_end_of_a_session_is_handed_over(daemon, hooks, reason):
    ran = call(hooks, "session_end", {"sessionId": "c3f1", "messageCount": 4, "reason": reason})
    assert daemon.arrived.wait(5)
    assert asked(daemon, "session.end") == {"session": SESSION, "reason": reason}
    assert (ran.code, ran.out) == (0, b"")


CHILD = "agent:main:subagent:5f3e"


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ({"outcome": "ok", "reason": "subagent-complete"}, {"outcome": "ok"}),
        ({"outcome": "error", "error": "boom"}, {"outcome": "error", "result": "boom"}),
        ({"outcome": "timeout"}, {"outcome": "timeout"}),
        ({"outcome": "killed"}, {"outcome": "killed"}),
        ({"outcome": "reset"}, {"outcome": "reset"}),
        ({"outcome": "deleted"}, {"outcome": "deleted"}),
        ({"outcome": "evaporated"}, {"outcome": "error"}),
        ({"error": "boom"}, {"outcome": "error", "result": "boom"}),
        ({}, {"outcome": "ok"}),
    ],
)
def test_the_end_of_a_sub_agent_is_told_to_its_parent(daemon, hooks, event, told):
    where = {"requesterSessionKey": "agent:main:main", "sessionKey": CHILD, "runId": None}
    call(hooks, "subagent_ended", {"targetSessionKey": CHILD, **event}, **where)
    assert asked(daemon, "subagent.end") == {"session": SESSION, "child": CHILD, **told}


def test_a_sub_agent_without_a_parent_is_not_told(daemon, hooks):
    ran = call(hooks, "subagent_ended", {"targetSessionKey": CHILD}, sessionKey=CHILD)
    assert (ran.code, ran.out, daemon.requests) == (0, b"", [])


@pytest.mark.parametrize("key", [CHILD, "cron:nightly", "hook:5f3e", "agent:main:cron:nightly"])
@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("agent_end", {"messages": MESSAGES}),
        ("before_compaction", {}),
        ("before_reset", {"reason": "new"}),
        ("session_start", {}),
        ("session_end", {"reason": "idle"}),
    ],
)
def test_a_session_without_a_user_leaves_the_users_work_alone(daemon, hooks, name, event, key):
    assert call(hooks, name, event, sessionKey=key).out == b""
    assert daemon.requests == []


def test_a_session_without_a_user_is_not_told_where_the_users_work_stands(daemon, hooks):
    ran = call(hooks, "before_prompt_build", {"prompt": "go on"}, sessionKey=CHILD)
    assert ran.printed == {"prependSystemContext": "<r>端口</r>"}


@pytest.mark.parametrize("name", ["subagent_spawned", "llm_input", "before_tool_call", ""])
def test_another_hook_reaches_nobody(daemon, hooks, name):
    ran = call(hooks, name, {"prompt": "x"})
    assert (ran.code, ran.out, daemon.requests, hooks.log) == (0, b"", [], [])


@pytest.mark.parametrize(
    "event",
    [
        {"hook": "before_prompt_build"},
        {"hook": "before_prompt_build", "event": [], "context": {}},
        {"hook": "before_prompt_build", "event": {"prompt": "secret words"}, "context": {}},
        {"hook": "before_prompt_build", "event": {"prompt": 7}, "context": {"sessionKey": "s"}},
    ],
)
def test_an_event_without_its_parts_is_refused_with_a_line_in_the_log(daemon, hooks, event):
    ran = hooks("openclaw", event)
    assert (ran.code, ran.out, ran.err, daemon.requests) == (0, b"", b"", [])
    assert len(hooks.log) == 1
    assert "secret" not in hooks.log[0]
