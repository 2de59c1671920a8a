"""The real daemon, as a process of its own or inside the test's loop."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from recalld.app import Launch, serve
from recalld.config import Settings
from recalld.counters import Counters
from recalld.service.signals import StopRequest

PACKAGE_ROOT = Path(__file__).resolve().parents[2] / "daemon"
READY_S = 30.0
REPLY_S = 20.0
STOP_S = 15.0


Reply = dict[str, Any]


class Peer:
    """A blocking client that says bytes and hears lines; nothing of ours in between."""

    def __init__(self, path: Path, *, timeout_s: float = REPLY_S) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # Without a timeout yet: a connect that may not wait fails when the backlog is full.
        self.socket.connect(str(path))
        self.socket.settimeout(timeout_s)
        self._buffer = b""

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def say(self, data: bytes) -> None:
        self.socket.sendall(data)

    def line(self) -> bytes | None:
        """The next line, None at the end of the stream."""
        while b"\n" not in self._buffer:
            try:
                chunk = self.socket.recv(65_536)
            except ConnectionResetError:
                chunk = b""
            if not chunk:
                return None
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def hear(self) -> Reply:
        line = self.line()
        assert line is not None, "the daemon closed the connection"
        reply: Reply = json.loads(line)
        return reply

    def lines(self) -> list[bytes]:
        """Everything until the stream ends."""
        found = []
        while (line := self.line()) is not None:
            found.append(line)
        return found

    def ask(self, method: str, number: int | str = 1, **params: Any) -> Reply:
        """The whole reply to one request, on a connection with nothing else in flight."""
        self.say(request(method, number, **params))
        return self.hear()

    def result(self, method: str, **params: Any) -> Reply:
        reply = self.ask(method, **params)
        assert "result" in reply, reply
        result: Reply = reply["result"]
        return result


def request(method: str, number: int | str = 1, **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


@dataclass(kw_only=True)
class Process:
    """One ``recalld serve``. ``told`` is what it said to its service manager so far."""

    child: subprocess.Popen[bytes]
    manager: socket.socket
    socket_path: Path
    state: Path
    log: Path
    told: list[str] = field(default_factory=list)

    def hear_manager(self, *, timeout_s: float = READY_S) -> str:
        """The next datagram. ``TimeoutError`` when there is none."""
        self.manager.settimeout(timeout_s)
        message = self.manager.recv(4_096).decode()
        self.told.append(message)
        return message

    def until_told(self, word: str, *, timeout_s: float = READY_S) -> None:
        while not any(word in message for message in self.told):
            self.hear_manager(timeout_s=timeout_s)

    def peer(self, **options: Any) -> Peer:
        return Peer(self.socket_path, **options)

    def call(self, method: str, **params: Any) -> Reply:
        """One call on a connection of its own; its result."""
        with self.peer() as peer:
            return peer.result(method, **params)

    def send_signal(self, number: int) -> None:
        self.child.send_signal(number)

    def ended(self, *, timeout_s: float = STOP_S) -> int:
        """The exit status, waited for."""
        return self.child.wait(timeout=timeout_s)

    def stop(self) -> int:
        self.send_signal(signal.SIGTERM)
        return self.ended()

    def until_logged(self, event: str, *, within_s: float = READY_S) -> None:
        pause, deadline = threading.Event(), time.monotonic() + within_s
        while event not in self.log_text():
            assert time.monotonic() < deadline, f"{event} was not logged"
            pause.wait(0.05)

    def log_text(self) -> str:
        return self.log.read_text("utf-8", "replace")


SERVE = ("recalld", "serve")


def command(*arguments: str, program: Sequence[str] = SERVE) -> list[str]:
    return [sys.executable, "-P", "-m", *program, *arguments]


def environment(state: Path, **extra: str) -> dict[str, str]:
    """The test's environment without settings of ours, and a state directory of its own."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("RECALLD_", "NOTIFY_", "LISTEN_", "WATCHDOG_", "XDG_"))
    }
    path = os.pathsep.join([str(PACKAGE_ROOT), kept.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return kept | {"PYTHONPATH": path, "RECALLD_STATE_DIR": str(state)} | extra


@contextmanager
def launched(
    home: Path,
    *,
    workspaces: Sequence[Path] = (),
    config: str = "",
    environ: Mapping[str, str] | None = None,
    program: Sequence[str] = SERVE,
    **popen: Any,
) -> Iterator[Process]:
    """A started daemon, not waited for. Everything of it lies under ``home`` (0700).

    ``program``: another module that takes the same arguments.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home / "config.toml").write_text(config, encoding="utf-8")
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    (home / "notify").unlink(missing_ok=True)
    manager.bind(str(home / "notify"))
    arguments = ["--socket", str(home / "s.sock"), "--config", str(home / "config.toml")]
    for folder in workspaces:
        arguments += ["--workspace", str(folder)]
    extra = {"NOTIFY_SOCKET": str(home / "notify"), **(environ or {})}
    with (home / "log").open("ab") as log:
        child = subprocess.Popen(
            command(*arguments, program=program),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=popen.pop("stderr", log),
            env=environment(home / "state", **extra),
            **popen,
        )
    process = Process(
        child=child,
        manager=manager,
        socket_path=home / "s.sock",
        state=home / "state",
        log=home / "log",
    )
    try:
        yield process
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
        manager.close()


@contextmanager
def running(home: Path, **options) -> Iterator[Process]:
    """A daemon that said it is ready."""
    with launched(home, **options) as process:
        process.until_told("READY=1")
        yield process


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """A daemon inside the test's loop."""

    socket_path: Path
    counters: Counters
    settings: Settings


@asynccontextmanager
async def serving(
    home: Path, *, workspaces: Sequence[Path] = (), config: str = "", **launching: Any
):
    """The daemon in this very loop; stopped in order at the end of the block.

    ``launching``: further fields of ``Launch``, such as an ``adjust`` that makes a part hang.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home / "config.toml").write_text(config, encoding="utf-8")
    environ = environment(home / "state", RECALLD_SOCKET=str(home / "s.sock"))
    overrides: dict[str, object] = {}
    if workspaces:
        overrides["workspaces"] = [str(folder) for folder in workspaces]
    settings = Settings(home / "config.toml", environ, overrides=overrides)
    counters, stop, ready = Counters(), StopRequest(), anyio.Event()
    launch = Launch(counters=counters, stop=stop, on_ready=lambda _: ready.set(), **launching)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(serve, settings, launch)
        await ready.wait()
        try:
            yield Inside(socket_path=home / "s.sock", counters=counters, settings=settings)
        finally:
            stop.set()
