"""``recalld install`` as people run it: what it prints, what it exits with, what it leaves."""

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from recalld.install.targets import TARGETS


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A user with an installation of their own, in a folder with a space in its name."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def hook(self) -> Path:
        return self.root / "my venv" / "bin" / "recalld-hook"

    def environ(self, **more: str) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            **more,
        }

    def command(self, *arguments: str) -> list[str]:
        return [str(self.hook.with_name("python")), "-m", "recalld", "install", *arguments]

    def install(self, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.command(*arguments),
            capture_output=True,
            text=True,
            check=False,
            env=self.environ(**more),
        )


@pytest.fixture
def person(tmp_path: Path) -> Person:
    someone = Person(root=tmp_path)
    someone.home.mkdir()
    someone.hook.parent.mkdir(parents=True)
    for name in ("recalld", "recalld-hook"):
        script = someone.hook.with_name(name)
        script.write_text("#!/bin/sh\ncat >/dev/null\n", encoding="utf-8")
        script.chmod(0o755)
    someone.hook.with_name("python").symlink_to(sys.executable)
    return someone


@pytest.fixture
def settings(person: Person) -> Path:
    file = person.home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text('{\n  "model": "opus" // mine\n}\n', encoding="utf-8")
    return file


def test_it_shows_the_difference_and_says_what_comes_next(person: Person, settings: Path):
    before = settings.read_text(encoding="utf-8")
    ran = person.install("claude-code")
    assert ran.returncode == 0
    lines = ran.stdout.split("\n")
    assert lines[:2] == [f"--- {settings}", f"+++ {settings}"]
    assert '-  "model": "opus" // mine' in lines
    assert '+  "model": "opus", // mine' in lines
    added = [line[1:] for line in lines if line.startswith("+") and not line.startswith("+++")]
    assert [line for line in settings.read_text(encoding="utf-8").split("\n") if line in added]
    assert ran.stdout.endswith(
        f"changed {settings}\n"
        "Claude Code, next:\n"
        "  start a new Claude Code session; /hooks lists what runs\n"
    )
    assert "warning: " in ran.stderr
    assert "line 2, column 20 is no plain JSON" in ran.stderr
    again = person.install("claude-code")
    assert (again.returncode, again.stdout) == (
        0,
        f"nothing to do: {settings} is as it should be\n",
    )
    gone = person.install("claude-code", "--uninstall")
    assert gone.returncode == 0
    assert f"changed {settings}\n" in gone.stdout
    assert settings.read_text(encoding="utf-8") == before
    empty = person.install("claude-code", "--uninstall")
    assert empty.stdout == f"nothing to do: {settings} holds nothing of recalld's\n"
    assert empty.returncode == 0


def test_the_command_runs_as_the_host_would_run_it(person: Person):
    person.install("claude-code")
    file = person.home / ".claude" / "settings.json"
    hooks = json.loads(file.read_text(encoding="utf-8"))["hooks"]
    (command,) = {groups[0]["hooks"][0]["command"] for groups in hooks.values()}
    assert shlex.split(command) == [str(person.hook), "claude-code"]
    ran = subprocess.run(["sh", "-c", command], input=b"{}", capture_output=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


@pytest.mark.parametrize("arguments", [[], ["--uninstall"]])
def test_a_dry_run_shows_and_does_not_write(person: Person, settings: Path, arguments: list[str]):
    if arguments:
        person.install("claude-code")
    before = settings.read_bytes()
    ran = person.install("claude-code", "--dry-run", *arguments)
    assert ran.returncode == 0
    assert ran.stdout.startswith(f"--- {settings}\n")
    assert ran.stdout.endswith(f"dry run: {settings} would be changed\n")
    assert settings.read_bytes() == before


@pytest.mark.parametrize("name", TARGETS)
def test_json_is_one_line(person: Person, name: str):
    ran = person.install(name, "--json")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("\n") == 1
    found = json.loads(ran.stdout)
    assert found["target"] == name
    if name == "skill":
        assert found["text"].startswith("---\nname: ")
        return
    assert (found["changed"], found["uninstall"], found["dry_run"]) == (True, False, False)
    assert found["next"] != []
    for file in found["files"]:
        assert file["change"] == "created"
        assert file["diff"].startswith("--- /dev/null\n+++ /")
        assert Path(file["real"]).is_file()


def test_a_refusal_is_one_line_and_one(person: Person, settings: Path):
    settings.write_text('{"a": 1,\n "a": 2}', encoding="utf-8")
    said = f"{settings}: line 2, column 2: the key a is given twice; nothing was changed"
    ran = person.install("claude-code")
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", f"recalld: {said}\n")
    ran = person.install("claude-code", "--json")
    assert ran.returncode == 1
    assert json.loads(ran.stdout) == {"error": {"code": 1, "message": said}}
    assert ran.stdout.count("\n") == 1


def test_openclaw_is_refused_while_its_own_memory_is_on(person: Person):
    file = person.home / ".openclaw" / "openclaw.json"
    file.parent.mkdir()
    text = "{ plugins: { entries: { 'active-memory': { enabled: true } } } }"
    file.write_text(text, encoding="utf-8")
    ran = person.install("openclaw")
    assert ran.returncode == 1
    assert "plugins.entries.active-memory.enabled is true" in ran.stderr
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "Missing argument"),
        (["emacs"], "'emacs' is none of"),
        (["claude-code", "--force"], "No such option"),
        (["skill", "--uninstall"], "nothing to uninstall"),
        (["claude-code", "codex"], "unexpected extra argument"),
    ],
)
def test_a_usage_error_is_two(person: Person, arguments: list[str], complaint: str):
    ran = person.install(*arguments)
    assert ran.returncode == 2
    assert complaint in " ".join(ran.stderr.replace("│", " ").split())
    assert list(person.home.iterdir()) == []


@pytest.mark.parametrize("arguments", [[], ["--dry-run"]])
def test_the_skill_is_printed_and_nothing_is_written(person: Person, arguments: list[str]):
    ran = person.install("skill", *arguments)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("---\nname: recalld-continuity\n")
    assert "刚才我们说到哪了" in ran.stdout
    assert list(person.home.iterdir()) == []


def test_the_places_that_hosts_read_from_the_environment_count(person: Person):
    for name, variable, file in (
        ("claude-code", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("openclaw", "OPENCLAW_STATE_DIR", "openclaw.json"),
    ):
        folder = person.root / name
        assert person.install(name, **{variable: str(folder)}).returncode == 0
        assert (folder / file).is_file()
    state = person.root / "state"
    person.install("codex", RECALLD_STATE_DIR=str(state))
    assert len(list((state / "install").iterdir())) == 1


def test_a_file_behind_a_link_is_named_with_the_place_it_lies_in(person: Person, settings: Path):
    real = person.home / "dotfiles.json"
    settings.rename(real)
    settings.symlink_to(real)
    ran = person.install("claude-code")
    assert f"changed {settings} (in {real})\n" in ran.stdout
    assert settings.is_symlink()


def test_a_socket_that_hooks_would_miss_is_said(person: Person):
    config = person.home / ".config" / "recalld" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[server]\nsocket = "/run/mine.sock"\n', encoding="utf-8")
    ran = person.install("codex")
    assert ran.returncode == 0
    assert "set RECALLD_SOCKET=/run/mine.sock where the host is started" in ran.stderr
    ran = person.install("codex", RECALLD_SOCKET="/run/mine.sock")
    assert ran.stderr == ""


def test_an_old_claude_code_is_asked_for_its_version(person: Person):
    claude = person.root / "tools" / "claude"
    claude.parent.mkdir()
    claude.write_text("#!/bin/sh\necho '2.1.70 (Claude Code)'\n", encoding="utf-8")
    claude.chmod(0o755)
    path = f"{claude.parent}:/usr/bin:/bin"
    ran = person.install("claude-code", PATH=path)
    assert "PostCompact is left out: it takes Claude Code 2.1.76" in ran.stderr
    settings = person.home / ".claude" / "settings.json"
    assert "PostCompact" not in settings.read_text(encoding="utf-8")
    claude.write_text("#!/bin/sh\necho 'no number'; exit 3\n", encoding="utf-8")
    assert person.install("claude-code", PATH=path).stderr == ""
    assert "PostCompact" in settings.read_text(encoding="utf-8")


def test_many_at_once_leave_one_good_file(person: Person, settings: Path):
    before = settings.read_bytes()
    running = [
        subprocess.Popen(
            person.command("claude-code"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=person.environ(),
        )
        for _ in range(4)
    ]
    codes = [process.wait(60) for process in running]
    assert 0 in codes
    assert set(codes) <= {0, 1}
    assert settings.read_text(encoding="utf-8").count("recalld-hook") == 7
    assert person.install("claude-code", "--uninstall").returncode == 0
    assert settings.read_bytes() == before
