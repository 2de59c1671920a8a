"""Fifty times each: a daemon that is away, stopped or talks nonsense holds up no prompt."""

import contextlib
import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.daemon import running
from support.hooking import Hooks, Ran, overhead_s

ROUNDS = 50
LANES = 3
# Where it is waited out, and where a hook is done before (on any machine that runs tests).
SHORT_MS, LONG_MS = 200, 2_000
LATE = "in time"
GRACE_S = 0.05
PROMPT = {
    "session_id": "s1",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "fix the typo in the footer",
}
ANSWER = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"context": "<r>late</r>"}}).encode()

Peer = Callable[[socket.socket, threading.Event], None]


def says(data: bytes) -> Peer:
    """Answers the first request with ``data`` and keeps the connection open."""

    def peer(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65_536)
        connection.sendall(data)
        over.wait()

    return peer


def silent(connection: socket.socket, over: threading.Event) -> None:
    del connection
    over.wait()


def closes(connection: socket.socket, over: threading.Event) -> None:
    del over
    connection.recv(65_536)


def closes_at_once(connection: socket.socket, over: threading.Event) -> None:
    del connection, over


def byte_by_byte(connection: socket.socket, over: threading.Event) -> None:
    connection.recv(65_536)
    for byte in ANSWER:
        connection.sendall(bytes([byte]))
        if over.wait(0.02):
            return


def endless(connection: socket.socket, over: threading.Event) -> None:
    connection.recv(65_536)
    while not over.is_set():
        connection.sendall(b"x" * 65_536)


HUGE = b'{"id":1,"result":{"context":"' + b"x" * 3_000_000 + b'"}}\n'
REFUSAL = b'{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"fix the typo"}}\n'
BUSY = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"busy"}}\n'

# What the peer does, and what the log says of it.
PEERS: dict[str, tuple[Peer, str]] = {
    "never answers": (silent, LATE),
    "garbage": (says(b"hello\n\xff\xfe\n"), "does not speak JSON-RPC"),
    "an array": (says(b"[1]\n"), "does not speak JSON-RPC"),
    "nested": (says(b"[" * 200_000 + b"\n"), "does not speak JSON-RPC"),
    "half a line": (says(ANSWER[:30]), LATE),
    "huge reply": (says(HUGE), "a reply over"),
    "endless reply": (endless, "a reply over"),
    "byte by byte": (byte_by_byte, LATE),
    "closes": (closes, "closed the connection"),
    "closes at once": (closes_at_once, ""),
    "refuses": (says(REFUSAL), "the daemon answered error -32602"),
    "busy": (says(BUSY), "the daemon answered error -32001"),
    "another's answer": (says(ANSWER.replace(b'"id": 1', b'"id": 7') + b"\n"), LATE),
}


@contextmanager
def listening(path: Path, peer: Peer) -> Iterator[None]:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    over = threading.Event()

    def talk(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            peer(connection, over)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=talk, args=(connection,), daemon=True).start()

    acceptor = threading.Thread(target=accept, daemon=True)
    acceptor.start()
    try:
        yield
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        acceptor.join(5)


def fifty(hooks: Hooks, wait_s: float) -> list[tuple[Ran, float]]:
    """Each with what the machine added meanwhile to a process that only waits ``wait_s``."""
    hooks("claude-code", PROMPT)
    (hooks.state / "hook.log").unlink(missing_ok=True)
    environ = hooks.environ()
    with ThreadPoolExecutor(LANES) as lanes, ThreadPoolExecutor(LANES) as beside:

        def one(_: int) -> tuple[Ran, float]:
            control = beside.submit(overhead_s, environ, wait_s)
            return hooks("claude-code", PROMPT, environ), control.result()

        return list(lanes.map(one, range(ROUNDS)))


def judge(home: Path, socket_path: Path, why: str) -> None:
    """Exit 0, nothing printed, in time: 50 of 50. One line in the log for each says why."""
    deadline_ms = SHORT_MS if why == LATE else LONG_MS
    hooks = Hooks(socket=socket_path, state=home / "state", deadline_ms=deadline_ms)
    ran = fifty(hooks, SHORT_MS / 1_000 if why == LATE else 0.0)
    assert {(each.code, each.out, each.err) for each, _ in ran} == {(0, b"", b"")}
    # A busy machine makes any process late; so much it may make a hook late too.
    limit_s = deadline_ms / 1_000 + GRACE_S + max(added for _, added in ran)
    assert [f"{r.took_s * 1_000:.0f} ms" for r, _ in ran if r.took_s > limit_s] == []
    # A process that a busy machine leaves no time after its deadline goes without a word, and
    # where it gets none before, the event is not read yet.
    assert ROUNDS - (5 if why == LATE else 0) <= len(hooks.log) <= ROUNDS
    who = "claude-code" if why == LATE else "claude-code UserPromptSubmit: "
    assert [line for line in hooks.log if who not in line or why not in line] == []
    assert "typo" not in "".join(hooks.log)


@pytest.mark.parametrize("name", PEERS)
def test_bc_29_a_daemon_that_misbehaves_never_holds_up_a_prompt(tmp_path: Path, name: str):
    peer, why = PEERS[name]
    with listening(tmp_path / "s", peer):
        judge(tmp_path, tmp_path / "s", why)


def test_bc_29_an_absent_daemon_never_holds_up_a_prompt(tmp_path: Path):
    judge(tmp_path, tmp_path / "s", f"no daemon at {tmp_path / 's'}: no such file")


def test_bc_29_a_socket_that_was_left_over_never_holds_up_a_prompt(tmp_path: Path):
    with socket.socket(socket.AF_UNIX) as left_over:
        left_over.bind(str(tmp_path / "s"))
    judge(tmp_path, tmp_path / "s", "connection refused")


def test_bc_29_a_file_in_the_sockets_place_never_holds_up_a_prompt(tmp_path: Path):
    (tmp_path / "s").write_text("not a socket")
    judge(tmp_path, tmp_path / "s", "connection refused")


def test_bc_29_a_backlog_that_is_full_never_holds_up_a_prompt(tmp_path: Path):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listener, contextlib.ExitStack() as waiting:
        listener.bind(str(path))
        listener.listen(0)
        for _ in range(8):
            queued = waiting.enter_context(socket.socket(socket.AF_UNIX))
            queued.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                queued.connect(str(path))
        judge(tmp_path, path, f"no daemon at {path}")


def test_bc_29_a_stopped_daemon_never_holds_up_a_prompt(tmp_path: Path):
    with running(tmp_path / "d") as daemon:
        daemon.send_signal(signal.SIGSTOP)
        try:
            judge(tmp_path, daemon.socket_path, LATE)
        finally:
            daemon.send_signal(signal.SIGCONT)
        assert daemon.call("ping")["ok"]


def test_the_end_of_a_session_takes_no_longer_than_its_own_deadline(tmp_path: Path):
    """However long the deadline of a prompt: hosts kill what outlasts theirs."""
    full = tmp_path / "s"
    hooks = Hooks(socket=full, state=tmp_path / "state", deadline_ms=30_000)
    event = {"session_id": "s1", "hook_event_name": "SessionEnd", "reason": "other"}
    exec_end = {"method": "session.end", "params": {"session": {"key": "s1"}, "reason": "x"}}
    with listening(full, silent):
        began = time.perf_counter()
        assert hooks("claude-code", event).code == 0
        assert time.perf_counter() - began < 1
        added = overhead_s(hooks.environ(), 1.0)
        ran = hooks("exec", exec_end)
    assert (ran.code, ran.out) == (0, b"")
    assert 0.9 < ran.took_s <= 1 + GRACE_S + added
    assert "exec session.end: no answer in time" in hooks.log[-1]
