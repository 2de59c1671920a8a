"""``recalld memory`` with the real daemon: added, found, changed, forgotten, answered."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from recalld.cli._run import run
from support.daemon import Process, command, environment, running
from support.e2e import until
from support.scripted import scripted_daemon

CONFIG = '[embed]\nengine = "none"\n[heartbeat]\npropose = "suggest"\n'
SAID = "We decided to move the billing jobs to Frankfurt."


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    with running(tmp_path_factory.mktemp("memory") / "d", config=CONFIG) as process:
        yield process


@pytest.fixture(autouse=True)
def place(daemon: Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("RECALLD_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RECALLD_SOCKET", str(daemon.socket_path))
    monkeypatch.chdir(tmp_path)


def told(capsys, *arguments: str, code: int = 0):
    """What ``recalld memory … --json`` prints; the exit code is ``code``."""
    capsys.readouterr()
    assert run(["memory", *arguments, "--json"]) == code
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    return json.loads(out)


def said(capsys, *arguments: str, code: int = 0) -> str:
    """What it prints for people."""
    capsys.readouterr()
    assert run(["memory", *arguments]) == code
    captured = capsys.readouterr()
    return str(captured.out if code == 0 else captured.err)


def process(
    daemon: Process, *arguments: str, given: str = ""
) -> "subprocess.CompletedProcess[str]":
    """The command as a process of its own, with standard input."""
    return subprocess.run(
        command("memory", *arguments, program=("recalld",)),
        input=given,
        capture_output=True,
        text=True,
        check=False,
        env=environment(daemon.state, RECALLD_SOCKET=str(daemon.socket_path)),
    )


def added(capsys, content: str, *options: str) -> str:
    """The id of a new memory of an owner of its own."""
    return str(told(capsys, "add", content, "--type", "event", *options)["memory"]["id"])


def test_a_memory_goes_through_its_life(capsys):
    first = told(
        capsys,
        *("add", "续签", "邮件服务器的证书", "-t", "Plan", "--importance", "0.9"),
        *("--tag", "mail", "--tag", "critical", "--session", "s1", "--owner", "life"),
        *("--expires", "2026-05-01", "--created", "2026-03-01T10:00:00Z", "--event-id", "e"),
    )
    memory = first["memory"]
    assert (memory["content"], memory["type"]) == ("续签 邮件服务器的证书", "PLAN")
    assert (memory["tags"], memory["importance"]) == (["mail", "critical"], 0.9)
    assert memory["created_at"] == "2026-03-01T10:00:00Z"
    end = datetime.fromisoformat("2026-05-01T23:59:59").astimezone()
    assert datetime.fromisoformat(memory["expires_at"]) == end
    again = told(capsys, "add", "x", "-t", "plan", "--owner", "life", "--event-id", "e")
    assert again == {**first, "duplicate": True}
    changed = told(
        capsys, "update", memory["id"], "--content", "手动续签", "--no-tags", "--no-expiry"
    )["memory"]
    assert (changed["content"], changed["tags"], changed["expires_at"]) == ("手动续签", [], None)
    assert told(capsys, "get", memory["id"])["memory"] == changed
    assert told(capsys, "resolve", memory["id"])["memory"]["state"] == "resolved"
    (listed,) = told(capsys, "list", "--owner", "life", "--state", "Resolved")["memories"]
    assert listed["id"] == memory["id"]
    (found,) = told(capsys, "search", "续签", "--owner", "life", "--type", "plan")["results"]
    assert found["memory"]["id"] == memory["id"]
    assert told(capsys, "search", "续签", "--owner", "life", "--exclude", memory["id"]) == {
        "results": []
    }
    receipt = told(capsys, "forget", memory["id"], "--yes")
    assert receipt["ids"] == [memory["id"]]
    assert "error" in told(capsys, "get", memory["id"], code=1)


def test_people_read_it_in_lines(capsys):
    capsys.readouterr()
    content = "Anna\nowns \x1b[31mbilling " + "and more " * 20
    memory_id = said(capsys, "add", content, "-t", "relationship", "--owner", "read").split()[-1]
    table = said(capsys, "list", "--owner", "read")
    assert memory_id in table
    assert "RELATIONSHIP" in table
    assert "Anna owns" in table
    assert "\x1b" not in table
    assert "…" in table
    assert said(capsys, "add", content, "-t", "relationship", "--owner", "read").startswith("known")
    shown = said(capsys, "get", memory_id)
    assert "owner: read" in shown
    assert "type: RELATIONSHIP" in shown
    assert memory_id in said(capsys, "search", "Anna", "--owner", "read")
    assert said(capsys, "list", "--owner", "nobody") == "nothing remembered\n"
    assert said(capsys, "search", "unheard", "--owner", "read") == "nothing found\n"


def test_a_list_says_when_things_are_due_by_the_clock_of_the_machine(capsys, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        when = ("--expires", "2031-05-01T09:30", "--created", "2026-05-02")
        added(capsys, "Renew the domain", "-t", "plan", "--owner", "due", *when)
        added(capsys, "Sometime", "-t", "plan", "--owner", "due", "--created", "2026-05-01")
        head, first, second = said(capsys, "list", "--owner", "due").splitlines()
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()
    assert head.split()[-3:] == ["created", "due", "content"]
    assert "2026-05-02 00:00  2031-05-01 09:30  Renew the domain" in first
    assert second.split()[-2:] == ["-", "Sometime"]
    added(capsys, "Dateless", "-t", "plan", "--owner", "undue")
    assert "due" not in said(capsys, "list", "--owner", "undue").splitlines()[0]


def test_a_page_says_how_to_go_on(capsys):
    for number in range(3):
        added(capsys, f"note {number}", "--owner", "pages")
    out = said(capsys, "list", "--owner", "pages", "-n", "2")
    cursor = out.rsplit("--cursor '", 1)[1].split("'")[0]
    rest = told(capsys, "list", "--owner", "pages", "-n", "2", "--cursor", cursor)
    assert [memory["content"] for memory in rest["memories"]] == ["note 0"]


def test_text_comes_from_standard_input(daemon: Process):
    words = "  Anna owns\nbilling  "
    ran = process(
        daemon, "add", "-", "-t", "context", "--owner", "stdin", "--json", given=f"{words}\n"
    )
    memory = json.loads(ran.stdout)["memory"]
    assert memory["content"] == words.strip()
    changed = process(daemon, "update", memory["id"], "--content", "-", "--json", given="二\n")
    assert json.loads(changed.stdout)["memory"]["content"] == "二"
    found = process(daemon, "search", "-", "--owner", "stdin", "--json", given="二\n")
    assert json.loads(found.stdout)["results"][0]["memory"]["id"] == memory["id"]


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("", 1)])
def test_forgetting_asks_on_standard_error_and_no_answer_is_no(daemon, capsys, answer, code):
    name = f"ask{code}{len(answer)}"
    memory_id = added(capsys, f"the code of {name}", "--owner", name)
    for arguments in ([memory_id], ["--query", "the code", "--owner", name]):
        ran = process(daemon, "forget", *arguments, "--json", given=answer)
        assert ran.returncode == code, ran.stderr
        assert f"the code of {name}" in ran.stderr
        assert "Forget this?" in ran.stderr
        if code == 0:
            assert json.loads(ran.stdout)["ids"] == [memory_id]
            memory_id = added(capsys, f"the code of {name}", "--owner", name)
        else:
            error = json.loads(ran.stdout)["error"]
            assert error["code"] == code
            assert "nothing was forgotten" in error["message"]
            assert "nothing was forgotten" in ran.stderr
    assert told(capsys, "get", memory_id)["memory"]["id"] == memory_id


def test_several_are_forgotten_or_none(capsys):
    ids = [added(capsys, f"secret number {number}", "--owner", "many") for number in range(2)]
    told(capsys, "forget", *ids, "01UNKNOWN", "--yes", code=1)
    assert len(told(capsys, "list", "--owner", "many")["memories"]) == 2
    out = said(capsys, "forget", *ids, ids[0], "-y")
    assert "memories=2" in out
    assert "out of reach:" in out
    empty = told(capsys, "forget", "--query", "secret number", "--owner", "many", "--yes")
    assert empty["ids"] == []


def test_proposals_are_listed_accepted_and_rejected(daemon: Process, capsys):
    turn = {"user": f"{SAID}\n我打算下周把老接口下线。", "assistant": ""}
    daemon.call("session.turn", session={"key": "agent:main:1"}, **turn)
    until(lambda: len(told(capsys, "proposals")["proposals"]) == 2, what="two proposals")
    plan, decision = told(capsys, "proposals")["proposals"]
    assert (plan["type"], decision["content"]) == ("PLAN", SAID)
    assert SAID in said(capsys, "proposals")
    assert told(capsys, "list", "--query", "Frankfurt")["memories"] == []
    (accepted,) = told(capsys, "accept", decision["id"])["accepted"]
    assert accepted["memory"]["origin"] == "proposed"
    assert told(capsys, "reject", plan["id"]) == {"rejected": [plan["id"]]}
    assert said(capsys, "proposals") == "nothing proposed\n"
    for verb in ("accept", "reject"):
        assert "not found" in said(capsys, verb, plan["id"], code=1)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["add", "x", "-t", "wish"], 2, "recalld: type: wish is none of IDENTITY"),
        (["add", "   ", "-t", "plan"], 2, "recalld: content: is empty"),
        (["add", "x" * 9_000, "-t", "plan"], 2, "recalld: content: "),
        (
            ["add", "x", "-t", "plan", "--expires", "tomorrow"],
            2,
            "--expires: 'tomorrow' is no date",
        ),
        (["add", "x", "-t", "plan", "--created", "0001-01-01T00:00:00+23:00"], 2, "created-at: "),
        (
            ["add", "x", "-t", "plan", "--tag", "cron:daly"],
            2,
            "recalld: tags: 'cron:daly' is no schedule, such as cron:daily:09:00",
        ),
        (["list", "--state", "gone"], 2, "recalld: states: gone is none of active"),
        (["list", "--since", "x"], 2, "--since"),
        (["list", "--cursor", "x"], 2, "recalld: cursor: "),
        (["search", " "], 2, "recalld: query: "),
        (["update", "01UNKNOWN"], 2, "name what to change"),
        (["update", "01UNKNOWN", "--no-tags", "--tag", "x"], 2, "not both"),
        (["update", "01UNKNOWN", "--no-tags"], 1, "not found"),
        (["get", "01UNKNOWN"], 1, "not found"),
        (["resolve", "01UNKNOWN"], 1, "not found"),
        (["forget", "01UNKNOWN", "--yes"], 1, "not found"),
        (["forget", "--yes"], 2, "by ID, or by --query"),
        (["forget", "01UNKNOWN", "--query", "x", "--yes"], 2, "by ID, or by --query"),
        (["accept", "01UNKNOWN"], 1, "not found"),
    ],
)
def test_what_is_wrong_is_said_and_has_its_code(capsys, arguments, code, words):
    assert words in said(capsys, *arguments, code=code)


@pytest.mark.parametrize("arguments", [["add", "x"], ["get"], ["list", "-n", "0"], ["nonsense"]])
def test_usage_errors_are_2(arguments):
    assert run(["memory", *arguments]) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        *(["add", "x", "-t", "plan"], ["get", "i"], ["list"], ["search", "x"], ["resolve", "i"]),
        *(["update", "i", "--no-tags"], ["forget", "i"], ["proposals"], ["accept", "i"]),
        ["reject", "i"],
    ],
)
def test_without_a_daemon_every_command_is_69_and_says_how_to_start_one(
    tmp_path, capsys, arguments
):
    capsys.readouterr()
    assert run(["memory", *arguments, "--socket", str(tmp_path / "none")]) == 69
    assert "recalld serve" in capsys.readouterr().err


def test_a_search_by_words_only_is_said_on_standard_error(tmp_path: Path, capsys):
    answers: dict[str, dict[str, object] | None] = {"memory.search": {"results": []}}
    with scripted_daemon(tmp_path / "s", answers) as daemon:
        for more, said_so in (({}, False), ({"by_words": True}, True)):
            answers["memory.search"] = {"results": [], **more}
            assert run(["memory", "search", "x", "--socket", str(daemon.path)]) == 0
            captured = capsys.readouterr()
            assert captured.out == "nothing found\n"
            assert ("by words only" in captured.err) is said_so
