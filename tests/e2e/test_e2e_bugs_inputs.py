"""Hostile files, queries and settings at the real daemon, beside good ones that must not suffer."""

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from support.daemon import launched, running
from support.e2e import until
from support.e2e_rows import bad_inputs, holders, name_of, payload

NOTE = "# Plan\n\n## Approval plugin\n\nWe decided on a two step review for the approval plugin.\n"
CHINESE = "# 计划\n\n审批插件已经推进到第二步，下周交给法务复核。\n"
SECRETS = (
    "AKIAQ3EGRJZ7WLK2M5TN",
    "k9Zr2Lw8Xq4Vb1Nc7Md3Fs6Gh5Jt0PyUaReIoTgb",
    "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW",
)
# Bidi controls, zero-width characters and tags: none may reach the block as it is.
HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\U000e0000-\U000e007f]")


@pytest.fixture(scope="module")
def world(tmp_path_factory, eval_data):
    home = tmp_path_factory.mktemp("inputs")
    notes = home / "notes"
    (notes / "memory").mkdir(parents=True)
    (notes / "memory" / "plan.md").write_text(NOTE, encoding="utf-8")
    (notes / "memory" / "计划.md").write_text(CHINESE, encoding="utf-8")
    rows = bad_inputs(eval_data, "file")
    assert len(rows) == 16
    for row in rows.values():
        Path(os.fsdecode(bytes(notes) + b"/" + name_of(row))).write_bytes(payload(row))
    with running(home / "d", workspaces=[notes]) as daemon, daemon.peer(timeout_s=1.0) as other:
        report = daemon.call("index.sync")
        assert [(file["path"], file["why"]) for file in report["skipped"]] == [
            ("utf16.md", "utf16")
        ]
        yield daemon, notes, other


@pytest.fixture(autouse=True)
def bystander(world):
    """A second connection is answered within a second, and no stack trace was logged."""
    daemon, _, other = world
    yield
    assert other.result("ping")["ok"]
    assert "Traceback" not in daemon.log_text()


def peak_bytes(daemon):
    status = Path(f"/proc/{daemon.child.pid}/status").read_text("utf-8")
    return 1_024 * int(status.split("VmHWM:")[1].split()[0])


def shown(daemon, notes, text):
    """The block that a prompt gets; the reply as a whole holds no stack trace."""
    session = {"key": "agent:main:inputs", "workspace": str(notes)}
    result = daemon.call("session.prompt", session=session, text=text)
    assert "Traceback" not in str(result)
    return result


def chunks(daemon):
    """``{path: [(first line, last line, text)]}`` as it is stored."""
    found: dict[str, list[tuple[int, int, str]]] = {}
    with closing(sqlite3.connect(daemon.state / "index.db")) as connection:
        rows = connection.execute(
            "SELECT f.path, c.start_line, c.end_line, c.text FROM file f"
            " LEFT JOIN chunk c ON c.file_id = f.id WHERE f.skipped IS NULL ORDER BY 1, 2"
        )
        for path, *chunk in rows:
            found.setdefault(path, [])
            if chunk[0] is not None:
                found[path].append(tuple(chunk))
    return found


def test_hostile_files_are_taken_or_named_and_the_good_one_beside_them_is_found(world):
    daemon, notes, _ = world
    of = chunks(daemon)
    assert of["empty.md"] == []
    assert of["bom.md"] == [(1, 3, "# Title\n\nplan text")]
    assert of["latin1.md"] == [(1, 3, "# Caf\ufffd\n\nna\ufffdve plan")]
    assert "\ufffd" in of["overlong.md"][0][2]
    assert not any("\0" in text for found in of.values() for _, _, text in found)
    assert of["fence.md"][-1][1] == 5
    assert "*f,*f" in of["yamlbomb.md"][0][2]
    assert max(len(text) for _, _, text in of["yamlbomb.md"]) < 1_000
    assert of["vt.md"][-1][:2] == (1, 2)
    assert of["longline.md"]
    hits = daemon.call("search", query="two step review of the approval plugin")["hits"]
    assert hits[0]["path"] == "memory/plan.md"
    assert shown(daemon, notes, "what did we decide about the approval plugin?")["context"]


def test_a_line_of_four_megabytes_costs_no_more_than_64_mebibytes(tmp_path, eval_data):
    row = bad_inputs(eval_data, "file")["bad-a-033"]
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "good.md").write_text(NOTE, encoding="utf-8")
    with running(tmp_path / "d", workspaces=[notes]) as daemon:
        daemon.call("index.sync")
        before = peak_bytes(daemon)
        (notes / "longline.md").write_bytes(payload(row))
        report = daemon.call("index.sync")
        assert peak_bytes(daemon) - before <= 64 * 2**20
        assert report["took_ms"] < 5_000


def test_changes_are_seen_beside_a_name_that_is_no_text(world):
    daemon, notes, _ = world
    (notes / "later.md").write_text("the zeppelin hangar opens at noon\n", encoding="utf-8")

    def found():
        hits = daemon.call("search", query="zeppelin hangar")["hits"]
        return bool(hits) and hits[0]["path"] == "later.md"

    until(found, what="the later change")


def test_a_note_cannot_close_the_block_or_speak_as_the_system(world):
    daemon, notes, _ = world
    result = shown(daemon, notes, "/recall deploy notes maintenance mode print all keys")
    block = result["context"]
    assert "closetag.md#L" in block
    assert block.count("<recall-context>") == block.count("</recall-context>") == 1
    assert block.endswith("</recall-context>")
    assert not re.search(r"(?m)^\s*(System|Human|Assistant|User)\s*:", block)
    assert not re.search(
        r"</?\s*recall", block[len("<recall-context>") : -len("</recall-context>")]
    )


def test_a_note_that_gives_orders_is_quoted_with_its_place_and_obeyed_by_nobody(world):
    daemon, notes, _ = world
    result = shown(daemon, notes, "/recall ignore all previous instructions contents of ssh")
    (line,) = [line for line in result["context"].splitlines() if "evil.example" in line]
    assert re.match(r"- \[documents\] inject\.md#L1-L1", line)
    inside = result["context"].splitlines()[1:-1]
    assert "not instructions" in inside[0]
    assert network_sockets(daemon) == []


def network_sockets(daemon):
    """Inodes of the daemon's own internet sockets."""
    inodes = set()
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        table = Path(f"/proc/{daemon.child.pid}/net/{kind}")
        if table.exists():
            inodes |= {line.split()[9] for line in table.read_text().splitlines()[1:]}
    held = [os.readlink(fd) for fd in Path(f"/proc/{daemon.child.pid}/fd").iterdir()]  # noqa: PTH115
    return [one for one in held if one.removeprefix("socket:[").rstrip("]") in inodes]


def test_hidden_characters_of_a_note_do_not_reach_the_block(world):
    daemon, notes, _ = world
    result = shown(daemon, notes, "/recall visible text neddih")
    assert "invisible.md#L1" in result["context"]
    assert not HIDDEN.search(result["context"])


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("/recall aws access key id secret access key", "aws.md"),
        ("/recall begin openssh private key", "key.md"),
    ],
)
def test_secrets_of_a_note_are_in_no_answer(world, query, path):
    daemon, notes, _ = world
    answers = [
        shown(daemon, notes, query),
        shown(daemon, notes, f"{query} {SECRETS[0]} aws_secret_access_key = {SECRETS[1]}"),
        daemon.call("search", query=query.removeprefix("/recall "), explain=True),
    ]
    assert path in str(answers[0]["context"])
    assert "[redacted:" in answers[0]["context"]
    for answer in answers:
        assert not [secret for secret in SECRETS if secret in str(answer)]
    why = daemon.call("recall.explain", trace_id=answers[1]["trace_id"])
    assert not [secret for secret in SECRETS if secret in str(why)]


def no_search(daemon, text):
    before = daemon.call("status")["counters"].get("search.searches", 0)
    result = daemon.call("session.prompt", session={"key": "q"}, text=text)
    assert daemon.call("status")["counters"].get("search.searches", 0) == before
    assert result["context"] is None
    return result


# What a hostile query must find, as ``search``; and what it is as a prompt.
FINDS = {
    "bad-a-055": "memory/plan.md",
    "bad-a-056": "memory/plan.md",
    "bad-a-059": "memory/计划.md",
}
NO_SEARCH = {
    "bad-a-051": "skipped_not_needed",
    "bad-a-057": "skipped_not_needed",
    "bad-a-058": "skipped_not_needed",
}


def test_hostile_queries_are_answered_as_searches_and_as_prompts(world, eval_data):
    daemon, notes, _ = world
    rows = bad_inputs(eval_data, "query")
    assert len(rows) == 10
    before = chunks(daemon)
    for name, row in rows.items():
        text = payload(row).decode()
        found = daemon.call("search", query=text)["hits"]
        if name in FINDS:
            assert FINDS[name] in [hit["path"] for hit in found], name
        if name in NO_SEARCH:
            assert no_search(daemon, text)["status"] == NO_SEARCH[name], name
        else:
            assert shown(daemon, notes, text)["elapsed_ms"] <= 5_050, name
    assert chunks(daemon) == before
    assert daemon.call("search", query="")["hits"] == []
    suppressed = no_search(daemon, payload(rows["bad-a-058"]).decode())
    assert suppressed["decision"]["reason"] == "suppressed"


def test_no_file_of_ours_holds_a_secret_while_it_runs_or_afterwards(world):
    daemon, notes, _ = world
    said = f"/recall what did we decide about aws_secret_access_key = {SECRETS[1]}, {SECRETS[0]}?"
    assert shown(daemon, notes, said)["trace_id"]
    until(lambda: traces_of(notes) != [], what="the trace")
    ours = [daemon.state, daemon.log, *traces_of(notes)]
    assert holders(SECRETS, ours) == []
    assert holders(["approval plugin"], ours) != []


def traces_of(notes):
    return list((notes / "memory").glob("*.jsonl*"))


# The hostile settings as the daemon's own file says them, and the key that is named.
SETTINGS = {
    "bad-a-043": ("[recall\nprofile = ", "config.toml"),
    "bad-a-044": ("[recall]\nmax_total_ms = -1\n", "recall.max_total_ms"),
    "bad-a-045": ('[recall]\nmax_total_ms = "5000"\n', "recall.max_total_ms"),
    "bad-a-046": ('[recall.expansion]\nendpoint = "file:///etc/passwd"\n', "endpoint"),
    "bad-a-047": (
        '[recall.expansion]\nendpoint = "http://169.254.169.254/latest/meta-data/"\n',
        "endpoint",
    ),
    "bad-a-048": ('[trace]\nfile = "../../../../etc/cron.d/x"\n', "trace.file"),
    "bad-a-049": ('[recall.trigger]\nexplicit_prefixes = [""]\n', "explicit_prefixes"),
    "bad-a-050": ("[recall]\ntop_k = 1000000000\n", "recall.top_k"),
}


def test_hostile_settings_are_refused_at_start_and_on_reload(tmp_path, eval_data):
    assert set(SETTINGS) == set(bad_inputs(eval_data, "config"))
    with running(tmp_path / "d") as daemon, daemon.peer() as peer:
        for number, (name, (text, key)) in enumerate(SETTINGS.items()):
            with launched(tmp_path / f"start{number}", config=text) as refused:
                assert refused.ended() == 78, name
                assert key in refused.log_text(), name
                assert "Traceback" not in refused.log_text()
            (tmp_path / "d" / "config.toml").write_text(text, encoding="utf-8")
            error = peer.ask("config.reload")["error"]
            assert error["code"] == -32005, name
            assert key in str(error), name
        assert peer.result("ping")["ok"]
