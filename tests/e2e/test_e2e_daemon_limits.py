"""Floods, leaks and exhausted descriptors, against the real process."""

import json
import resource
import socket
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from support.daemon import Peer, request, running


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    with running(tmp_path_factory.mktemp("limits") / "d") as process:
        yield process


def descriptors(daemon):
    return sum(1 for _ in Path(f"/proc/{daemon.child.pid}/fd").iterdir())


def until_only_own_connection(peer):
    """Wait, by asking, until the other connections are gone."""
    while True:
        facts = peer.ask("status")["result"]["parts"]["socket"]
        if facts["connections"] == 1:
            return


def until_let_in(daemon):
    """Wait, by trying, until the daemon has seen that the others left."""
    while True:
        with daemon.peer() as peer:
            with suppress(BrokenPipeError):
                peer.say(request("ping"))
            reply = peer.hear()
            if "result" in reply:
                until_only_own_connection(peer)
                return


def test_two_hundred_connections_leave_sixty_four_served_and_the_rest_told_busy(daemon):
    with ExitStack() as stack:
        peers = [stack.enter_context(daemon.peer()) for _ in range(200)]
        served, refused = 0, 0
        for peer in peers:
            with suppress(BrokenPipeError):
                peer.say(request("ping"))
            reply = peer.hear()
            if "result" in reply:
                served += 1
            else:
                assert reply["error"]["code"] == -32001
                assert reply["error"]["data"]["retry_after_ms"] > 0
                refused += 1
        assert (served, refused) == (64, 136)
    until_let_in(daemon)


def test_abandoned_and_half_written_requests_leave_no_descriptor_behind(daemon):
    with daemon.peer() as witness:
        until_only_own_connection(witness)
        before = descriptors(daemon)
        for round_ in range(300):
            with suppress(OSError), Peer(daemon.socket_path) as peer:
                peer.say(request("ping")[: 5 + round_ % 40] if round_ % 2 else request("status"))
        until_only_own_connection(witness)
        # Those that gave up in the backlog are accepted, seen to be gone and closed.
        looks = 0
        while descriptors(daemon) != before:
            assert witness.ask("ping")["result"]["ok"]
            looks += 1
            assert looks < 5_000
        counters = witness.ask("status")["result"]["counters"]
        ends = counters["answered"] + counters["refused"] + counters["dropped"]
        assert counters["sent"] == ends


def test_a_thousand_pipelined_requests_are_all_answered(daemon):
    with daemon.peer() as peer:
        peer.say(b"".join(request("ping", number) for number in range(1_000)))
        assert {peer.hear()["id"] for _ in range(1_000)} == set(range(1_000))


def test_peers_that_never_read_do_not_disturb_one_that_does(daemon):
    flood = request("status") * 2_000
    with ExitStack() as stack:
        for _ in range(8):
            deaf = stack.enter_context(daemon.peer())
            deaf.socket.setblocking(False)
            with suppress(BlockingIOError):
                deaf.say(flood)
        with daemon.peer(timeout_s=5) as peer:
            for number in range(50):
                assert peer.ask("ping", number)["id"] == number
            facts = peer.ask("status")["result"]
            assert facts["rss_bytes"] < 400 << 20


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="prlimit is Linux only")
def test_without_descriptors_it_serves_whom_it_has_and_accepts_again_afterwards(daemon):
    with daemon.peer() as old:
        until_only_own_connection(old)
        pid = daemon.child.pid
        soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (descriptors(daemon) + 2, hard))
        try:
            with ExitStack() as stack:
                for _ in range(20):
                    stack.enter_context(daemon.peer())
                for number in range(50):
                    assert old.ask("ping", number)["result"]["ok"]
        finally:
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
        with daemon.peer() as new:
            assert new.ask("ping")["result"]["ok"]


def test_memory_stays_flat_under_lines_that_never_end(daemon):
    def rss():
        return daemon.call("status")["rss_bytes"]

    before = rss()
    for _ in range(10):
        with daemon.peer() as peer:
            with suppress(BrokenPipeError, ConnectionResetError, TimeoutError):
                peer.say(b"x" * (16 << 20))
            with suppress(ConnectionResetError):
                assert (
                    json.loads(peer.line() or b'{"error":{"code":-32600}}')["error"]["code"]
                    == -32600
                )
    assert rss() - before < 32 << 20


def test_a_peer_stopped_in_the_backlog_and_gone_is_no_trouble(daemon):
    for _ in range(50):
        hasty = socket.socket(socket.AF_UNIX)
        hasty.connect(str(Path(daemon.socket_path)))
        hasty.close()
    assert daemon.call("ping")["ok"]
