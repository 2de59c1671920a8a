"""A hook never holds up its host, whatever it is called with and whatever it reads."""

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recalld.client.hooks import HOSTS, module_of
from support.hooking import RUN, Hooks, overhead_s
from support.scripted import scripted_daemon

PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "fix the footer"}
DEADLINE_MS = 200


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    """Nobody listens where these look."""
    return Hooks(socket=tmp_path / "none", state=tmp_path / "state", deadline_ms=DEADLINE_MS)


@pytest.mark.parametrize(
    "arguments",
    [[], ["nano"], ["claude-code", "a prompt"], ["codex", "--socket"], ["exec", "--config="]],
)
def test_called_without_a_host_it_tells_the_person_which_there_are(hooks, arguments):
    ran = subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        input=b'{"prompt": "fix the typo"}',
        capture_output=True,
        env=hooks.environ(),
        timeout=20,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert ran.stderr.count(b"\n") == 1
    assert all(host.encode() in ran.stderr for host in HOSTS)
    assert len(hooks.log) == 1
    assert "prompt" not in hooks.log[0]


@pytest.mark.parametrize(
    "arguments",
    [
        ["claude-code", "--socket", "{socket}"],
        ["--socket={socket}", "--json", "claude-code"],
        ["--config", "{file}", "claude-code"],
        ["claude-code", "--config", "{file}.gone", "--socket", "{socket}"],
    ],
)
def test_the_daemon_may_be_named_on_the_command_line(tmp_path: Path, arguments: list[str]):
    file = tmp_path / "config.toml"
    with scripted_daemon(tmp_path / "s", {}) as daemon:
        file.write_text(f'[server]\nsocket = "{daemon.path}"\n', encoding="utf-8")
        hooks = Hooks(socket=tmp_path / "none", state=tmp_path / "state")
        environ = hooks.environ()
        if "--config" in arguments[0]:
            del environ["RECALLD_SOCKET"]
        named = [each.format(socket=daemon.path, file=file) for each in arguments]
        ran = subprocess.run(
            [sys.executable, "-c", RUN, *named],
            input=json.dumps(PROMPT).encode(),
            capture_output=True,
            env=environ,
            timeout=20,
            check=False,
        )
    assert (ran.returncode, ran.stderr, hooks.log) == (0, b"", [])
    assert [asked["text"] for asked in daemon.seen("session.prompt")] == ["fix the footer"]


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_asked_for_help_it_says_how_it_is_called_and_notes_no_fault(hooks, flag):
    ran = subprocess.run(
        [sys.executable, "-c", RUN, flag],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=hooks.environ(),
        timeout=20,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert ran.stderr.startswith(b"recalld-hook HOST, with one event on standard input")
    assert all(host.encode() in ran.stderr for host in HOSTS)
    assert hooks.log == []


@pytest.mark.parametrize("host", HOSTS)
def test_each_host_is_a_file_with_a_host_in_it(host: str):
    home = __import__(f"recalld.client.hooks.{module_of(host)}", fromlist=["HOST"])
    assert callable(home.HOST.plan)
    assert callable(home.HOST.answer)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"   \n",
        b"not json",
        b"[1, 2]",
        b'"text"',
        b"null",
        b"{",
        b'{"a": 1}{"b": 2}',
        b'{"prompt": "half',
        b"\0" * 1_000,
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a": ' + b"9" * 10_000 + b"}",
        b'{"hook_event_name": "UserPromptSubmit"}',
        b'{"hook_event_name": {}, "session_id": []}',
        b'{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": {"a": 1}}',
        b'{"method": "session.prompt"}',
        b'{"hook": "agent_end", "event": {}, "context": {}}',
    ],
    ids=lambda data: str(data[:24]),
)
def test_bad_input_prints_nothing_and_ends_in_zero(hooks, host: str, data: bytes):
    ran = hooks(host, data)
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    assert len(hooks.log) <= 1


@pytest.mark.parametrize(
    "prompt",
    [
        "\0 NUL 与\0\0",
        "\ud800 lone \udfff",
        "x" * 5_000_000,
        "长" * 200_000,
        "\x01" * 200_000,
        "</recall-context>",
        "\u2028\x85\x0b",
        "",
    ],
    ids=["nul", "surrogates", "5 MB", "long zh", "controls", "tag", "breaks", "empty"],
)
def test_any_prompt_reaches_the_daemon_as_one_line_and_comes_back_as_one_json(
    tmp_path: Path, prompt: str
):
    answer: dict[str, object] = {"context": "<r>端口\ud800</r>", "recovery": None}
    with scripted_daemon(tmp_path / "s", {"session.prompt": answer}) as daemon:
        ran = Hooks(socket=daemon.path, state=tmp_path / "state")("claude-code", say(prompt))
    (saw,) = daemon.seen("session.prompt")
    assert isinstance(saw["text"], str)
    assert saw["text"][:1] == prompt[:1].encode("utf-8", "replace").decode()
    assert len(saw["text"]) <= 256 * 1_024
    assert ran.context == "<r>端口?</r>"
    assert (ran.code, ran.err) == (0, b"")


def say(prompt: str) -> bytes:
    return json.dumps({**PROMPT, "prompt": prompt}).encode()


def test_an_input_of_any_size_is_taken_off_the_hosts_hands(hooks):
    ran = hooks("claude-code", b" " * (20 << 20))
    assert (ran.code, ran.out) == (0, b"")
    assert len(hooks.log) == 1


def test_bytes_that_are_no_text_cost_their_letters_and_not_the_prompt(tmp_path: Path):
    with scripted_daemon(tmp_path / "s", {}) as daemon:
        hooks = Hooks(socket=daemon.path, state=tmp_path / "state")
        hooks("claude-code", b"\xef\xbb\xbf" + say("AB").replace(b"AB", b"\xffB"))
    assert daemon.seen("session.prompt")[0]["text"] == "�B"


def test_an_input_that_never_comes_is_given_up_in_time(hooks):
    overhead = overhead_s(hooks.environ(), DEADLINE_MS / 1_000)
    ran = hooks("claude-code", None)
    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    assert ran.took_s <= DEADLINE_MS / 1_000 + 0.05 + overhead
    assert "did not end in time" in hooks.log[0]


def test_an_input_that_stops_half_way_is_given_up_in_time(hooks):
    ran = hooks.fed("claude-code", lambda pipe: os.write(pipe, say("half")[:-1]))
    assert (ran.code, ran.out) == (0, b"")
    assert "did not end in time" in hooks.log[0]


def test_a_whole_event_is_answered_though_its_pipe_stays_open(tmp_path: Path):
    with scripted_daemon(tmp_path / "s", {"session.prompt": {"context": "<r>a</r>"}}) as daemon:
        hooks = Hooks(socket=daemon.path, state=tmp_path / "state", deadline_ms=10_000)
        ran = hooks.fed("claude-code", lambda pipe: os.write(pipe, say("whole") + b"\n"))
    assert ran.context == "<r>a</r>"
    assert ran.took_s < 5


def shell(hooks: Hooks, redirection: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = f"exec {shlex.quote(sys.executable)} -c {shlex.quote(RUN)} claude-code {redirection}"
    return subprocess.run(
        ["sh", "-c", command],
        input=data,
        capture_output=True,
        env=hooks.environ(),
        timeout=20,
        check=False,
    )


@pytest.mark.parametrize("redirection", ["<&-", "</dev/null", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors_end_in_zero(hooks, redirection: str):
    ran = shell(hooks, redirection)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_a_closed_output_is_not_mistaken_for_the_daemons_socket(tmp_path: Path):
    with scripted_daemon(tmp_path / "s", {"session.prompt": {"context": "<r>a</r>"}}) as daemon:
        hooks = Hooks(socket=daemon.path, state=tmp_path / "state")
        ran = shell(hooks, ">&-", say("x"))
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert [request["method"] for request in daemon.requests] == ["session.prompt"]
    assert "the host does not listen" in hooks.log[0]


def test_a_host_that_hung_up_is_no_failure(tmp_path: Path):
    with scripted_daemon(tmp_path / "s", {"session.prompt": {"context": "<r>a</r>"}}) as daemon:
        hooks = Hooks(socket=daemon.path, state=tmp_path / "state")
        reader, writer = os.pipe()
        os.close(reader)
        child = subprocess.Popen(
            [sys.executable, "-c", RUN, "claude-code"],
            stdin=subprocess.PIPE,
            stdout=writer,
            stderr=subprocess.PIPE,
            env=hooks.environ(),
        )
        os.close(writer)
        _, err = child.communicate(say("x"), timeout=20)
    assert (child.returncode, err) == (0, b"")
    assert "the host does not listen" in hooks.log[0]


def test_a_host_that_does_not_read_is_left_at_the_deadline(tmp_path: Path):
    """A pipe that is full already takes nothing: the process ends all the same."""
    with scripted_daemon(tmp_path / "s", {"session.prompt": {"context": "<r>a</r>"}}) as daemon:
        hooks = Hooks(socket=daemon.path, state=tmp_path / "state", deadline_ms=DEADLINE_MS)
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        try:
            while True:
                os.write(writer, b"x" * 65_536)
        except BlockingIOError:
            os.set_blocking(writer, True)
        child = subprocess.Popen(
            [sys.executable, "-c", RUN, "claude-code"],
            stdin=subprocess.PIPE,
            stdout=writer,
            env=hooks.environ(),
        )
        began = time.perf_counter()
        child.communicate(say("x"), timeout=20)
        took_s = time.perf_counter() - began
        os.close(reader)
        os.close(writer)
    assert child.returncode == 0
    assert took_s <= DEADLINE_MS / 1_000 + 0.05 + overhead_s(hooks.environ(), 0.2)


@pytest.mark.parametrize("told", ["soon", "0", "49", "60001", "-5", "1e3", ""])
def test_a_deadline_that_is_none_is_the_usual_one_and_said_in_the_log(tmp_path: Path, told: str):
    with scripted_daemon(tmp_path / "s", {}) as daemon:
        hooks = Hooks(socket=daemon.path, state=tmp_path / "state")
        environ = hooks.environ(RECALLD_HOOK__DEADLINE_MS=told)
        ran = hooks("claude-code", say("x"), environ)
    (saw,) = daemon.seen("session.prompt")
    assert isinstance(saw["budget_ms"], int)
    assert 500 < saw["budget_ms"] <= 1_440
    assert (ran.code, ran.out) == (0, b"")
    assert len(hooks.log) == (1 if told else 0)


def test_the_deadline_counts_from_where_the_process_began(tmp_path: Path):
    """What runs before the hook in the same process, an interpreter or a wrapper, is waited for."""
    before = "import os, sys, select; select.select([], [], [], 0.5)"
    code = f"{before}; os.execv(sys.executable, [sys.executable, '-c', {RUN!r}, 'claude-code'])"
    with scripted_daemon(tmp_path / "s", {}) as daemon:
        hooks = Hooks(socket=daemon.path, state=tmp_path / "state", deadline_ms=10_000)
        subprocess.run(
            [sys.executable, "-c", code], input=say("x"), env=hooks.environ(), check=True
        )
    (saw,) = daemon.seen("session.prompt")
    assert isinstance(saw["budget_ms"], int)
    assert 5_000 < saw["budget_ms"] <= 9_500
