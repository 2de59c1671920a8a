"""Hostile bytes and queries against a real daemon, while a second connection is served."""

import base64
import json
import socket
from contextlib import suppress

import pytest

from support.daemon import request, running

NOTE = "# Plan\n\n## Approval plugin\n\nWe decided on a two step review for the approval plugin.\n"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    home = tmp_path_factory.mktemp("corpus")
    notes = home / "notes"
    (notes / "memory").mkdir(parents=True)
    (notes / "memory" / "plan.md").write_text(NOTE, encoding="utf-8")
    with running(home / "d", workspaces=[notes]) as process:
        process.call("index.sync")
        yield process


@pytest.fixture(scope="module")
def corpus(eval_data):
    lines = (eval_data / "bad-inputs.jsonl").read_bytes().split(b"\n")
    return [json.loads(line) for line in lines if line]


def payload(row):
    data = base64.b64decode(row["bytes_b64"]) if "bytes_b64" in row else row["text"].encode()
    pad = row.get("pad")
    if pad:
        data += pad["unit"].encode() * pad["times"] + pad["tail"].encode()
    return data


def say_row(peer, row):
    """Send the row as it asks to be sent; a peer that is cut off while sending is not an error."""
    data = payload(row)
    with suppress(BrokenPipeError, ConnectionResetError, TimeoutError):
        match row.get("send"):
            case "bytewise":
                for byte in data:
                    peer.say(bytes([byte]))
            case "no-read":
                peer.socket.settimeout(1.0)
                peer.say(data)
            case _:
                peer.say(data)
    if row.get("send") == "half-close":
        peer.socket.shutdown(socket.SHUT_WR)


def expected_codes(expect):
    word = expect.split(";")[0].split(" ")[0]
    return {int(code) for code in word.removeprefix("reply-error:").split("|")}


def check_row(peer, row):
    expect = row["expect"]
    if expect.startswith("no-crash"):
        return
    if expect.startswith("no-reply"):
        # What comes next is the answer to a later request, so nothing came for the row.
        if row.get("send") == "half-close":
            assert peer.lines() == []
        else:
            assert peer.ask("ping", 99)["id"] == 99
        return
    reply = peer.hear()
    if expect.startswith("reply-ok"):
        assert "result" in reply
    else:
        assert reply["error"]["code"] in expected_codes(expect)
    if "id null" in expect:
        assert reply["id"] is None
    elif expect.split("; ")[-1].startswith("id "):
        assert reply["id"] == int(expect.split("; id ")[1])
    if row["id"] != "bad-a-022":
        left = [peer.ask("ping", 98) for _ in range(3)][-1]
        assert left["id"] == 98 or "error" in left


def test_every_protocol_row_gets_what_it_should_while_others_are_served(daemon, corpus):
    rows = [row for row in corpus if row["kind"] == "protocol"]
    assert len(rows) == 26
    with daemon.peer(timeout_s=1.0) as bystander:
        for row in rows:
            with daemon.peer() as peer:
                say_row(peer, row)
                assert bystander.ask("ping", row["id"])["id"] == row["id"], row["id"]
                check_row(peer, row)
            assert bystander.ask("ping", row["id"])["id"] == row["id"]
    assert daemon.child.poll() is None
    assert "Traceback" not in daemon.log_text()


def test_every_query_row_is_answered_by_search_and_as_a_prompt(daemon, corpus):
    rows = [row for row in corpus if row["kind"] == "query"]
    assert len(rows) == 10
    with daemon.peer() as peer:
        for row in rows:
            text = payload(row).decode()
            found = peer.ask("search", query=text)
            assert "result" in found or found["error"]["code"] == -32602, row["id"]
            prompt = peer.ask("session.prompt", session={"key": "q"}, text=text)
            assert "result" in prompt or prompt["error"]["code"] == -32602, row["id"]
            assert "Traceback" not in json.dumps([found, prompt])
    assert peer_finds(daemon, "approval plugin")


def peer_finds(daemon, query):
    hits = daemon.call("search", query=query)["hits"]
    return [hit["path"] for hit in hits][:1] == ["memory/plan.md"]


def test_an_empty_query_and_a_suppressed_prompt_run_no_search(daemon):
    before = daemon.call("status")["counters"].get("search.searches", 0)
    assert daemon.call("search", query="")["hits"] == []
    for text in ("", "/recall", "/no-recall /recall what did we decide"):
        result = daemon.call("session.prompt", session={"key": "s"}, text=text)
        assert result["context"] is None
    assert daemon.call("status")["counters"].get("search.searches", 0) == before


def test_a_prompt_of_200_000_bytes_is_answered_and_the_connection_stays_usable(daemon):
    with daemon.peer() as peer:
        text = "what did we decide about the approval plugin? " + "x" * 200_000
        peer.say(request("session.prompt", 1, session={"key": "big"}, text=text))
        assert peer.hear()["id"] == 1
        assert peer.ask("ping", 2)["result"]["ok"]
        peer.say(request("memory.add", 3, content="y" * 65_537, type="PLAN"))
        assert peer.hear()["id"] == 3
        assert peer.ask("ping", 4)["result"]["ok"]


def test_requests_sent_are_the_answered_refused_and_dropped_ones(daemon):
    counters = daemon.call("status")["counters"]
    assert counters["sent"] == counters["answered"] + counters["refused"] + counters["dropped"]
    assert counters["refused"] > 0
