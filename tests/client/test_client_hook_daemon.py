"""``recalld-hook`` over the daemon itself: what was noted reaches the model, and turns are kept."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Process, running
from support.e2e import until
from support.hooking import Hooks

NOTES = {
    "queue.md": "# Queue\n\nWe decided that the invoice queue is Redis Streams on port 6390.\n",
    "队列.md": "# 队列\n\n我们决定发票队列的重试上限是七次，由周岚负责。\n",
    "retry.md": "# Retry\n\nWe decided that the invoice queue retries seven times, then parks.\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    for name, text in NOTES.items():
        (folder / "memory" / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def daemon(tmp_path: Path, workspace: Path) -> Iterator[Process]:
    with running(tmp_path / "d", workspaces=[workspace]) as process:
        process.call("index.sync", workspace=str(workspace))
        yield process


@pytest.fixture
def hooks(daemon: Process, tmp_path: Path) -> Hooks:
    return Hooks(socket=daemon.socket_path, state=tmp_path / "hooks", deadline_ms=10_000)


class Session:
    """One of Claude Code's, by the hooks that it runs."""

    def __init__(self, hooks: Hooks, workspace: Path, key: str) -> None:
        self._hooks = hooks
        self._common = {"session_id": key, "cwd": str(workspace)}

    def hook(self, name: str, **event: Any) -> str | None:
        ran = self._hooks("claude-code", {"hook_event_name": name, **self._common, **event})
        assert (ran.code, ran.err, self._hooks.log) == (0, b"", [])
        return ran.context

    def prompt(self, text: str) -> str | None:
        return self.hook("UserPromptSubmit", prompt=text)


@pytest.fixture
def session(hooks: Hooks, workspace: Path) -> Session:
    return Session(hooks, workspace, "s1")


def test_what_was_noted_is_shown_beside_the_prompt_that_asks_for_it(session: Session):
    english = session.prompt("what did we decide about the invoice queue?")
    assert english is not None
    assert "6390" in english
    chinese = session.prompt("我们之前决定发票队列的重试上限是多少？")
    assert chinese is not None
    assert "七次" in chinese


def test_a_prompt_that_asks_for_nothing_is_shown_nothing(session: Session):
    assert session.prompt("fix the typo in the footer") is None


def test_a_folder_that_the_daemon_does_not_know_is_shown_nothing(hooks: Hooks, tmp_path: Path):
    elsewhere = Session(hooks, tmp_path / "elsewhere", "s9")
    assert elsewhere.prompt("what did we decide about the invoice queue?") is None


@pytest.mark.parametrize("again", ["compact", "clear"])
def test_bc_30_what_was_shown_is_shown_again_only_after_the_host_forgot_it(
    session: Session, again: str
):
    asked = "what did we decide about the invoice queue?"
    first = session.prompt(asked)
    assert first is not None
    assert "6390" in first
    for later in (asked, "so what did we decide about the invoice queue, again?"):
        shown = session.prompt(later) or ""
        assert "6390" not in shown
    session.hook("SessionStart", source="resume")
    assert "6390" not in (session.prompt(asked) or "")
    session.hook("SessionStart", source=again)
    assert "6390" in (session.prompt(asked) or "")


def kept(daemon: Process, kind: str) -> list[dict[str, Any]]:
    """The payloads of the events of ``kind`` that the daemon keeps."""
    with closing(sqlite3.connect(f"file:{daemon.state / 'state.db'}?mode=ro", uri=True)) as store:
        rows = store.execute("SELECT payload FROM event WHERE kind = ? ORDER BY seq", (kind,))
        return [json.loads(payload) for (payload,) in rows]


def test_a_turn_is_kept_once_however_often_its_end_is_told(
    session: Session, daemon: Process, tmp_path: Path
):
    transcript = tmp_path / "t.jsonl"
    line = {"type": "user", "uuid": "u1", "message": {"role": "user", "content": "移动队列"}}
    transcript.write_text(json.dumps(line) + "\n", encoding="utf-8")
    stop = {"transcript_path": str(transcript), "stop_hook_active": False, "prompt_id": "p-1"}
    for _ in range(2):
        session.hook("Stop", **stop, last_assistant_message="移到 6391 了。")
    session.hook("Stop", **stop, last_assistant_message="还改了重试。")
    session.hook("StopFailure", **stop, error="rate_limit", last_assistant_message="API Error")
    turns = [(t["user"], t["assistant"], t["success"]) for t in kept(daemon, "session.turn")]
    assert turns == [
        ("移动队列", "移到 6391 了。", True),
        ("移动队列", "还改了重试。", True),
        ("移动队列", "", False),
    ]


def test_the_end_of_a_session_is_kept_though_nobody_waited_for_it(
    session: Session, daemon: Process
):
    session.hook("SessionStart", source="startup")
    session.hook("SessionEnd", reason="prompt_input_exit")
    until(lambda: bool(kept(daemon, "session.end")), what="the end of the session")
    assert kept(daemon, "session.end") == [{"reason": "prompt_input_exit"}]


def test_each_host_is_told_the_same_by_the_same_daemon(hooks: Hooks, workspace: Path):
    asked = "what did we decide about the invoice queue?"
    codex = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "c1",
        "turn_id": "t1",
        "cwd": str(workspace),
        "transcript_path": None,
        "model": "gpt-5-codex",
        "permission_mode": "default",
        "prompt": asked,
    }
    context = {"sessionKey": "agent:main:main", "agentId": "main", "workspaceDir": str(workspace)}
    openclaw = {"hook": "before_prompt_build", "event": {"prompt": asked}, "context": context}
    session = {"key": "e1", "workspace": str(workspace)}
    plain = {"method": "session.prompt", "params": {"session": session, "text": asked}}
    shown = [
        hooks("codex", codex).context,
        hooks("openclaw", openclaw).printed["prependSystemContext"],
        hooks("exec", plain).printed["context"],
    ]
    assert all("6390" in text for text in shown)
    assert hooks.log == []
