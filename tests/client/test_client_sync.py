"""The client over a real Unix socket, against a peer that follows a script."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recalld.client import Client, Disconnected, NoDaemon, RpcError, TimedOut

Script = Callable[[socket.socket], None]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Listen and run one script for each connection that comes, in order."""
    listener = socket.socket(socket.AF_UNIX)
    workers: list[threading.Thread] = []

    def start(*scripts: Script) -> str:
        path = str(tmp_path / "s")
        listener.bind(path)
        listener.listen()

        def work() -> None:
            for script in scripts:
                connection, _ = listener.accept()
                with closing(connection):
                    script(connection)

        workers.append(threading.Thread(target=work, daemon=True))
        workers[0].start()
        return path

    yield start
    for worker in workers:
        worker.join(5)
        assert not worker.is_alive()
    listener.close()


def requests(connection: socket.socket) -> Iterator[dict[str, object]]:
    with connection.makefile("rb") as lines:
        for line in lines:
            yield json.loads(line)


def reply(connection: socket.socket, **message: object) -> None:
    connection.sendall(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def echo(connection: socket.socket) -> None:
    for request in requests(connection):
        reply(connection, id=request["id"], result={"saw": request})


def test_a_call_returns_the_result_of_its_own_request(serve):
    def backwards(connection: socket.socket) -> None:
        for request in requests(connection):
            reply(connection, id=999, result={"other": True})
            reply(connection, method="event", params={"kind": "trace"})
            reply(connection, id=request["id"], result={"mine": request["params"]})

    with Client(serve(backwards)) as client:
        assert client.call("search", {"query": "锅炉"}) == {"mine": {"query": "锅炉"}}


def test_a_reply_split_into_single_bytes_is_one_reply(serve):
    def dribble(connection: socket.socket) -> None:
        request = next(requests(connection))
        for byte in json.dumps({"id": request["id"], "result": {"text": "回忆"}}).encode() + b"\n":
            connection.sendall(bytes([byte]))

    with Client(serve(dribble)) as client:
        assert client.call("ping") == {"text": "回忆"}


def test_an_error_reply_keeps_its_code_and_data(serve):
    def refuse(connection: socket.socket) -> None:
        request = next(requests(connection))
        error = {"code": -32602, "message": "bad params", "data": {"key": "params.limit"}}
        reply(connection, id=request["id"], error=error)

    with Client(serve(refuse)) as client, pytest.raises(RpcError) as caught:
        client.call("search")
    assert (caught.value.code, caught.value.data) == (-32602, {"key": "params.limit"})


def test_a_refusal_of_the_whole_connection_is_raised_not_waited_out(serve):
    def busy(connection: socket.socket) -> None:
        reply(connection, id=None, error={"code": -32001, "message": "busy"})
        list(requests(connection))

    with Client(serve(busy)) as client, pytest.raises(RpcError, match="busy"):
        client.call("ping")


def test_a_silent_peer_costs_no_more_than_the_deadline_and_the_next_call_reconnects(serve):
    def silent(connection: socket.socket) -> None:
        list(requests(connection))

    with Client(serve(silent, echo)) as client:
        with pytest.raises(TimedOut):
            client.call("ping", timeout_s=0.05)
        assert client.call("ping")["saw"]


def test_a_peer_that_hangs_up_is_disconnected(serve):
    with Client(serve(lambda connection: None)) as client, pytest.raises(Disconnected):
        client.call("ping")


@pytest.mark.parametrize("line", [b"hello\n", b"[1]\n", b"[" * 5_000 + b"\n", b"\xff\n"])
def test_a_peer_that_speaks_something_else_is_disconnected(serve, line: bytes):
    def babble(connection: socket.socket) -> None:
        next(requests(connection))
        connection.sendall(line)

    with Client(serve(babble)) as client, pytest.raises(Disconnected):
        client.call("ping")


def test_no_socket_and_a_dead_socket_are_no_daemon(tmp_path: Path):
    with pytest.raises(NoDaemon, match="no such file"):
        Client(tmp_path / "absent").call("ping")
    with closing(socket.socket(socket.AF_UNIX)) as left_over:
        left_over.bind(str(tmp_path / "dead"))
    with pytest.raises(NoDaemon, match="refused"):
        Client(tmp_path / "dead").call("ping")
    with pytest.raises(NoDaemon, match="too long"):
        Client("/tmp/" + "x" * 200).call("ping")


def test_events_arrive_in_order_also_those_that_overtook_the_subscription(serve):
    def publish(connection: socket.socket) -> None:
        reply(connection, method="event", params={"kind": "trace", "data": 1})
        request = next(requests(connection))
        assert request["params"] == {"kinds": ["trace"], "workspace": "/notes"}
        reply(connection, id=request["id"], result={"subscription": "x"})
        reply(connection, method="event", params={"kind": "trace", "data": 2})

    with Client(serve(publish)) as client:
        events = client.subscribe(["trace"], workspace="/notes")
        assert [next(events)["data"], next(events)["data"]] == [1, 2]
        with pytest.raises(Disconnected):
            next(events)


def test_a_text_that_has_no_utf8_form_is_sent_with_a_question_mark(serve):
    with Client(serve(echo)) as client:
        saw = client.call("search", {"query": "a\udcffb"})["saw"]
    assert isinstance(saw, dict)
    assert saw["params"] == {"query": "a?b"}


def test_a_notification_has_no_id(serve):
    seen: list[dict[str, object]] = []
    over = threading.Event()

    def collect(connection: socket.socket) -> None:
        seen.extend(requests(connection))
        over.set()

    with Client(serve(collect)) as client:
        client.notify("session.end", {"reason": "x"})
    assert over.wait(20)
    assert [("id" in message, message["method"]) for message in seen] == [(False, "session.end")]


def test_the_client_loads_nothing_outside_the_standard_library():
    code = (
        "import sys; before = set(sys.modules); import recalld.client, recalld.client.hooks;"
        "print(sorted({m.split('.')[0] for m in set(sys.modules) - before}"
        " - set(sys.stdlib_module_names) - {'recalld'}))"
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environ, check=True
    )
    assert ran.stdout.strip() == "[]"
