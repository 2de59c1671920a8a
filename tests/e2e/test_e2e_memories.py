"""Memories of the real daemon: durable when acknowledged, kept once, found and forgotten."""

import json
import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Process, request, running
from support.e2e import in_threads, kill_behind, until

WRITERS = 8
KILLS = 6
# In flight on each connection: acknowledgements, syncs and new memories overlap at the kill.
WINDOW = 3
# A kill comes behind so many acknowledgements.
ACKNOWLEDGED = (WRITERS + 1, 12 * WRITERS)
LEXICAL = '[embed]\nengine = "none"\n'
DECIDED = "We decided to move the billing jobs to Frankfurt."
PLANNED = "我打算下周把老接口下线。"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SESSION = {"key": "agent:main:main"}
Memories = dict[str, str]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """With the engine that ships, loaded."""
    with running(tmp_path_factory.mktemp("memories") / "d") as process:
        until(
            lambda: process.call("status")["parts"]["embedder"]["loading"] == "ready",
            what="the engine",
        )
        yield process


def add(daemon: Process, content: str, kind: str = "event", **params: Any) -> dict[str, Any]:
    memory: dict[str, Any] = daemon.call("memory.add", content=content, type=kind, **params)
    return memory


def kept(home: Path) -> dict[str, str]:
    """Contents by id in the store as SQLite recovers it, which must be sound."""
    with closing(sqlite3.connect(home / "state" / "state.db")) as connection:
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        return dict(connection.execute("SELECT id, content FROM memory"))


def write_until_cut(
    daemon: Process, *, name: str, heard: threading.Semaphore
) -> tuple[list[str], Memories]:
    """Event ids that were sent, and contents that were acknowledged, by memory id."""
    sent: list[str] = []
    acknowledged: Memories = {}
    with suppress(OSError), daemon.peer() as peer:
        for number in count():
            event_id = f"{name}-{number}"
            params = {
                "content": f"{name} measured the flow {number} times",
                "type": "event",
                "event_id": event_id,
            }
            sent.append(event_id)
            peer.say(request("memory.add", event_id, **params))
            if number >= WINDOW:
                line = peer.line()
                if line is None:
                    break
                memory = json.loads(line)["result"]["memory"]
                acknowledged[memory["id"]] = memory["content"]
                heard.release()
    return sent, acknowledged


def killed_under_writers(home: Path, *, run: int, count: int) -> list[tuple[list[str], Memories]]:
    """What the writers saw of one life of the daemon, killed behind ``count`` answers."""
    seen: list[tuple[list[str], Memories]] = []
    heard = threading.Semaphore(0)
    with running(home, config=LEXICAL) as daemon:

        def work(number: int) -> None:
            if number == WRITERS:
                kill_behind(daemon, heard, count=count)
            else:
                seen.append(write_until_cut(daemon, name=f"r{run}w{number}", heard=heard))

        in_threads(work, WRITERS + 1)
        assert daemon.ended() == -9
    return seen


def test_kills_under_eight_writers_lose_no_acknowledged_memory(tmp_path, capsys):
    home, chance, began = tmp_path / "d", random.Random(20_261_201), time.monotonic()
    acknowledged: dict[str, str] = {}
    sent: list[str] = []
    for run in range(KILLS):
        life = killed_under_writers(home, run=run, count=chance.randint(*ACKNOWLEDGED))
        for said, heard in life:
            sent.extend(said)
            acknowledged.update(heard)
        found = kept(home)
        assert acknowledged.items() <= found.items()
        assert len(found) <= len(sent)
    with capsys.disabled():
        print(
            f"\n{KILLS} kills: {len(sent)} memories sent, {len(acknowledged)} acknowledged,"
            f" {len(found)} kept, in {time.monotonic() - began:.0f} s"
        )
    assert len(acknowledged) > KILLS * WRITERS
    with running(home, config=LEXICAL) as daemon, daemon.peer() as peer:
        for memory_id, content in list(acknowledged.items())[:100]:
            assert peer.result("memory.get", id=memory_id)["memory"]["content"] == content
        # Sent again, what is kept is not kept twice, and what was lost is kept now.
        before = set(found.values())
        for event_id in sent:
            name, number = event_id.split("-")
            content = f"{name} measured the flow {number} times"
            again = peer.result("memory.add", content=content, type="event", event_id=event_id)
            assert again.get("duplicate", False) == (content in before)
        assert daemon.stop() == 0
    assert sorted(kept(home).values()) == sorted(
        f"{name} measured the flow {number} times"
        for name, number in (event_id.split("-") for event_id in sent)
    )


def test_a_kill_right_behind_the_answer_loses_nothing(tmp_path):
    home = tmp_path / "d"
    with running(home, config=LEXICAL) as daemon, daemon.peer() as peer:
        plan = peer.result("memory.add", content="Fix the pager", type="plan")["memory"]
        done = peer.result("memory.resolve", id=plan["id"])["memory"]
        gone = peer.result("memory.add", content="the code is 4711 or so", type="context")
        peer.result("memory.forget", id=gone["memory"]["id"])
        daemon.child.kill()
    with running(home, config=LEXICAL) as daemon, daemon.peer() as peer:
        assert peer.result("memory.get", id=plan["id"])["memory"] == done
        assert peer.ask("memory.get", id=gone["memory"]["id"])["error"]["code"] == -32004


def test_of_eight_that_say_the_same_at_once_one_is_kept(daemon):
    answers: list[dict[str, Any]] = []

    def work(number: int) -> None:
        answers.append(add(daemon, "The relay clicks twice at noon", owner="same"))
        del number

    in_threads(work, WRITERS)
    firsts = [answer for answer in answers if answer["duplicate_of"] is None]
    assert len(firsts) == 1
    assert {answer["memory"]["id"] for answer in answers} == {firsts[0]["memory"]["id"]}
    assert len(daemon.call("memory.list", owner="same")["memories"]) == 1


def test_of_eight_of_one_event_one_does_the_work(daemon):
    with daemon.peer() as peer:
        params = {"content": "one event", "type": "event", "event_id": "e", "owner": "event"}
        peer.say(b"".join(request("memory.add", number, **params) for number in range(WRITERS)))
        answers = [peer.hear()["result"] for _ in range(WRITERS)]
    (first,) = [answer for answer in answers if "duplicate" not in answer]
    assert all(answer == {**first, "duplicate": True} for answer in answers if answer != first)
    assert len(daemon.call("memory.list", owner="event")["memories"]) == 1


def test_what_is_meant_is_found_in_both_languages(daemon):
    facts = (
        "The staging database runs on Postgres 15",
        "Anna prefers short answers",
        "支付网关的超时是三十秒",
        "每周五下午发布新版本",
    )
    ids = [add(daemon, fact, "context", owner="found")["memory"]["id"] for fact in facts]
    for query, wanted in (
        ("which database does staging use", ids[0]),
        ("支付网关多久超时", ids[2]),
        ("什么时候发布", ids[3]),
    ):
        results = daemon.call("memory.search", query=query, owner="found")["results"]
        assert results[0]["memory"]["id"] == wanted, query


def test_no_secret_and_no_block_of_ours_reaches_the_disk(tmp_path):
    home = tmp_path / "d"
    with running(home, config=LEXICAL) as daemon:
        block = "<recall-context>\n- what was recalled\n</recall-context>\n"
        said = add(daemon, f"{block}The token is {SECRET}", tags=[SECRET], event_id="e")
        assert "recalled" not in said["memory"]["content"]
        changed = daemon.call("memory.update", id=said["memory"]["id"], content=f"now {SECRET}")
        assert SECRET not in json.dumps([said, changed])
        assert daemon.stop() == 0
    for file in home.rglob("*"):
        if file.is_file():
            assert SECRET.encode() not in file.read_bytes(), file


def test_what_is_forgotten_is_in_no_file_of_the_daemons(tmp_path):
    home, words = tmp_path / "d", "the spare key lies below the third stone"
    with running(home, config=LEXICAL + '[heartbeat]\npropose = "suggest"\n') as daemon:
        daemon.call("session.turn", session=SESSION, user=f"I decided that {words}.", assistant="")
        until(lambda: daemon.call("memory.proposals")["proposals"], what="a proposal")
        memory = add(daemon, words, "context", event_id="e")["memory"]
        receipt = daemon.call("memory.forget", query="spare key", confirm=True)
        assert receipt["ids"] == [memory["id"]]
        assert receipt["removed"]["memories"] == receipt["removed"]["answers"] == 1
        assert receipt["removed"]["events"] == receipt["removed"]["proposals"] == 1
        assert receipt["out_of_reach"]
        assert daemon.stop() == 0
    for file in home.rglob("*"):
        if file.is_file():
            assert words.encode() not in file.read_bytes(), file


def test_turns_propose_only_what_was_acknowledged_and_a_kill_loses_none(tmp_path):
    home = tmp_path / "d"
    suggest = LEXICAL + '[heartbeat]\npropose = "suggest"\n'
    with running(home, config=suggest) as daemon, daemon.peer() as peer:
        until(lambda: daemon.call("status")["parts"]["memories"]["up_to_date"], what="a look")
        turn = {"session": SESSION, "assistant": "```\nFixed 3 problems\n```", "event_id": "t"}
        assert peer.result("session.turn", user=DECIDED, **turn) == {"accepted": True}
        daemon.child.kill()
    with running(home, config=suggest) as daemon, daemon.peer() as peer:
        again = peer.result("session.turn", user=DECIDED, **turn)
        assert again == {"accepted": True, "duplicate": True}
        until(lambda: peer.result("memory.proposals")["proposals"], what="the proposal")
        signals = "<heartbeat-signals>\nthe certificate runs out\n</heartbeat-signals>\n"
        for text in (f"{signals}{PLANNED}", f"> {PLANNED}", f"```\n{PLANNED}\n```"):
            peer.result("session.turn", session=SESSION, user=text, assistant=PLANNED)
        heartbeat = {"key": "agent:main:heartbeat"}
        peer.result("session.turn", session=heartbeat, user=PLANNED, assistant=PLANNED)
        peer.result("session.turn", session=SESSION, user="ok", assistant="Fixed the pager alarm.")
        until(lambda: len(peer.result("memory.proposals")["proposals"]) == 2, what="the second")
        report, decision = peer.result("memory.proposals")["proposals"]
        assert (report["content"], report["said_by"]) == ("Fixed the pager alarm.", "agent")
        assert (decision["content"], decision["said_by"]) == (DECIDED, "user")
        memory = peer.result("memory.accept", id=decision["id"])["memory"]
        daemon.child.kill()
    with running(home, config=suggest) as daemon, daemon.peer() as peer:
        assert peer.result("memory.get", id=memory["id"])["memory"] == memory
        assert [each["id"] for each in peer.result("memory.proposals")["proposals"]] == [
            report["id"]
        ]


class Switched:
    """A daemon whose configuration is written anew and reloaded."""

    def __init__(self, home: Path, process: Process) -> None:
        self._home = home
        self._process = process

    def to(self, mode: str) -> None:
        config = f'{LEXICAL}[heartbeat]\npropose = "{mode}"\n'
        (self._home / "config.toml").write_text(config, encoding="utf-8")
        self._process.call("config.reload")

    def turn(self, text: str) -> None:
        """A turn that is heard."""
        self._process.call("session.turn", session=SESSION, user=text, assistant="")
        until(lambda: self.part()["up_to_date"], what="a look")

    def part(self) -> dict[str, Any]:
        part: dict[str, Any] = self._process.call("status")["parts"]["memories"]
        return part

    def contents(self, method: str) -> list[str]:
        found = self._process.call(f"memory.{method}")
        return [each["content"] for each in found["memories" if method == "list" else method]]


def test_a_reload_switches_proposals_on_and_off(tmp_path):
    with running(tmp_path / "d", config=LEXICAL) as process:
        talk = Switched(tmp_path / "d", process)
        talk.turn("I prefer tabs over spaces in Go code.")
        talk.to("on")
        talk.turn(DECIDED)
        assert talk.contents("list") == [DECIDED]
        talk.to("off")
        talk.turn(PLANNED)
        talk.to("suggest")
        talk.turn("I like my summaries short.")
        assert talk.contents("list") == [DECIDED]
        assert talk.contents("proposals") == ["I like my summaries short."]
        part = talk.part()
        assert (part["memories"], part["proposals"], part["propose"]) == (1, 1, "suggest")
