"""The hook's log: one line, bounded, private, and never a reason for anything to fail."""

import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recalld.client.hooks._note import MOST_BYTES, log_path, note
from support.hooking import Hooks

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (?P<who>[^:]+): (?P<why>.+)\Z")
PROMPT = {
    "hook_event_name": "UserPromptSubmit",
    "session_id": "s1",
    "prompt": "我的密码是 hunter2-hunter2",
    "cwd": "/home/user/secret-project",
}


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({"RECALLD_STATE_DIR": "/s", "XDG_STATE_HOME": "/x"}, "/s/hook.log"),
        ({"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/recalld/hook.log"),
        ({"XDG_STATE_HOME": "x", "HOME": "/h"}, "/h/.local/state/recalld/hook.log"),
        ({"HOME": "/h"}, "/h/.local/state/recalld/hook.log"),
        ({"RECALLD_STATE_DIR": "relative"}, ""),
    ],
)
def test_the_log_lies_in_the_state_directory(environ: dict[str, str], path: str):
    assert log_path(environ) == path


def test_a_dead_daemon_leaves_one_private_line_without_the_prompt(tmp_path: Path):
    hooks = Hooks(socket=tmp_path / "none", state=tmp_path / "new" / "state")
    ran = hooks("claude-code", PROMPT)
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    (line,) = hooks.log
    found = LINE.match(line)
    assert found is not None
    assert found["who"] == "claude-code UserPromptSubmit"
    assert found["why"].startswith(f"no daemon at {tmp_path}/none: no such file or directory (")
    assert "hunter2" not in line
    assert "secret-project" not in line
    assert stat.S_IMODE((hooks.state / "hook.log").stat().st_mode) == 0o600
    assert stat.S_IMODE(hooks.state.stat().st_mode) == 0o700


def note_in(state: Path, why: str = "nothing", who: str = "exec") -> Path:
    note({"RECALLD_STATE_DIR": str(state)}, who, why)
    return state / "hook.log"


def test_a_line_is_one_line_of_bounded_length(tmp_path: Path):
    log = note_in(tmp_path, "a\nb\r\x1b[31m\0\u2028" + "长" * 10_000, who="exec\n")
    (line,) = log.read_text(encoding="utf-8").splitlines()
    assert len(line) <= 400
    assert "a?b??[31m??长" in line


def test_the_log_is_bounded_and_one_older_one_is_kept(tmp_path: Path):
    for number in range(3 * MOST_BYTES // 300):
        log = note_in(tmp_path, f"{number:05d} " + "x" * 300)
    older = tmp_path / "hook.log.1"
    assert 0 < log.stat().st_size <= MOST_BYTES
    assert 0 < older.stat().st_size <= MOST_BYTES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hook.log", "hook.log.1"]
    lines = (older.read_text() + log.read_text()).splitlines()
    numbers = [int(line.split()[2]) for line in lines]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_hooks_that_fail_at_once_lose_no_line(tmp_path: Path):
    with ThreadPoolExecutor(8) as many:
        list(many.map(lambda number: note_in(tmp_path, f"number {number}"), range(200)))
    lines = (tmp_path / "hook.log").read_text().splitlines()
    assert len({LINE.match(line)["why"] for line in lines}) == 200  # type: ignore[index]


def test_a_link_is_not_followed(tmp_path: Path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "state").mkdir()
    (tmp_path / "state/hook.log").symlink_to(victim)
    note_in(tmp_path / "state")
    assert victim.read_text() == "mine"


def test_a_second_name_of_another_file_is_not_written_to(tmp_path: Path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "hook.log").hardlink_to(victim)
    note_in(tmp_path)
    assert victim.read_text() == "mine"


def test_a_pipe_in_its_place_holds_nobody_up(tmp_path: Path):
    os.mkfifo(tmp_path / "hook.log")
    hooks = Hooks(socket=tmp_path / "none", state=tmp_path, deadline_ms=2_000)
    ran = hooks("claude-code", PROMPT)
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    assert ran.took_s < 2


@pytest.mark.parametrize("obstacle", ["a file for a directory", "a directory for the log"])
def test_a_log_that_cannot_be_is_no_failure(tmp_path: Path, obstacle: str):
    if obstacle.startswith("a file"):
        (tmp_path / "state").write_text("")
    else:
        (tmp_path / "state/hook.log").mkdir(parents=True)
    ran = Hooks(socket=tmp_path / "none", state=tmp_path / "state")("claude-code", PROMPT)
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")


def test_a_log_that_cannot_be_moved_away_does_not_grow(tmp_path: Path):
    (tmp_path / "hook.log.1").mkdir()
    (tmp_path / "hook.log.1/full").touch()
    log = tmp_path / "hook.log"
    log.write_bytes(b"x" * MOST_BYTES)
    note_in(tmp_path)
    assert log.stat().st_size == MOST_BYTES


def test_a_place_where_nothing_can_be_made_is_no_failure():
    note_in(Path("/proc/nobody"))
    assert not Path("/proc/nobody").exists()
