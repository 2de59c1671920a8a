"""``tail`` and ``why`` over trace files, with and without a daemon."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from recalld.cli._run import run
from recalld.cli._traces import readable
from support.scripted import scripted_daemon

TRACE = {
    "ts": "2026-08-01T09:30:05.000Z",
    "traceId": "01JA",
    "session": "s1",
    "status": "ok",
    "prompt": "what did we decide about retries?",
    "elapsedMs": 41.72,
    "gateDecision": "yes",
    "gateReason": "memory_intent",
    "gateRule": "en.decide",
    "recallDepth": "balanced",
    "fusionTop": [{"path": "memory/a.md", "bestRawScore": 0.91}],
    "candidates": [
        {"id": "u1", "path": "a.md", "startLine": 1, "endLine": 2, "bestRaw": 0.9, "cutBy": None}
    ],
    "stages": [],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    memory = tmp_path / "notes" / "memory"
    memory.mkdir(parents=True)
    newer = {**TRACE, "ts": "2026-08-01T09:31:00.000Z", "traceId": "01JB", "status": "no_result"}
    (memory / "recall-traces.jsonl").write_text(
        json.dumps(newer, ensure_ascii=False) + '\n{"torn', encoding="utf-8"
    )
    (memory / "recall-traces.jsonl.1").write_text(
        json.dumps(TRACE, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    return tmp_path / "notes"


@pytest.fixture
def elsewhere(tmp_path: Path) -> list[str]:
    return ["--socket", str(tmp_path / "absent"), "--config", "/dev/null"]


def test_a_trace_is_one_readable_line():
    line = readable(TRACE)
    for part in ("09:30:05", "ok", "41.7 ms", "yes/memory_intent", "balanced", "0.91", "01JA"):
        assert part in line
    assert '"what did we decide about retries?"' in line
    assert "\n" not in readable({**TRACE, "prompt": "a\nb"})
    assert readable({}) != ""


def test_tail_shows_the_last_lines_over_rotated_files_and_ends_on_demand(folder, elsewhere, capsys):
    assert run(["tail", "--no-follow", "-n", "2", "-w", str(folder), *elsewhere]) == 0
    lines = capsys.readouterr().out.rstrip("\n").split("\n")
    assert [line.split("  ")[-1] for line in lines] == ["01JA", "01JB"]


def test_tail_counts_its_lines_over_all_files_by_their_time(folder, tmp_path, elsewhere, capsys):
    other = tmp_path / "other" / "memory"
    other.mkdir(parents=True)
    between = {**TRACE, "ts": "2026-08-01T09:30:30.000Z", "traceId": "01JO"}
    lines = [json.dumps(between), "no trace", json.dumps({**between, "traceId": "01JP"})]
    (other / "recall-traces.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    given = ["tail", "--no-follow", "-w", str(folder), "-w", str(other.parent), *elsewhere]
    shown = {}
    for count in ("1", "3", "9"):
        assert run([*given, "-n", count]) == 0
        out = capsys.readouterr().out.rstrip("\n").split("\n")
        shown[count] = [line.split("  ")[-1] for line in out]
    assert shown == {
        "1": ["01JB"],
        "3": ["01JP", "01JB"],
        "9": ["01JA", "01JO", "01JP", "01JB"],
    }
    assert run([*given, "-n", "3", "--json"]) == 0
    assert capsys.readouterr().out.split("\n")[:2] == lines[1:]


def test_tail_that_does_not_follow_says_so_and_when_there_is_nothing(tmp_path, elsewhere, capsys):
    assert run(["tail", "--no-follow", "-w", str(tmp_path), *elsewhere]) == 0
    first, second, _ = capsys.readouterr().err.split("\n")
    assert first.startswith("reading ")
    assert second == "no trace yet"


def test_traces_of_prompts_without_a_workspace_are_shown_though_none_is_configured(
    tmp_path, elsewhere, monkeypatch, capsys
):
    monkeypatch.setenv("RECALLD_STATE_DIR", str(tmp_path))
    (tmp_path / "recall-traces.jsonl").write_text(json.dumps(TRACE) + "\n", encoding="utf-8")
    for command in (["tail", "--no-follow"], ["why", "last"], ["why", "01JA"]):
        assert run([*command, *elsewhere]) == 0
        assert "01JA" in capsys.readouterr().out


def test_raw_tail_is_the_lines_as_they_are(folder, elsewhere, capsys):
    assert run(["tail", "--no-follow", "--json", "-w", str(folder), *elsewhere]) == 0
    out = capsys.readouterr().out
    assert json.loads(out.split("\n")[0]) == TRACE


def test_tail_asks_the_daemon_where_the_workspaces_are(folder, tmp_path, capsys):
    answers: dict[str, dict[str, object] | None] = {
        "index.status": {"workspaces": [{"workspace": str(folder)}]}
    }
    with scripted_daemon(tmp_path / "s", answers) as daemon:
        arguments = ["--socket", str(daemon.path), "--config", "/dev/null"]
        assert run(["tail", "--no-follow", *arguments]) == 0
    assert "01JB" in capsys.readouterr().out


def test_tail_without_any_workspace_is_a_configuration_fault(elsewhere, capsys):
    assert run(["tail", "--no-follow", *elsewhere]) == 78
    said = capsys.readouterr().err
    assert "--workspace DIR" in said
    assert "recalld workspace add DIR" in said


def test_why_finds_a_trace_in_the_files_when_no_daemon_runs(folder, elsewhere, capsys):
    assert run(["why", "01JA", "-w", str(folder), *elsewhere]) == 0
    out = capsys.readouterr().out
    assert "yes because memory_intent, rule en.decide" in out
    assert "a.md:1-2" in out


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"rescueStatus": "skipped_not_deep"}, None),
        ({"rescueStatus": "skipped_disabled"}, "rescue   skipped_disabled\n"),
        (
            {"rescueStatus": "failed", "rescueReason": "http_429", "rescueQueries": 0},
            "rescue   failed because http_429\n",
        ),
        ({"rescueStatus": "ok", "rescueQueries": 2}, "rescue   ok, 2 queries more\n"),
    ],
)
def test_why_tells_of_a_language_model_only_where_it_was_near(
    folder, elsewhere, capsys, fields, told
):
    line = json.dumps({**TRACE, **fields, "traceId": "01JC"})
    (folder / "memory" / "recall-traces.jsonl.1").write_text(line + "\n", encoding="utf-8")
    assert run(["why", "01JC", "-w", str(folder), *elsewhere]) == 0
    out = capsys.readouterr().out
    assert told in out if told else "rescue" not in out


def test_why_last_is_the_newest_trace(folder, elsewhere, capsys):
    assert run(["why", "last", "--json", "-w", str(folder), *elsewhere]) == 0
    assert json.loads(capsys.readouterr().out)["trace_id"] == "01JB"


def test_why_of_a_trace_that_is_nowhere_is_a_finding(folder, elsewhere, capsys):
    assert run(["why", "01JX", "-w", str(folder), *elsewhere]) == 1
    assert str(folder) in capsys.readouterr().err


def test_why_looks_into_the_files_when_the_daemon_has_forgotten(folder, tmp_path, capsys):
    answers: dict[str, dict[str, object] | None] = {
        "recall.explain": {"error": {"code": -32004, "message": "not found"}},
        "index.status": {"workspaces": [{"workspace": str(folder)}]},
    }
    with scripted_daemon(tmp_path / "s", answers) as daemon:
        arguments = ["--socket", str(daemon.path), "--config", "/dev/null"]
        assert run(["why", "01JA", *arguments]) == 0
    assert "01JA" in capsys.readouterr().out


@pytest.fixture
def broken_default(tmp_path: Path, monkeypatch) -> Path:
    """The user's own file, with a mistake in it."""
    file = tmp_path / "xdg" / "recalld" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("recall.topk = 4", encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("RECALLD_CONFIG", raising=False)
    return file


LOOKS = [["tail", "--no-follow"], ["why", "last"], ["workspace", "list"]]


@pytest.mark.parametrize("command", LOOKS)
def test_a_broken_file_is_a_warning_while_a_daemon_knows_the_folders(
    folder, tmp_path, broken_default, command, capsys
):
    answers: dict[str, dict[str, object] | None] = {
        "index.status": {"workspaces": [{"workspace": str(folder)}]}
    }
    with scripted_daemon(tmp_path / "s", answers) as daemon:
        assert run([*command, "--socket", str(daemon.path)]) == 0
    captured = capsys.readouterr()
    assert ("01JB" if command != ["workspace", "list"] else str(folder)) in captured.out
    assert f"warning: {broken_default}: recall.topk: unknown key" in captured.err


@pytest.mark.parametrize("command", LOOKS)
def test_a_broken_file_is_78_without_a_daemon(tmp_path, broken_default, command, capsys):
    assert run([*command, "--socket", str(tmp_path / "absent")]) == 78
    assert "recall.topk" in capsys.readouterr().err


def test_a_named_file_says_where_the_traces_are_also_while_a_daemon_serves_others(
    folder, tmp_path, capsys
):
    file = tmp_path / "own.toml"
    file.write_text(f"workspaces = ['{folder}']", encoding="utf-8")
    answers: dict[str, dict[str, object] | None] = {
        "index.status": {"workspaces": [{"workspace": "/elsewhere"}]}
    }
    with scripted_daemon(tmp_path / "s", answers) as daemon:
        given = ["--socket", str(daemon.path), "--config", str(file)]
        assert run(["tail", "--no-follow", *given]) == 0
        assert run(["why", "last", *given]) == 0
    captured = capsys.readouterr()
    assert captured.out.count("01JB") == 2
    assert "/elsewhere" not in captured.err


def test_tail_says_in_one_line_what_it_follows_and_that_nobody_writes(folder, elsewhere):
    process = subprocess.Popen(
        [sys.executable, "-m", "recalld", "tail", "-w", str(folder), *elsewhere],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stderr is not None
    first = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=10)
    assert str(folder) in first
    assert "no daemon answers" in first
    assert rest == ""


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"strongSignalTop": 0.0, "strongSignalSecond": 0.0, "strongSignal": False}, None),
        ({}, None),
        (
            {"strongSignalTop": 1.0, "strongSignalSecond": 0.0, "strongSignal": True},
            "strong   yes: best 1, next: none good enough in another file",
        ),
        (
            {
                "strongSignalTop": 0.84213,
                "strongSignalSecond": 0.5,
                "strongSignal": False,
                "strongSignalSource": "memory",
            },
            "strong   no: best 0.842, next: 0.5, source memory",
        ),
    ],
)
def test_why_tells_the_strong_signal_in_words_and_only_when_there_is_one(
    tmp_path, elsewhere, capsys, fields, line
):
    told = _why_of({**TRACE, **fields}, tmp_path, elsewhere, capsys)
    strong = [said for said in told.split("\n") if said.startswith("strong")]
    assert strong == ([] if line is None else [line])


@pytest.mark.parametrize("kept", [set(TRACE), {"traceId"}, {"traceId", "gateDecision"}, set()])
def test_why_never_prints_a_fact_that_is_not_there(tmp_path, elsewhere, capsys, kept):
    trace = {name: value for name, value in TRACE.items() if name in kept}
    told = _why_of(trace, tmp_path, elsewhere, capsys)
    assert "None" not in told
    assert "0.0" not in told


def _why_of(trace, folder, elsewhere, capsys) -> str:
    (folder / "memory").mkdir()
    file = folder / "memory" / "recall-traces.jsonl"
    file.write_text(json.dumps(trace) + "\n", encoding="utf-8")
    assert run(["why", "last", "-w", str(folder), *elsewhere]) == 0
    return str(capsys.readouterr().out)
