"""Every event of Codex's hooks in the shape of its schemas, and what its strict ones accept."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.hooking import Hooks
from support.scripted import ScriptedDaemon, scripted_daemon

COMMON = {
    "session_id": "0199f0c2-54f0-7c31-a5d4-0a6a0a8a7e55",
    "transcript_path": None,
    "cwd": "/home/user/code",
    "model": "gpt-5-codex",
    "permission_mode": "default",
}
SESSION = {"key": COMMON["session_id"], "workspace": COMMON["cwd"], "client": "codex"}
TURN = {"turn_id": "0199f0c3-1111-7c31-a5d4-000000000001"}
WITHOUT_MODE = {name: COMMON[name] for name in COMMON if name != "permission_mode"}


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[ScriptedDaemon]:
    answers: dict[str, dict[str, object] | None] = {
        "session.start": {"recovery": "CONTINUITY SNAPSHOT"},
        "session.prompt": {"recovery": None, "context": "<recall-context>端口</recall-context>"},
    }
    with scripted_daemon(tmp_path / "s", answers) as running:
        yield running


@pytest.fixture
def hooks(tmp_path: Path, daemon: ScriptedDaemon) -> Hooks:
    return Hooks(socket=daemon.path, state=tmp_path / "state")


@pytest.fixture
def rollout(tmp_path: Path) -> Path:
    lines = [
        {"type": "session_meta", "payload": {"id": COMMON["session_id"], "cwd": "/home/user/code"}},
        item("user", "<environment_context>\n  <cwd>/home/user/code</cwd>\n</environment_context>"),
        item("user", "把网关移走"),
        {"type": "event_msg", "payload": {"type": "user_message", "message": "把网关移走"}},
        {"type": "turn_context", "payload": TURN},
        {"type": "event_msg", "payload": {"type": "token_count", "info": None}},
        {"type": "event_msg", "payload": {"type": "agent_message", "message": "移到 9410 了。"}},
        item("assistant", "移到 9410 了。"),
    ]
    path = tmp_path / "rollout.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def item(role: str, text: str) -> dict[str, Any]:
    kind = "input_text" if role == "user" else "output_text"
    content = [{"type": kind, "text": text}]
    return {
        "type": "response_item",
        "payload": {"type": "message", "role": role, "content": content},
    }


def asked(daemon: ScriptedDaemon, method: str) -> dict[str, Any]:
    assert [request["method"] for request in daemon.requests] == [method]
    (params,) = daemon.seen(method)
    return params


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_a_session_that_starts_is_shown_where_its_work_stands(daemon, hooks, source):
    ran = hooks("codex", COMMON | {"hook_event_name": "SessionStart", "source": source})
    assert asked(daemon, "session.start") == {"session": SESSION, "source": source}
    assert ran.printed == {
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": "CONTINUITY SNAPSHOT",
        }
    }
    assert (ran.code, ran.err, hooks.log) == (0, b"", [])


def test_a_prompt_is_shown_what_was_recalled_under_no_other_keys(daemon, hooks):
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "端口？", **TURN}
    ran = hooks("codex", COMMON | event)
    params = asked(daemon, "session.prompt")
    params.pop("budget_ms")
    assert params == {"session": SESSION, "text": "端口？"}
    assert list(ran.printed) == ["hookSpecificOutput"]
    assert ran.printed["hookSpecificOutput"] == {
        "hookEventName": "UserPromptSubmit",
        "additionalContext": "<recall-context>端口</recall-context>",
    }


@pytest.mark.parametrize("trigger", ["manual", "auto"])
@pytest.mark.parametrize(("name", "phase"), [("PreCompact", "before"), ("PostCompact", "after")])
def test_both_sides_of_a_compaction_are_told(daemon, hooks, name, phase, trigger):
    ran = hooks("codex", WITHOUT_MODE | TURN | {"hook_event_name": name, "trigger": trigger})
    told = {"session": SESSION, "phase": phase, "trigger": trigger}
    assert asked(daemon, "session.compact") == told
    assert (ran.code, ran.out, hooks.log) == (0, b"", [])


@pytest.mark.parametrize("active", [False, True])
def test_a_turn_is_told_with_the_words_of_the_rollout(daemon, hooks, rollout, active):
    event = {
        "hook_event_name": "Stop",
        "transcript_path": str(rollout),
        "last_assistant_message": None,
        "stop_hook_active": active,
    }
    ran = hooks("codex", COMMON | TURN | event)
    params = asked(daemon, "session.turn")
    assert params.pop("event_id").startswith(TURN["turn_id"])
    assert params == {
        "session": SESSION,
        "user": "把网关移走",
        "assistant": "移到 9410 了。",
        "success": True,
        "run_id": TURN["turn_id"],
    }
    assert (ran.code, ran.out, hooks.log) == (0, b"", [])


def test_a_turn_without_a_rollout_is_the_agents_words_alone(daemon, hooks):
    event = {"hook_event_name": "Stop", "last_assistant_message": "fini", "stop_hook_active": False}
    hooks("codex", COMMON | TURN | event)
    params = asked(daemon, "session.turn")
    assert (params["user"], params["assistant"]) == ("", "fini")


@pytest.mark.parametrize(
    "error",
    [
        "rate_limit",
        "overloaded",
        "authentication_failed",
        "billing_error",
        "invalid_request",
        "server_error",
        "unknown",
    ],
)
def test_a_failed_turn_is_what_the_user_wanted(daemon, hooks, rollout, error):
    event = {
        "hook_event_name": "StopFailure",
        "error": error,
        "error_details": None,
        "last_assistant_message": "stream error",
        "transcript_path": str(rollout),
    }
    hooks("codex", COMMON | TURN | event)
    params = asked(daemon, "session.turn")
    assert (params["user"], params["assistant"]) == ("把网关移走", "")
    assert params["success"] is False


def test_the_end_of_a_sub_agent_carries_its_result(daemon, hooks, rollout):
    event = {
        "hook_event_name": "SubagentStop",
        "agent_id": "0199f0c4-2222",
        "agent_type": "explorer",
        "agent_transcript_path": str(rollout),
        "last_assistant_message": None,
        "stop_hook_active": False,
    }
    ran = hooks("codex", COMMON | TURN | event)
    params = asked(daemon, "subagent.end")
    assert (params["child"], params["result"]) == ("0199f0c4-2222", "移到 9410 了。")
    assert (ran.code, ran.out) == (0, b"")


@pytest.mark.parametrize(
    "name", ["PreToolUse", "PostToolUse", "PermissionRequest", "SubagentStart", "Interrupt"]
)
def test_an_event_that_is_nobodys_business_reaches_nobody(daemon, hooks, name):
    ran = hooks("codex", COMMON | TURN | {"hook_event_name": name})
    assert (ran.code, ran.out, ran.err, hooks.log) == (0, b"", b"", [])
    assert daemon.requests == []


def test_a_prompt_of_a_thread_that_was_spawned_is_left_alone(daemon, hooks):
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "x", "agent_id": "0199f0c4-2222"}
    assert hooks("codex", COMMON | TURN | event).out == b""
    assert daemon.requests == []


@pytest.mark.parametrize(
    ("context", "kept"), [("c" * 9_997, True), ("c" * 9_998, False), ("端" * 3_333, False)]
)
def test_what_codex_would_put_into_a_file_is_left_out_whole(daemon, hooks, context, kept):
    daemon.answers["session.prompt"] = {"recovery": "r", "context": context}
    ran = hooks("codex", COMMON | TURN | {"hook_event_name": "UserPromptSubmit", "prompt": "x"})
    assert ran.context == (f"r\n\n{context}" if kept else "r")
    assert len(hooks.log) == (0 if kept else 1)
