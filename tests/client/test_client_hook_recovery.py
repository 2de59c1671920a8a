"""Where the work stands, through ``recalld-hook claude-code`` over the daemon itself.

A task of several steps, a new session, and the questions people ask then.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Process, running
from support.e2e import until
from support.hooking import Hooks

QUESTIONS = ("刚才我们说到哪了", "continue", "what were we doing?", "继续", "resume")
CHECKPOINT = """# Current State
> Last updated: {at}

## Objective
Build the invoice gateway 发票网关

## Current Step
The refresh endpoint is half done

## Key Decisions
- RS256 signs the tokens (user approved)
- Access lasts 15 minutes

## Next Action
Implement POST /auth/refresh

## Blockers
None

## Unsurfaced Results
None
"""
AT = "2026-01-05T14:30:00Z"
OBJECTIVE, STEP, NEXT = "发票网关", "refresh endpoint is half done", "POST /auth/refresh"
TURNS = (
    ("给发票网关加上 JWT 登录", "先生成 RS256 密钥。下一步写 /auth/login。"),
    ("用 RS256，不用 HS256", "好，决定用 RS256。/auth/login 写完了，接下来是 /auth/refresh。"),
    ("刷新令牌七天有效", "记下了：刷新令牌七天。正在写 /auth/refresh，还差吊销。"),
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory" / "ports.md").write_text(
        "# Ports\n\nWe decided that the invoice gateway listens on port 9410.\n", encoding="utf-8"
    )
    return folder


@pytest.fixture
def daemon(tmp_path: Path, workspace: Path) -> Iterator[Process]:
    with running(tmp_path / "d", workspaces=[workspace]) as process:
        process.call("index.sync", workspace=str(workspace))
        yield process


class Claude:
    """Claude Code in one folder: it keeps a transcript for each session and runs our hooks."""

    def __init__(self, hooks: Hooks, workspace: Path, home: Path) -> None:
        self._hooks = hooks
        self._workspace = workspace
        self._home = home
        self._sessions = 0
        self._prompts = 0
        self._spoken: Path = home / "none.jsonl"

    def hook(self, name: str, **event: Any) -> str | None:
        """What the model is shown by it."""
        common = {
            "session_id": f"session-{self._sessions}",
            "cwd": str(self._workspace),
            "transcript_path": str(self._spoken),
            "hook_event_name": name,
        }
        ran = self._hooks("claude-code", common | event)
        assert (ran.code, ran.err, self._hooks.log) == (0, b"", [])
        return ran.context

    def start(self, source: str) -> str | None:
        """A session of its own, but for one that goes on."""
        if source not in ("compact", "resume"):
            self._sessions += 1
            self._spoken = self._home / f"{self._sessions}.jsonl"
        return self.hook("SessionStart", source=source)

    def prompt(self, text: str) -> str | None:
        self._prompts += 1
        self._say("user", text)
        return self.hook("UserPromptSubmit", prompt=text, prompt_id=f"p{self._prompts}")

    def answer(self, text: str) -> None:
        self._say("assistant", [{"type": "text", "text": text}])
        stop = {"stop_hook_active": False, "last_assistant_message": text}
        assert self.hook("Stop", prompt_id=f"p{self._prompts}", **stop) is None

    def clear(self) -> str | None:
        """``/clear``: this host's ``/new``."""
        assert self.hook("SessionEnd", reason="clear") is None
        return self.start("clear")

    def _say(self, role: str, content: object) -> None:
        line = {"type": role, "uuid": f"u{self._prompts}", "message": {"content": content}}
        with self._spoken.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")


@pytest.fixture
def claude(daemon: Process, workspace: Path, tmp_path: Path) -> Claude:
    hooks = Hooks(socket=daemon.socket_path, state=tmp_path / "hooks", deadline_ms=10_000)
    return Claude(hooks, workspace, tmp_path)


def checkpoint_of(workspace: Path) -> Path:
    return workspace / "memory" / "CURRENT_STATE.md"


def archived(workspace: Path) -> list[Path]:
    return sorted((workspace / "memory" / "session_archive").glob("*.md"))


def work(claude: Claude) -> None:
    """The task of several steps; the agent keeps no checkpoint of its own."""
    assert claude.start("startup") is None
    for user, assistant in TURNS:
        claude.prompt(user)
        claude.answer(assistant)


def test_after_a_new_session_the_agents_own_checkpoint_says_where_the_work_stands(
    claude: Claude, workspace: Path
):
    work(claude)
    checkpoint_of(workspace).write_text(CHECKPOINT.format(at=AT), encoding="utf-8")
    begun = claude.clear()
    assert begun is not None
    assert all(part in begun for part in (OBJECTIVE, STEP, NEXT))
    for question in QUESTIONS:
        told = claude.prompt(question)
        assert told is not None, question
        assert told.index("CONTINUITY SNAPSHOT") < told.index(OBJECTIVE) < told.index(NEXT)
    # The live file stays, and a copy of it is kept.
    assert checkpoint_of(workspace).read_text(encoding="utf-8") == CHECKPOINT.format(at=AT)
    until(lambda: bool(archived(workspace)), what="the copy of the checkpoint")
    assert OBJECTIVE in archived(workspace)[-1].read_text(encoding="utf-8")


def test_without_a_checkpoint_of_the_agents_the_turns_say_where_the_work_stands(
    claude: Claude, workspace: Path
):
    work(claude)
    claude.hook("SessionEnd", reason="clear")
    file = checkpoint_of(workspace)
    until(lambda: file.exists() and "网关" in file.read_text("utf-8"), what="the checkpoint")
    assert "网关" in (claude.start("clear") or "")
    told = claude.prompt("刚才我们说到哪了")
    assert told is not None
    assert "网关" in told
    assert "refresh" in told


def test_the_snapshot_comes_first_and_what_was_recalled_after_it(claude: Claude, workspace: Path):
    checkpoint_of(workspace).write_text(CHECKPOINT.format(at=AT), encoding="utf-8")
    claude.start("startup")
    claude.hook("PreCompact", trigger="auto")
    claude.hook("PostCompact", trigger="auto")
    told = claude.prompt("what did we decide about the port of the invoice gateway?")
    assert told is not None
    assert told.startswith("CONTINUITY SNAPSHOT")
    assert told.index(NEXT) < told.index("<recall-context") < told.index("9410")


def test_s2_22_what_was_decided_is_recalled_and_what_is_being_done_is_continued(
    claude: Claude, workspace: Path
):
    checkpoint_of(workspace).write_text(CHECKPOINT.format(at=AT), encoding="utf-8")
    claude.start("startup")
    decided = claude.prompt("what did we decide before about the port of the invoice gateway?")
    assert decided is not None
    assert "9410" in decided
    assert "CONTINUITY SNAPSHOT" not in decided
    doing = claude.prompt("what are we doing right now?")
    assert doing is not None
    assert OBJECTIVE in doing


def test_an_ordinary_prompt_is_not_told_where_the_work_stands(claude: Claude, workspace: Path):
    checkpoint_of(workspace).write_text(CHECKPOINT.format(at=AT), encoding="utf-8")
    claude.start("startup")
    for text in ("fix the typo in the footer", "你好", "thanks!"):
        assert claude.prompt(text) is None, text


def test_a_session_that_starts_is_told_whatever_it_starts_from(claude: Claude, workspace: Path):
    checkpoint_of(workspace).write_text(CHECKPOINT.format(at=AT), encoding="utf-8")
    for source in ("startup", "resume", "clear", "compact", "fork"):
        assert OBJECTIVE in (claude.start(source) or ""), source


@pytest.mark.parametrize("trigger", ["manual", "auto"])
def test_after_a_compaction_the_agent_is_told_once(claude: Claude, workspace: Path, trigger: str):
    work(claude)
    claude.hook("PreCompact", trigger=trigger, custom_instructions=None)
    # It answers only when the checkpoint is on disk.
    assert "网关" in checkpoint_of(workspace).read_text(encoding="utf-8")
    claude.hook("PostCompact", trigger=trigger, compact_summary="Wrote login, refresh is next.")
    assert "网关" in (claude.start("compact") or "")
    assert "CONTINUITY SNAPSHOT" not in (claude.prompt("fix the typo in the footer") or "")


def test_where_no_start_follows_a_compaction_the_next_prompt_is_told_once(
    claude: Claude, workspace: Path
):
    work(claude)
    claude.hook("PreCompact", trigger="auto", custom_instructions=None)
    claude.hook("PostCompact", trigger="auto")
    assert "网关" in (claude.prompt("fix the typo in the footer") or "")
    assert "CONTINUITY SNAPSHOT" not in (claude.prompt("fix the typo in the header") or "")
    assert checkpoint_of(workspace).exists()


def test_s2_21_what_a_sub_agent_found_is_shown_once(claude: Claude, workspace: Path):
    checkpoint_of(workspace).write_text(CHECKPOINT.format(at=AT), encoding="utf-8")
    claude.start("startup")
    found = "Three callers still use HS256: billing.py, export.py, cron.py"
    child = {"agent_id": "a90c0797", "agent_type": "Explore", "last_assistant_message": found}
    assert claude.hook("SubagentStop", **child) is None
    assert "HS256" in (claude.prompt("fix the typo in the footer") or "")
    assert "HS256" not in (claude.prompt("fix the typo in the header") or "")


def test_s2_10_without_work_under_way_the_question_is_answered_so(claude: Claude):
    assert claude.start("startup") is None
    told = claude.prompt("what were we doing?")
    assert told is not None
    assert OBJECTIVE not in told
    assert claude.prompt("hello") is None
