"""Every event of Claude Code's hooks, as recorded, against a daemon that notes what it is asked."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.hooking import Hooks
from support.scripted import ScriptedDaemon, scripted_daemon

COMMON = {
    "session_id": "7d3a9c52-9f8e-4a52-8a8f-3f1b1e0c2d11",
    "cwd": "/home/user/notes/app",
    "permission_mode": "default",
}
SESSION = {
    "key": COMMON["session_id"],
    "workspace": COMMON["cwd"],
    "client": "claude-code",
}
RECALL = {
    "status": "ok",
    "recovery": "CONTINUITY SNAPSHOT\nObjective: 发票",
    "context": "<r>端口</r>",
}
ERRORS = (
    "rate_limit", "overloaded", "authentication_failed", "oauth_org_not_allowed",
    "account_on_hold", "billing_error", "invalid_request", "model_not_found", "server_error",
    "max_output_tokens", "unknown",
)  # fmt: skip
UNKNOWN = (
    "PreToolUse", "PostToolUse", "Notification", "SubagentStart", "CwdChanged", "Setup",
    "InstructionsLoaded", "WorktreeCreate", "PermissionRequest", "TaskCompleted", "",
)  # fmt: skip


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[ScriptedDaemon]:
    answers: dict[str, dict[str, object] | None] = {
        "session.start": {"recovery": "CONTINUITY SNAPSHOT", "checkpoint": None},
        "session.prompt": dict(RECALL),
        "session.turn": {"accepted": True},
        "session.compact": {"checkpoint": None},
        "subagent.end": {"unsurfaced": 1},
        "session.end": None,
    }
    with scripted_daemon(tmp_path / "s", answers) as running:
        yield running


@pytest.fixture
def hooks(tmp_path: Path, daemon: ScriptedDaemon) -> Hooks:
    return Hooks(socket=daemon.path, state=tmp_path / "state")


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    lines = [
        {"type": "user", "uuid": "u-1", "message": {"role": "user", "content": "先前的问题"}},
        {"type": "assistant", "message": {"id": "m1", "content": [{"type": "text", "text": "ok"}]}},
        {"type": "user", "uuid": "u-2", "message": {"role": "user", "content": "移动发票网关"}},
        {
            "type": "assistant",
            "message": {"id": "m2", "content": [{"type": "tool_use", "name": "Bash"}]},
        },
        {
            "type": "user",
            "uuid": "u-3",
            "message": {"role": "user", "content": [{"type": "tool_result", "content": "42"}]},
        },
        {
            "type": "assistant",
            "message": {"id": "m2", "content": [{"type": "text", "text": "网关在 9410。"}]},
        },
    ]
    path = tmp_path / "transcript.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def asked(daemon: ScriptedDaemon, method: str) -> dict[str, Any]:
    """The params of the one request that came."""
    assert [request["method"] for request in daemon.requests] == [method]
    (params,) = daemon.seen(method)
    return params


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("startup", "startup"),
        ("resume", "resume"),
        ("clear", "clear"),
        ("compact", "compact"),
        ("fork", "resume"),
        ("teleport", "startup"),
        (None, "startup"),
    ],
)
def test_a_session_that_starts_is_shown_where_its_work_stands(daemon, hooks, source, told):
    ran = hooks("claude-code", COMMON | {"hook_event_name": "SessionStart", "source": source})
    assert asked(daemon, "session.start") == {"session": SESSION, "source": told}
    assert ran.printed == {
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": "CONTINUITY SNAPSHOT",
        }
    }
    assert (ran.code, ran.err, hooks.log) == (0, b"", [])


@pytest.mark.parametrize("name", ["prompt", "user_prompt"])
def test_a_prompt_is_shown_the_snapshot_and_then_what_was_recalled(daemon, hooks, name):
    event = {"hook_event_name": "UserPromptSubmit", "prompt_id": "p-1", name: "端口是多少？"}
    ran = hooks("claude-code", COMMON | event)
    params = asked(daemon, "session.prompt")
    assert 50 <= params.pop("budget_ms") <= 1_440
    assert params == {"session": SESSION, "text": "端口是多少？"}
    assert ran.printed == {
        "hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit",
            "additionalContext": f"{RECALL['recovery']}\n\n{RECALL['context']}",
        }
    }
    assert (ran.code, ran.err, hooks.log) == (0, b"", [])


@pytest.mark.parametrize(
    "answer",
    [
        {"status": "skipped_not_needed", "recovery": None, "context": None},
        {"status": "ok", "recovery": "", "context": " \n"},
        {"recovery": 7, "context": ["x"]},
        {},
    ],
)
def test_nothing_to_say_prints_nothing(daemon, hooks, answer):
    daemon.answers |= {"session.prompt": answer, "session.start": answer}
    for event in ({"hook_event_name": "UserPromptSubmit", "prompt": "hi"}, STARTED):
        ran = hooks("claude-code", COMMON | event)
        assert (ran.code, ran.out, ran.err, hooks.log) == (0, b"", b"", [])


STARTED = {"hook_event_name": "SessionStart", "source": "startup"}


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (
            {"hook_event_name": "PreCompact", "trigger": "manual", "custom_instructions": "short"},
            {"phase": "before", "trigger": "manual"},
        ),
        (
            {"hook_event_name": "PreCompact", "trigger": "auto", "custom_instructions": None},
            {"phase": "before", "trigger": "auto"},
        ),
        (
            {"hook_event_name": "PostCompact", "trigger": "auto", "compact_summary": "发票网关"},
            {"phase": "after", "trigger": "auto", "summary": "发票网关"},
        ),
        (
            {"hook_event_name": "PostCompact", "trigger": "manual", "summary": "gateway"},
            {"phase": "after", "trigger": "manual", "summary": "gateway"},
        ),
        ({"hook_event_name": "PostCompact", "trigger": "manual"}, {"phase": "after"}),
    ],
)
def test_both_sides_of_a_compaction_are_told_and_nothing_is_printed(daemon, hooks, event, told):
    ran = hooks("claude-code", COMMON | event)
    assert asked(daemon, "session.compact") == {"session": SESSION, "trigger": "manual"} | told
    assert (ran.code, ran.out, hooks.log) == (0, b"", [])


@pytest.mark.parametrize("active", [False, True])
def test_a_turn_is_the_users_last_words_and_the_agents(daemon, hooks, transcript, active):
    event = {
        "hook_event_name": "Stop",
        "prompt_id": "p-2",
        "transcript_path": str(transcript),
        "stop_hook_active": active,
        "last_assistant_message": "Moved to 9411.",
        "background_tasks": [{"id": "t", "type": "shell", "status": "running"}],
    }
    ran = hooks("claude-code", COMMON | event)
    params = asked(daemon, "session.turn")
    assert params.pop("event_id").startswith("p-2:")
    assert params == {
        "session": SESSION,
        "user": "移动发票网关",
        "assistant": "Moved to 9411.",
        "success": True,
        "run_id": "p-2",
    }
    assert (ran.code, ran.out, hooks.log) == (0, b"", [])


def test_a_host_that_does_not_tell_the_answer_has_it_read_from_its_transcript(
    daemon, hooks, transcript
):
    event = {"hook_event_name": "Stop", "transcript_path": str(transcript)}
    hooks("claude-code", COMMON | event)
    params = asked(daemon, "session.turn")
    assert (params["user"], params["assistant"]) == ("移动发票网关", "网关在 9410。")
    assert params["run_id"] == "u-2"


def test_the_same_turn_has_the_same_id_and_other_words_another(daemon, hooks, transcript):
    event = COMMON | {
        "hook_event_name": "Stop",
        "prompt_id": "p-2",
        "transcript_path": str(transcript),
    }
    for said in ("first", "first", "second"):
        hooks("claude-code", event | {"last_assistant_message": said})
    ids = [params["event_id"] for params in daemon.seen("session.turn")]
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.parametrize("path", [None, "", "/nowhere/at/all.jsonl", "~/none\0.jsonl"])
def test_without_a_transcript_the_answer_alone_is_told_and_without_both_nothing(
    daemon, hooks, path
):
    event = COMMON | {"hook_event_name": "Stop", "transcript_path": path}
    hooks("claude-code", event)
    assert daemon.requests == []
    hooks("claude-code", event | {"last_assistant_message": "Done."})
    params = asked(daemon, "session.turn")
    assert (params["user"], params["assistant"]) == ("", "Done.")
    # Two such turns may be word for word the same and still be two.
    assert "event_id" not in params


def test_a_turn_as_long_as_a_book_is_told_without_the_question_at_its_beginning(
    daemon, hooks, transcript
):
    result = {"type": "tool_result", "content": "user " * 200_000}
    line = json.dumps({"type": "user", "message": {"role": "user", "content": [result]}}) + "\n"
    with transcript.open("a", encoding="utf-8") as stream:
        stream.writelines([line] * 9)
    event = {"hook_event_name": "Stop", "transcript_path": str(transcript)}
    ran = hooks("claude-code", COMMON | event | {"last_assistant_message": "Done."})
    params = asked(daemon, "session.turn")
    assert (params["user"], params["assistant"]) == ("", "Done.")
    assert (ran.code, ran.out, hooks.log) == (0, b"", [])


@pytest.mark.parametrize("error", ERRORS)
def test_a_failed_turn_is_what_the_user_wanted_without_the_hosts_error(
    daemon, hooks, transcript, error
):
    event = {
        "hook_event_name": "StopFailure",
        "transcript_path": str(transcript),
        "error": error,
        "error_details": "429 Too Many Requests",
        "last_assistant_message": "API Error: Rate limit reached",
    }
    ran = hooks("claude-code", COMMON | event)
    params = asked(daemon, "session.turn")
    assert (params["user"], params["assistant"]) == ("移动发票网关", "")
    assert params["success"] is False
    assert (ran.code, ran.out) == (0, b"")


def test_a_failed_turn_of_nobody_is_not_told(daemon, hooks):
    event = {"hook_event_name": "StopFailure", "error": "unknown", "last_assistant_message": "API"}
    assert hooks("claude-code", COMMON | event).out == b""
    assert daemon.requests == []


CHILD = {
    "hook_event_name": "SubagentStop",
    "agent_id": "a90c079756555d86b",
    "agent_type": "Explore",
    "stop_hook_active": False,
}


def test_the_end_of_a_sub_agent_carries_its_result_to_the_parent(daemon, hooks):
    ran = hooks("claude-code", COMMON | CHILD | {"last_assistant_message": "三处可疑"})
    params = asked(daemon, "subagent.end")
    assert params.pop("event_id").startswith("a90c079756555d86b:")
    assert params == {
        "session": SESSION,
        "child": "a90c079756555d86b",
        "outcome": "ok",
        "result": "三处可疑",
    }
    assert (ran.code, ran.out) == (0, b"")


def test_the_result_of_a_sub_agent_may_stand_in_its_own_transcript(daemon, hooks, tmp_path):
    line = {
        "type": "assistant",
        "isSidechain": True,
        "message": {"id": "m", "content": [{"type": "text", "text": "Found two."}]},
    }
    path = tmp_path / "agent.jsonl"
    path.write_text(json.dumps(line) + "\n" + '{"type": "assis', encoding="utf-8")
    hooks("claude-code", COMMON | CHILD | {"agent_transcript_path": str(path)})
    assert asked(daemon, "subagent.end")["result"] == "Found two."


@pytest.mark.parametrize(
    "agent",
    [
        {"agent_type": "", "last_assistant_message": "dime el veredicto"},
        {"agent_id": "aprompt_suggestion-23e3e5"},
        {"agent_id": "acompact-7aad72"},
        {"agent_id": "aside_question-94d2"},
        {"agent_id": None},
    ],
)
def test_agents_that_the_host_runs_for_itself_leave_no_results(daemon, hooks, agent):
    ran = hooks("claude-code", COMMON | CHILD | agent)
    assert (ran.code, ran.out, daemon.requests) == (0, b"", [])


@pytest.mark.parametrize(
    "reason",
    ["clear", "resume", "logout", "prompt_input_exit", "bypass_permissions_disabled", "other"],
)
def test_the_end_of_a_session_is_handed_over_without_waiting_for_an_answer(daemon, hooks, reason):
    ran = hooks("claude-code", COMMON | {"hook_event_name": "SessionEnd", "reason": reason})
    assert daemon.arrived.wait(5)
    assert asked(daemon, "session.end") == {"session": SESSION, "reason": reason}
    assert "id" not in daemon.requests[0]
    assert (ran.code, ran.out, hooks.log) == (0, b"", [])


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_event_that_is_nobodys_business_reaches_nobody(daemon, hooks, name):
    ran = hooks("claude-code", COMMON | {"hook_event_name": name, "tool_name": "Bash"})
    assert (ran.code, ran.out, ran.err, hooks.log) == (0, b"", b"", [])
    assert daemon.requests == []


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "Stop", "PreCompact"])
def test_inside_a_sub_agent_nothing_is_told_and_nothing_shown(daemon, hooks, name):
    event = {"hook_event_name": name, "agent_id": "a1", "prompt": "look", "source": "startup"}
    assert hooks("claude-code", COMMON | event).out == b""
    assert daemon.requests == []


def test_an_agent_that_the_session_was_started_with_is_the_user_s_own(daemon, hooks):
    event = {"hook_event_name": "UserPromptSubmit", "agent_type": "reviewer", "prompt": "look"}
    assert hooks("claude-code", COMMON | event).out
    assert asked(daemon, "session.prompt")["session"] == SESSION


@pytest.mark.parametrize("cwd", [None, "", "relative/path", "/a\0b", 7])
def test_a_working_folder_that_is_none_is_not_told(daemon, hooks, cwd):
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "x", "session_id": "s", "cwd": cwd}
    hooks("claude-code", event)
    assert asked(daemon, "session.prompt")["session"] == {"key": "s", "client": "claude-code"}


@pytest.mark.parametrize(
    ("recovery", "context", "shown"),
    [
        ("r" * 40, "c" * 9_958, "r" * 40 + "\n\n" + "c" * 9_958),
        ("r" * 40, "c" * 9_959, "r" * 40),
        (None, "c" * 10_001, None),
        ("r" * 10_001, "c" * 40, None),
        # Claude Code counts what JavaScript counts.
        ("r", "🧭" * 5_000, "r"),
        ("r", "档" * 9_990, "r\n\n" + "档" * 9_990),
    ],
)
def test_a_block_over_the_hosts_bound_is_left_out_whole(daemon, hooks, recovery, context, shown):
    daemon.answers["session.prompt"] = {"recovery": recovery, "context": context}
    ran = hooks("claude-code", COMMON | {"hook_event_name": "UserPromptSubmit", "prompt": "x"})
    assert ran.context == shown
    left_out = shown is None or len(shown) < len(context)
    assert len(hooks.log) == left_out


def test_long_speech_is_cut_in_the_middle_until_one_line_holds_it(daemon, hooks, transcript):
    said = {"last_assistant_message": "头" + "\x01" * 300_000 + "尾"}
    event = {"hook_event_name": "Stop", "transcript_path": str(transcript)}
    hooks("claude-code", COMMON | event | said)
    assistant = asked(daemon, "session.turn")["assistant"]
    assert assistant.startswith("头")
    assert assistant.endswith("尾")
    assert "[…]" in assistant
    assert len(json.dumps(daemon.requests[0], ensure_ascii=False).encode()) < 256 * 1_024
    assert asked(daemon, "session.turn")["user"] == "移动发票网关"
