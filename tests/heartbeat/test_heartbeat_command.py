"""The delivery command, with real programs."""

import os
import sys
from pathlib import Path
from textwrap import dedent

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld.heartbeat.command import (
    MAX_OUTPUT_BYTES,
    REASON_CHARS,
    Delivery,
    arguments,
    deliver,
    problem_of,
)
from recalld.heartbeat.policy import DeliveryPolicy

ENVIRON = {"PATH": os.environ["PATH"], "KEPT": "yes"}
OK = Delivery(ok=True)
PLACES = ("{message}", "{owner}")


class Programs:
    """A folder of programs; each writes what it has to tell into ``told``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.told = root / "told"

    def command(self, body: str, *more: str) -> tuple[str, ...]:
        path = self.root / "program.py"
        head = f"import os, sys, time, subprocess\nTOLD = {str(self.told)!r}\n"
        head += "def tell(text):\n    with open(TOLD, 'w', encoding='utf-8') as f: f.write(text)\n"
        path.write_text(head + dedent(body), encoding="utf-8")
        return (sys.executable, "-I", "-S", str(path), *(more or PLACES))

    async def run(
        self, body: str, *more: str, message: str = "[Priority] 交房租", timeout_s: int = 30
    ) -> Delivery:
        policy = DeliveryPolicy(command=self.command(body, *more), timeout_s=timeout_s)
        return await deliver(policy, message=message, owner="ann", environ=ENVIRON)


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    return Programs(tmp_path)


async def test_the_program_gets_the_message_as_one_argument_and_its_end_is_the_answer(
    programs: Programs,
):
    message = "[Priority] 交房租; $(touch x) `y` 'z' \"w\" {owner}\nUrgency: critical"
    told = await programs.run("tell(repr(sys.argv[1:]))", message=message)
    assert told == OK
    assert programs.told.read_text("utf-8") == repr([message, "ann"])


async def test_another_status_is_a_failure_and_its_last_words_say_why(programs: Programs):
    key = "sk-" + "abcdefghijklmnopqrst1234567890ABCD"
    told = await programs.run(f"print('trying'); sys.exit('<no> chat for {key}\\u200b')")
    assert not told.ok
    assert told.reason.startswith("ended with status 1: <no> chat for [redacted:")
    assert key not in told.reason


async def test_a_failure_without_words_is_told_by_its_status(programs: Programs):
    assert await programs.run("sys.exit(3)") == Delivery(ok=False, reason="ended with status 3")
    told = await programs.run("os.kill(os.getpid(), 15)")
    assert told == Delivery(ok=False, reason="killed by signal 15")


async def test_it_reads_nothing_and_sees_only_the_given_environment(programs: Programs):
    body = "tell(sys.stdin.read() + '|'.join(sorted(set(os.environ) - {'LC_CTYPE'})))"
    assert await programs.run(body) == OK
    assert programs.told.read_text("utf-8") == "KEPT|PATH"


async def test_a_program_that_hangs_is_killed_in_time_with_all_that_it_started(
    programs: Programs,
):
    """The child outlives its parent's death and holds the pipe."""
    script = f"sleep 600 & echo $! > {programs.told}; wait"
    policy = DeliveryPolicy(command=("sh", "-c", script), timeout_s=2)
    began = anyio.current_time()
    told = await deliver(policy, message="m", owner="ann", environ=ENVIRON)
    assert told == Delivery(ok=False, reason="not done after 2 s")
    assert anyio.current_time() - began < 10
    await _gone(int(programs.told.read_text("utf-8")))


async def test_what_ignores_a_polite_end_is_killed_all_the_same(programs: Programs):
    body = "import signal; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
    assert (await programs.run(body, timeout_s=1)).reason == "not done after 1 s"


async def test_a_failed_program_leaves_nothing_behind(programs: Programs):
    body = """
        own = [sys.executable, '-I', '-S', '-c', 'import time; time.sleep(600)']
        tell(str(subprocess.Popen(own).pid))
        sys.exit(1)
    """
    assert not (await programs.run(body)).ok
    await _gone(int(programs.told.read_text("utf-8")))


async def test_what_a_good_program_left_to_do_is_done(programs: Programs):
    """A wrapper that sends in the background must not be counted as done and then killed."""
    later = f"import time; time.sleep(1); open({str(programs.told)!r}, 'w').write('sent')"
    body = f"subprocess.Popen([sys.executable, '-I', '-S', '-c', {later!r}])"
    assert await programs.run(body) == OK
    with anyio.fail_after(20):
        while not programs.told.exists() or not programs.told.read_text("utf-8"):
            await anyio.sleep(0.05)
    assert programs.told.read_text("utf-8") == "sent"


async def test_a_call_that_is_cancelled_kills_the_program(programs: Programs):
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(programs.run, "tell(str(os.getpid())); time.sleep(600)")
        with anyio.fail_after(20):
            while not programs.told.exists() or not programs.told.read_text("utf-8"):
                await anyio.sleep(0.02)
        tasks.cancel_scope.cancel()
    await _gone(int(programs.told.read_text("utf-8")))


async def test_much_output_is_no_fault_and_endless_output_is(programs: Programs):
    assert await programs.run(f"print('x' * {MAX_OUTPUT_BYTES // 2})") == OK
    told = await programs.run("while True: print('x' * 4096)")
    assert told == Delivery(ok=False, reason=f"printed over {MAX_OUTPUT_BYTES} bytes")


async def test_a_long_last_line_is_bounded(programs: Programs):
    told = await programs.run("print('错误 ' * 9000); sys.exit(2)")
    assert told.reason.startswith("ended with status 2: ")
    assert len(told.reason) <= REASON_CHARS


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("no-such-program-here", "{message}"), "cannot be started: No such file or directory"),
        (("/", "{message}"), "cannot be started: Permission denied"),
        ((), "heartbeat.delivery.command is not set"),
    ],
)
async def test_what_cannot_be_started_is_a_reason(command: tuple[str, ...], reason: str):
    policy = DeliveryPolicy(command=command)
    told = await deliver(policy, message="m", owner="ann", environ=ENVIRON)
    assert not told.ok
    assert reason in told.reason


@pytest.mark.parametrize("message", ["a\0b", "x" * 3_000_000, "\ud83d"])
async def test_what_no_program_can_take_is_a_reason(programs: Programs, message: str):
    told = await programs.run("pass", message=message)
    assert not told.ok
    assert "cannot be started" in told.reason


async def test_deliveries_at_once_do_not_mix(tmp_path: Path):
    several: dict[str, Delivery] = {}

    async def one(name: str) -> None:
        folder = tmp_path / name
        folder.mkdir()
        here = Programs(folder)
        several[name] = await here.run(
            f"tell(sys.argv[1]); sys.exit({'0' if name < 'c' else '1'})", message=name
        )

    async with anyio.create_task_group() as tasks:
        for name in "abcd":
            tasks.start_soon(one, name)
    assert {name: told.ok for name, told in several.items()} == {
        "a": True,
        "b": True,
        "c": False,
        "d": False,
    }
    assert [(tmp_path / name / "told").read_text("utf-8") for name in "abcd"] == list("abcd")


@pytest.mark.parametrize(
    ("template", "message", "argument"),
    [
        ("{message}", "[Priority] x", "[Priority] x"),
        ("{message}", "--help", " --help"),
        ("{message}", "-", " -"),
        ("--text={message}", "--help", "--text=--help"),
        ("-m{message}", "-x", "-m-x"),
        ("{owner}: {message}", "{owner}", "ann: {owner}"),
        ("{unknown} {}", "m", "{unknown} {}"),
    ],
)
def test_a_message_never_becomes_an_option_and_is_filled_in_once(
    template: str, message: str, argument: str
):
    assert arguments(("send", template), message=message, owner="ann") == ("send", argument)


@given(st.text(), st.text(alphabet="-ab{}message\\ "), st.sampled_from([*PLACES, "x {message}"]))
def test_no_message_adds_an_argument_or_an_option(message: str, other: str, template: str):
    for text in (message, other):
        made = arguments(("send", template, "--", template), message=text, owner="ann")
        assert len(made) == 4
        assert made[0] == "send"
        assert not made[1].startswith("-")
        assert made[1].endswith(text if "message" in template else "ann")


def test_the_program_itself_is_never_filled_in():
    assert arguments(("{message}",), message="rm", owner="ann") == ("{message}",)


@pytest.mark.parametrize(
    "command",
    [
        ("sh", "-c", "notify {message}"),
        ("/bin/bash", "-lc", "notify '{message}'"),
        ("env", "A=1", "bash", "-c", "notify {owner}"),
        ("python3", "-c", "print('{message}')"),
        ("node", "-e", "f('{message}')"),
        ("python3.11", "-Ic", "print('{message}')"),
        ("osascript", "-e", 'display notification "{message}"'),
        ("pwsh", "-Command", "Notify '{message}'"),
        ("su", "ann", "-c", "notify {message}"),
        ("su", "-s", "/bin/bash", "ann", "-c", "notify {message}"),
        ("bash", "-o", "pipefail", "-c", "notify {message}"),
        ("ssh", "desk", "notify-send", "{message}"),
    ],
)
async def test_a_message_is_never_run_as_a_script(command: tuple[str, ...]):
    told = await deliver(DeliveryPolicy(command=command), message="m", owner="ann", environ=ENVIRON)
    assert not told.ok
    assert "runs that text" in told.reason


@pytest.mark.parametrize(
    "command",
    [
        ("sh", "-c", 'notify "$1"', "sh", "{message}"),
        ("notify", "-c", "{owner}", "{message}"),
        ("python3", "send.py", "{message}"),
        ("bash", "./send", "-e", "{message}"),
        ("sh", "send.sh", "-c", "{owner}", "{message}"),
        ("send", "--to={owner}", "{message}"),
    ],
)
def test_a_message_as_an_argument_is_fine(command: tuple[str, ...]):
    assert problem_of(command) == ""


async def test_a_script_that_takes_it_as_an_argument_reads_it(tmp_path: Path):
    command = ("sh", "-c", f'printf %s "$1" > {tmp_path}/told', "sh", "{message}")
    told = await deliver(
        DeliveryPolicy(command=command), message="$(id) '\"", owner="ann", environ=ENVIRON
    )
    assert told == OK
    assert (tmp_path / "told").read_text("utf-8") == "$(id) '\""


def test_an_owner_that_looks_like_an_option_is_refused():
    assert "option" in problem_of(("send", "{owner}", "{message}"), "--all")
    assert problem_of(("send", "--to={owner}"), "--all") == ""


def _is_running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text("utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False


async def _gone(pid: int) -> None:
    """A killed process takes a moment to end."""
    with anyio.fail_after(10):
        while _is_running(pid):
            await anyio.sleep(0.02)
