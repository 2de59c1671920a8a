"""Transcripts, echoes and what a session was shown, at the real daemon."""

import json
import sqlite3
from contextlib import closing, contextmanager

import pytest

from support.daemon import running
from support.e2e import until
from support.e2e_rows import bug_case

QUESTION = "what did we decide last time about the durable queue?"


@contextmanager
def working(home, *, config=""):
    """A daemon over one workspace with one note and an empty folder of transcripts."""
    folder = home / "notes"
    (folder / "memory").mkdir(parents=True, exist_ok=True)
    (folder / "sessions").mkdir(exist_ok=True)
    note = folder / "memory" / "n1.md"
    if not note.exists():
        note.write_text("Last time we decided to use the durable queue for billing.\n")
    with running(home / "d", workspaces=[folder], config=config) as daemon:
        daemon.call("index.sync")
        yield daemon


def say(home, *turns, name="s1"):
    file = home / "notes" / "sessions" / f"{name}.jsonl"
    with file.open("a", encoding="utf-8") as stream:
        for role, text in turns:
            stream.write(json.dumps({"role": role, "content": text}) + "\n")


def ask(daemon, text=QUESTION, *, key="s1", **params):
    return daemon.call("session.prompt", session={"key": key}, text=text, **params)


def paths(daemon, query):
    return [hit["path"] for hit in daemon.call("search", query=query)["hits"]]


def test_a_turn_is_found_soon_after_it_was_written_down(tmp_path):
    with working(tmp_path) as daemon:
        say(tmp_path, ("user", "rotate the staging cert on Monday"), ("assistant", "noted"))
        until(lambda: "sessions/s1.jsonl" in paths(daemon, "staging cert"), what="the turn")
        (hit, *_) = daemon.call("search", query="staging cert")["hits"]
        assert (hit["source"], hit["session"]) == ("sessions", "s1")
        assert hit["heading"].startswith("s1 · user")
        assert (hit["start_line"], hit["end_line"]) == (1, 1)
        found = daemon.call("search", query="staging cert", sources=["memory"])["hits"]
        assert all(hit["source"] == "memory" for hit in found)


def test_bc10_three_rounds_of_the_same_block_leave_one_note(tmp_path, eval_data):
    case = bug_case(eval_data, "bc-10")
    with working(tmp_path) as daemon:
        (note,) = case["stored"]
        file = tmp_path / "notes" / "memory" / "n1.md"
        file.write_text(note["text"] + "\n")
        daemon.call("index.sync")
        blocks = []
        for number in range(case["rounds"]):
            key = f"round {number}"
            result = ask(daemon, f"/recall {note['text']}", key=key)
            blocks.append(result["context"])
            say(
                tmp_path,
                ("user", case["each_round_user_message"]),
                ("assistant", f"As noted, {note['text']}."),
            )
            daemon.call("index.sync")
        assert blocks[0] is not None
        assert blocks[0] == blocks[1] == blocks[2]
        hits = daemon.call("search", query="billing retries", limit=20)["hits"]
        # What the user asked is the user's own; what memory said is there once, and first.
        assert hits[0]["path"] == "memory/n1.md"
        assert {hit["snippet"] for hit in hits[1:]} <= {"What is left for the billing job?"}


def test_an_echo_is_known_after_a_restart_and_when_the_index_is_made_anew(tmp_path):
    with working(tmp_path) as daemon:
        assert "durable queue" in ask(daemon)["context"]
        say(tmp_path, ("assistant", "Last time we decided to use the durable queue for billing."))
        # The fingerprint is written within a second.
        until(lambda: kept(tmp_path), what="the fingerprint")
        daemon.stop()
    for file in (tmp_path / "d").rglob("index.db*"):
        file.unlink()
    with working(tmp_path) as daemon:
        assert daemon.call("status")["counters"].get("transcripts.echo") == 1
        assert paths(daemon, "durable queue") == ["memory/n1.md"]


def kept(home):
    (state,) = (home / "d").rglob("state.db")
    with closing(sqlite3.connect(state)) as connection:
        return connection.execute("SELECT count(*) FROM injected").fetchone()[0]


@pytest.mark.parametrize("source", ["clear", "compact", "startup", "new"])
def test_a_session_is_shown_a_note_once_and_again_when_its_context_is_empty(tmp_path, source):
    with working(tmp_path) as daemon:
        assert ask(daemon)["hits"]
        again = ask(daemon)
        assert (again["status"], again["reason"], again["context"]) == (
            "no_result",
            "already_shown",
            None,
        )
        told = daemon.call("recall.explain", trace_id=again["trace_id"])
        assert {row["rule"] for row in told["cut"]} == {"already_shown"}
        daemon.call("session.start", session={"key": "s1"}, source="resume")
        assert ask(daemon)["reason"] == "already_shown"
        assert ask(daemon, key="s2")["hits"]
        daemon.call("session.start", session={"key": "s1"}, source=source)
        assert ask(daemon)["hits"]


def test_a_note_that_was_just_changed_is_not_quoted_as_it_was(tmp_path):
    # No watcher is that fast, and no rescan comes within the test.
    slow = "[index]\nquiet_ms = 5000\ndebounce_ms = 60000\n[recall]\nledger_turns = 0\n"
    with working(tmp_path, config=slow) as daemon:
        assert ask(daemon)["hits"][0]["start_line"] == 1
        note = tmp_path / "notes" / "memory" / "n1.md"
        text = note.read_text()
        note.write_text("# Queue\n\n" + text)
        assert ask(daemon)["hits"][0]["start_line"] == 3
        note.write_text(text.replace("the durable", "no"))
        stale = ask(daemon)
        assert (stale["status"], stale["reason"]) == ("no_result", "stale")
        note.unlink()
        assert ask(daemon)["context"] is None
