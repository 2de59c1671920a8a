"""Events out to subscribers, and events in from sockets the daemon connects to."""

import json
import os
import socket
from contextlib import contextmanager

import pytest

from support.daemon import READY_S, Peer, request, running

PROMPT = "which port did we move the gateway to?"


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "d"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes" / "memory"
    folder.mkdir(parents=True)
    (folder / "plan.md").write_text("# Plan\n\nThe gateway moved to port 9410.\n", encoding="utf-8")
    return folder.parent


def subscribed(daemon, *kinds, **params):
    peer = daemon.peer()
    identity = peer.result("events.subscribe", kinds=list(kinds), **params)["subscription"]
    return peer, identity


def next_event(peer, kind):
    """The next event of ``kind``; others are passed over."""
    while True:
        message = peer.hear()
        assert message["method"] == "event"
        if message["params"]["kind"] == kind:
            return message["params"]


def test_a_subscriber_hears_of_recalls_traces_and_the_index(home, notes):
    with running(home, workspaces=[notes]) as daemon:
        daemon.call("index.sync")
        peer, identity = subscribed(daemon, "recall", "trace", "index")
        with peer:
            asked = daemon.call("session.prompt", session={"key": "k"}, text=PROMPT)
            recall = next_event(peer, "recall")
            assert recall["subscription"] == identity
            assert recall["data"]["session"] == "k"
            assert recall["data"]["result"]["trace_id"] == asked["trace_id"]
            assert next_event(peer, "trace")["data"]["traceId"] == asked["trace_id"]
            (notes / "memory" / "new.md").write_text("# New\n\nSomething else.\n", encoding="utf-8")
            assert next_event(peer, "index")["data"]["workspace"] == os.path.realpath(notes)


def test_a_subscriber_of_another_workspace_hears_nothing_of_this_one(home, notes, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    with running(home, workspaces=[notes, other]) as daemon:
        daemon.call("index.sync")
        peer, _ = subscribed(daemon, "recall", workspace=str(other))
        with peer:
            for folder in (notes, other):
                session = {"key": folder.name, "workspace": str(folder)}
                daemon.call("session.prompt", session=session, text=PROMPT)
            assert next_event(peer, "recall")["data"]["session"] == "other"


def test_after_unsubscribing_nothing_more_is_heard(home, notes):
    with running(home, workspaces=[notes]) as daemon:
        peer, identity = subscribed(daemon, "recall")
        with peer:
            assert peer.result("events.unsubscribe", subscription=identity) == {}
            daemon.call("session.prompt", session={"key": "k"}, text=PROMPT)
            assert peer.ask("ping", 9)["id"] == 9
            again = peer.ask("events.unsubscribe", subscription=identity)
            assert again["error"]["code"] == -32004


@contextmanager
def source_socket(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(READY_S)
        yield listener


def accepted(listener):
    """The daemon's connection to us, and the first line it says."""
    connection, _ = listener.accept()
    peer = Peer.__new__(Peer)
    peer.socket, peer._buffer = connection, b""
    connection.settimeout(READY_S)
    return peer, peer.hear()


def test_a_source_is_followed_answered_and_found_again(home, notes):
    path = home / "events.sock"
    config = '[[subscribe]]\nsocket = "~/events.sock"\nname = "gateway"\nkinds = ["session"]\n'
    with (
        source_socket(path) as listener,
        running(home, workspaces=[notes], config=config, environ={"HOME": str(home)}) as daemon,
    ):
        daemon.call("index.sync")
        source, greeting = accepted(listener)
        assert greeting["method"] == "events.subscribe"
        assert greeting["params"] == {"kinds": ["session"]}
        source.say(
            json.dumps({"jsonrpc": "2.0", "id": greeting["id"], "result": {}}).encode() + b"\n"
        )
        subscriber, _ = subscribed(daemon, "recall")
        params = {"session": {"key": "told"}, "text": PROMPT}
        told = {"jsonrpc": "2.0", "method": "session.prompt", "params": params}
        source.say(json.dumps(told).encode() + b"\n")
        assert next_event(subscriber, "recall")["data"]["session"] == "told"
        source.say(request("session.turn", 5, session={"key": "s"}, user="u", assistant="a"))
        assert source.hear() == {"jsonrpc": "2.0", "id": 5, "result": {"accepted": True}}
        source.say(request("session.compact", 6, session={"key": "s"}, phase="before"))
        assert source.hear()["result"]["checkpoint"]["active"] is False
        source.say(request("session.forget", 7, session={"key": "s"}))
        assert source.hear()["error"]["code"] == -32601
        source.socket.close()
        again, greeting = accepted(listener)
        assert greeting["method"] == "events.subscribe"
        again.socket.close()
        subscriber.socket.close()
        assert daemon.log_text().count("source.unknown_method") == 1


def test_a_source_that_is_absent_is_named_and_delays_nothing(home):
    config = f'[[subscribe]]\nsocket = "{home}/none.sock"\nname = "absent"\n'
    with running(home, config=config) as daemon:
        status = daemon.call("status")
        assert "sources: absent is not connected" in status["degraded"]
