"""Each command asks the daemon for the right thing, prints it, and ends with the right code."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recalld.cli._output import flowing
from recalld.cli._run import run
from recalld.cli.index import sync
from recalld.client import Client, TimedOut
from support.answering import ANSWERED, EXPLAINED, HIT, answering, recalld
from support.scripted import ScriptedDaemon, scripted_daemon


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[ScriptedDaemon]:
    with answering(tmp_path) as daemon:
        yield daemon


def test_recall_shows_the_decision_the_stages_and_the_block(daemon, capsys):
    assert recalld(daemon, "recall", "what about retries?") == 0
    out = capsys.readouterr().out
    assert "yes (memory_intent, 0.90) · balanced · ok · 1 hit, best 0.91 · 12 tokens" in out
    assert "literal 31.0" in out
    assert "<recall-context>five attempts</recall-context>" in out


def test_recall_sends_what_was_asked_for(daemon, tmp_path):
    code = recalld(
        daemon, "recall", "x", "-w", str(tmp_path), "--session", "s1", "--budget-ms", "300"
    )
    assert code == 0
    (params,) = daemon.seen("session.prompt")
    assert params["session"] == {"key": "s1", "client": "recalld-cli", "workspace": str(tmp_path)}
    assert (params["text"], params["budget_ms"]) == ("x", 300)


def test_each_recall_is_a_session_of_its_own_unless_one_is_named(daemon):
    for arguments in ([], [], ["--session", "s1"], ["--session", "s1"]):
        assert recalld(daemon, "recall", "x", *arguments) == 0
    first, second, *named = (p["session"]["key"] for p in daemon.seen("session.prompt"))
    assert first != second
    assert named == ["s1", "s1"]


def test_recall_tries_the_current_folder_when_no_workspace_is_known(daemon, capsys):
    daemon.answers["session.prompt"] = {"status": "no_result", "reason": "no_workspace"}
    assert recalld(daemon, "recall", "x") == 0
    asked = [params["session"]["workspace"] for params in daemon.seen("session.prompt")]
    assert asked == [None, str(Path.cwd())]
    out = capsys.readouterr().out
    assert "no_result (no_workspace)" in out
    assert "recalld workspace add" in out


def test_recall_outside_of_every_workspace_lists_those_that_can_be_named(daemon, capsys, tmp_path):
    daemon.answers["session.prompt"] = {"status": "no_result", "reason": "no_workspace"}
    roots = ["/home/maya/notes", "/home/maya/my team"]
    daemon.answers["index.status"] = {"workspaces": [{"workspace": root} for root in roots]}
    assert recalld(daemon, "recall", "x", "-w", str(tmp_path)) == 0
    out = capsys.readouterr().out
    assert f"{tmp_path} is in no remembered folder" in out
    assert "recalld recall -w /home/maya/notes …" in out
    assert "recalld recall -w '/home/maya/my team' …" in out


@pytest.mark.parametrize(("status", "told"), [("low_quality", True), ("ok", False)])
def test_a_recall_that_found_too_little_says_where_it_can_be_seen(daemon, capsys, status, told):
    daemon.answers["session.prompt"] = {**ANSWERED, "status": status, "context": None, "hits": []}
    assert recalld(daemon, "recall", "x") == 0
    assert ("not good enough: recalld why 01J\n" in capsys.readouterr().out) is told


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("dense: loading", "ok (words only, model loading)"),
        ("dense: no vectors yet", "ok (words only, no vectors yet)"),
        ("dense: 40% of the windows embedded", "ok (by meaning in part, 40% of the windows"),
        ("det:axis: timeout", "ok (det:axis: timeout)"),
        (None, "ok · "),
    ],
)
def test_the_headline_says_why_an_answer_is_less_than_it_could_be(daemon, capsys, reason, shown):
    daemon.answers["session.prompt"] = {**ANSWERED, "reason": reason}
    daemon.answers["search"] = {"hits": [], "degraded": [reason] if reason else []}
    assert recalld(daemon, "recall", "x") == 0
    assert shown in capsys.readouterr().out
    assert recalld(daemon, "search", "x") == 0
    note = shown.removeprefix("ok (") if reason else "nothing found"
    assert note.rstrip(")") in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "method"), [("recall", "session.prompt"), ("search", "search")]
)
def test_several_words_are_one_text_and_a_dash_reads_standard_input(daemon, command, method):
    key = "text" if command == "recall" else "query"
    given = ["--socket", str(daemon.path)]
    assert run([command, "what", "about", "the queue?", *given]) == 0
    ran = subprocess.run(
        [sys.executable, "-m", "recalld", command, "-", *given],
        input="两行\nof text \xff\n".encode() + b"\xff\n",
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert ran.returncode == 0
    texts = [params[key] for params in daemon.seen(method)]
    assert texts == ["what about the queue?", "两行\nof text \xff\n\ufffd"]


@pytest.mark.parametrize(
    "arguments", [["recall", "x"], ["search", "x"], ["index"], ["index", "status"], ["status"]]
)
def test_a_daemon_that_hangs_is_75_for_want_of_a_ping(daemon, capsys, arguments):
    daemon.answers["ping"] = None
    assert recalld(daemon, *arguments) == 75
    assert "does not answer within 2 s" in capsys.readouterr().err
    assert [request["method"] for request in daemon.requests] == ["ping"]


def test_a_prompt_that_is_never_answered_is_given_up_after_its_own_budget(daemon, capsys):
    daemon.answers["session.prompt"] = None
    assert recalld(daemon, "recall", "x", "--budget-ms", "50") == 75
    assert "no answer in time" in capsys.readouterr().err


@pytest.mark.parametrize("quiet", [True, False])
def test_a_sync_goes_on_while_pings_are_answered_and_ends_when_they_are_not(tmp_path, quiet):
    answers: dict[str, dict[str, object] | None] = {"index.sync": None, "index.status": {}}
    with scripted_daemon(tmp_path / "s", answers) as daemon:

        class Failing(Client):
            """Loses the daemon at the third ping."""

            pings: int = 0

            def call(self, method, params=None, *, timeout_s=10.0):
                self.pings += method == "ping"
                if self.pings == 3:
                    daemon.answers["ping"] = None
                    timeout_s = 0.05
                return super().call(method, params, timeout_s=timeout_s)

        with (
            Client(daemon.path) as client,
            closing(Failing(daemon.path)) as other,
            pytest.raises(TimedOut, match="stopped answering"),
        ):
            sync(client, other, {}, quiet=quiet)
        assert other.pings == 3


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("## Upload queue\n- five times\n- then parked", "five times • then parked"),
        ("# Title\n\n## Part\nSome text.", "Some text."),
        ("## Only a heading", "Only a heading"),
        ("text - with a dash\n### Inner\nmore", "text - with a dash Inner more"),
        ("#hashtag is no heading", "#hashtag is no heading"),
        ("", ""),
    ],
)
def test_a_snippet_reads_as_a_sentence_and_not_as_markup(daemon, capsys, markdown, shown):
    assert flowing(markdown) == shown
    daemon.answers["search"] = {"hits": [{**HIT, "snippet": markdown}]}
    assert recalld(daemon, "search", "x", "--json") == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["snippet"] == markdown


def test_search_lists_hits_without_control_characters_and_explains_routes(daemon, capsys):
    assert (
        recalld(daemon, "search", "锅炉", "--explain", "--sources", "memory, wiki", "-n", "3") == 0
    )
    out = capsys.readouterr().out
    assert "0.91  memory/2026-05-11.md:8-11  [memory]  Maya, 2026-05-11" in out
    assert "\x1b" not in out
    assert "route literal" in out
    assert daemon.seen("search") == [
        {
            "query": "锅炉",
            "limit": 3,
            "home": str(Path.cwd()),
            "sources": ["memory", "wiki"],
            "explain": True,
        }
    ]


def test_a_search_without_hits_is_no_failure(daemon, capsys):
    daemon.answers["search"] = {"hits": []}
    assert recalld(daemon, "search", "x") == 0
    assert capsys.readouterr().out.startswith("nothing found\n")


def test_a_sync_of_a_folder_that_is_not_remembered_is_a_finding(daemon, capsys, tmp_path):
    why = "not a configured workspace"
    skipped = [{"path": str(tmp_path), "why": why}]
    daemon.answers["index.sync"] = {"files": 0, "chunks": 0, "skipped": skipped}
    assert recalld(daemon, "index", "-w", str(tmp_path)) == 1
    assert why in capsys.readouterr().out
    daemon.answers["index.sync"] = {"files": 1, "skipped": [{"path": "x.md", "why": "not_utf8"}]}
    assert recalld(daemon, "index", "-w", str(tmp_path)) == 0


def test_index_reports_what_changed_and_what_was_skipped(daemon, capsys):
    assert recalld(daemon, "index") == 0
    out = capsys.readouterr().out
    assert "3 files, 9 chunks; 3 added" in out
    assert "skipped x.md: not_utf8" in out


def test_index_status_counts(daemon, capsys):
    assert recalld(daemon, "index", "status") == 0
    assert "chunks: 9" in capsys.readouterr().out


def test_why_tells_the_rule_the_ranks_and_what_was_cut(daemon, capsys):
    assert recalld(daemon, "why", "01J") == 0
    out = capsys.readouterr().out
    assert "gate     yes because memory_intent, rule en.decide" in out
    assert "quality_gate  b.md:3-4" in out
    assert daemon.seen("recall.explain") == [{"trace_id": "01J"}]


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        (["recall", "x"], ANSWERED),
        (["search", "x"], None),
        (["index"], None),
        (["index", "status"], {"files": 3, "chunks": 9, "engine": "usem3"}),
        (["status"], {"state": "ok", "degraded": [], "counters": {"sent": 1}}),
        (["why", "01J"], EXPLAINED),
    ],
)
def test_json_is_the_result_on_one_line(daemon, capsys, arguments, result):
    assert recalld(daemon, *arguments, "--json") == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert isinstance(json.loads(out), dict)
    assert result is None or json.loads(out) == result


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"code": -32001, "message": "busy", "data": {"retry_after_ms": 100}}, 75),
        ({"code": -32002, "message": "unavailable: index"}, 75),
        ({"code": -32003, "message": "shutting down"}, 69),
        ({"code": -32004, "message": "not found"}, 1),
        ({"code": -32005, "message": "refused"}, 1),
        ({"code": -32602, "message": "bad", "data": {"key": "params.limit", "problem": "big"}}, 2),
        ({"code": -32603, "message": "internal", "data": {"incident": "i1"}}, 1),
    ],
)
def test_an_error_of_the_daemon_is_one_line_and_its_own_code(daemon, capsys, error, code):
    daemon.answers["search"] = {"error": error}
    assert recalld(daemon, "search", "x") == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("recalld: ")
    assert captured.err.count("\n") == 1
    for part in error.get("data", {}).values():
        assert isinstance(part, int) or part.removeprefix("params.") in captured.err
    assert "params." not in captured.err


@pytest.mark.parametrize(
    "arguments", [["recall", "x"], ["search", "x"], ["index"], ["index", "status"], ["status"]]
)
def test_without_a_daemon_the_commands_say_how_to_start_one(tmp_path, capsys, arguments):
    assert run([*arguments, "--socket", str(tmp_path / "absent")]) == 69
    captured = capsys.readouterr()
    assert "recalld serve" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["search"],
        ["search", "x", "--limit", "0"],
        ["search", "x", "--limit", "101"],
        ["recall", "x", "--budget-ms", "49"],
        ["nonsense"],
        ["search", "x", "--nonsense"],
        ["config", "nonsense"],
    ],
)
def test_a_usage_error_is_two(capsys, arguments):
    assert run(arguments) == 2
    assert "Usage" in capsys.readouterr().err


def test_help_names_every_command(capsys):
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    for name in ("serve", "demo", "recall", "search", "index", "status", "tail", "why", "config"):
        assert name in out
