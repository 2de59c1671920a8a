"""The program that brings a message to the user: an argument list, no shell, a deadline."""

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

import anyio
from anyio.abc import Process

from recalld.heartbeat.escape import plain
from recalld.heartbeat.policy import DeliveryPolicy

KEY = "heartbeat.delivery.command"
MAX_OUTPUT_BYTES = 1_048_576
# Its last words tell why it failed.
KEPT_BYTES = 4_096
REASON_CHARS = 200
# Of a program that ended: what it printed last, while its children may still hold the pipe.
DRAINING_S = 0.2
# Of one that was killed.
REAPING_S = 1.0

_PLACE = re.compile(r"\{(message|owner)\}")
# Programs that run a text they are given, with the option before that text.
_RUNS_TEXT = re.compile(
    r"(?:ba|da|z|k|fi|c|tc)?sh|su|python[\d.]*|perl[\d.]*|ruby[\d.]*|node|php|osascript|pwsh"
)
_TEXT_FOLLOWS = re.compile(r"-[A-Za-z]*[cer]|--?(?:eval|command)", re.IGNORECASE)
# All that these are given is put together and run by a shell at the other end.
_RUNS_ALL = frozenset({"ssh", "mosh", "rsh"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """``reason`` is one line without secrets, empty where it is ``ok``."""

    ok: bool
    reason: str = ""


@dataclass(slots=True)
class _Output:
    """What a program printed: how much, and the end of it."""

    size: int = 0
    tail: bytearray = field(default_factory=bytearray)
    drained: anyio.Event = field(default_factory=anyio.Event)

    @property
    def is_flood(self) -> bool:
        return self.size > MAX_OUTPUT_BYTES

    def add(self, part: bytes) -> None:
        self.size += len(part)
        self.tail += part
        del self.tail[:-KEPT_BYTES]

    @property
    def last_line(self) -> str:
        lines = self.tail.decode("utf-8", "replace").split("\n")
        return next((each for each in reversed(lines) if each.strip()), "")


async def deliver(
    policy: DeliveryPolicy, *, message: str, owner: str, environ: Mapping[str, str]
) -> Delivery:
    """Run the configured command once. Ok is an exit with status 0 within ``timeout_s``.

    Never raises for what the program does. Without an end in time, over 1 MiB of output, with
    another status or when the call is cancelled, it is killed with all that it started, unless
    that left its session. What it leaves in the background after a good end goes on.
    """
    problem = problem_of(policy.command, owner)
    if problem:
        return _failed(problem)
    argv = arguments(policy.command, message=message, owner=owner)
    try:
        process = await anyio.open_process(
            argv,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            env=environ,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        return _failed(f"{KEY}: {argv[0]} cannot be started: {why}")
    output = _Output()
    async with process:
        with anyio.move_on_after(policy.timeout_s) as time:
            try:
                await _watched(process, output)
            finally:
                if process.returncode != 0:
                    await _killed(process)
    if time.cancelled_caught:
        return _failed(f"not done after {policy.timeout_s} s")
    return _judged(process.returncode, output)


def arguments(command: Sequence[str], *, message: str, owner: str) -> tuple[str, ...]:
    """The command with ``{message}`` and ``{owner}`` filled in, once, but for the program itself.

    A message is never taken for an option: one that begins with ``-`` gets a blank before it.
    """
    values = {"message": message, "owner": owner}
    made = [command[0]]
    for template in command[1:]:
        text = _PLACE.sub(lambda place: values[place[1]], template)
        looks_like_option = text.startswith("-") and not template.startswith("-")
        made.append(f" {text}" if looks_like_option else text)
    return tuple(made)


def problem_of(command: Sequence[str], owner: str = "") -> str:
    """Why the command cannot be run as it is; empty where it can.

    A message inside the text of a script would be run, not read: whoever wrote the memory would
    run it. As an argument of its own it is safe: ``sh -c 'send "$1"' sh {message}``.
    """
    if not command:
        return f"{KEY} is not set"
    for at, argument in enumerate(command):
        if at and _PLACE.search(argument) and _is_run(command[:at]):
            return f"{KEY}: a program runs that text; give the message as an argument of its own"
    if owner.startswith("-") and any(each.startswith("{owner}") for each in command):
        return f"{KEY}: an owner that begins with - would be taken for an option"
    return ""


def _is_run(before: Sequence[str]) -> bool:
    """Whether what follows these is run as it is."""
    names = [PurePath(each).name for each in before]
    if not _RUNS_ALL.isdisjoint(names):
        return True
    programs = [at for at, name in enumerate(names[:-1]) if _RUNS_TEXT.fullmatch(name)]
    if not programs or _TEXT_FOLLOWS.fullmatch(before[-1]) is None:
        return False
    # Behind the file of a script the options are the script's own.
    return not any(_names_file(each) for each in before[programs[-1] + 1 : -1])


def _names_file(argument: str) -> bool:
    return not argument.startswith("-") and ("/" in argument or "." in argument)


async def _watched(process: Process, output: _Output) -> None:
    """Until the program ends, and a moment longer for what it printed last."""
    async with anyio.create_task_group() as reading:
        reading.start_soon(_drain, process, output)
        await process.wait()
        with anyio.move_on_after(DRAINING_S):
            await output.drained.wait()
        reading.cancel_scope.cancel()


async def _drain(process: Process, output: _Output) -> None:
    try:
        while process.stdout is not None and not output.is_flood:
            output.add(await process.stdout.receive())
        _kill(process)
    except (anyio.EndOfStream, anyio.BrokenResourceError):
        return
    finally:
        output.drained.set()


def _kill(process: Process) -> None:
    """The whole session: a wrapper's children would go on otherwise."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


async def _killed(process: Process) -> None:
    _kill(process)
    with anyio.move_on_after(REAPING_S, shield=True):
        await process.wait()


def _judged(status: int | None, output: _Output) -> Delivery:
    if status == 0:
        return Delivery(ok=True)
    if output.is_flood:
        return _failed(f"printed over {MAX_OUTPUT_BYTES} bytes")
    how = f"killed by signal {-status}" if status and status < 0 else f"ended with status {status}"
    return _failed(f"{how}: {output.last_line}" if output.last_line else how)


def _failed(reason: str) -> Delivery:
    return Delivery(ok=False, reason=plain(reason, REASON_CHARS))
