"""``recalld config``: valid or not, what is in effect, and the plugin's settings as ours."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from recalld.cli._run import run
from recalld.config import Config, load
from recalld.config_decode import convert


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text("[recall]\ntop_k = 4\nexpansion.timeout_ms = 9000\n", encoding="utf-8")
    return path


def test_check_names_the_file_and_its_warnings(file: Path, capsys):
    assert run(["config", "check", str(file)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"ok: {file}\n")
    assert "warning: recall.expansion.timeout_ms: 9000 is cut to 2500" in out


def test_check_of_a_wrong_file_is_78_and_names_the_key(file: Path, capsys):
    file.write_text("recall.topk = 4", encoding="utf-8")
    assert run(["config", "check", "--config", str(file), "--json"]) == 78
    captured = capsys.readouterr()
    problem = {"key": "recall.topk", "problem": "unknown key, did you mean top_k?"}
    assert json.loads(captured.out) == {"ok": False, "file": str(file), "problems": [problem]}
    assert captured.err == ""


def test_check_lists_everything_that_is_wrong_with_file_and_key(file: Path, capsys):
    file.write_text(
        "wrkspaces = []\nworkspaces = ['notes', 3]\n[recall]\ntopk = 4\nmax_total_ms = 1\n"
        "min_score = 0.9\n[recall.gate]\nextended = 3\n[[subscribe]]\nsocket = '/x'\n",
        encoding="utf-8",
    )
    assert run(["config", "check", str(file)]) == 78
    lines = capsys.readouterr().err.rstrip("\n").split("\n")
    keys = [line.removeprefix(f"recalld: {file}: ").split(": ")[0] for line in lines]
    assert sorted(keys) == [
        "recall.gate.extended",
        "recall.max_total_ms",
        "recall.quality_gate",
        "recall.topk",
        "subscribe[0].name",
        "workspaces[1]",
        "wrkspaces",
    ]


def test_check_lists_wrong_variables_by_their_name_and_not_by_the_file(
    file: Path, capsys, monkeypatch
):
    monkeypatch.setenv("RECALLD_RECALL__TOPK", "4")
    monkeypatch.setenv("RECALLD_RECALL__MAX_TOTAL_MS", "1")
    assert run(["config", "check", str(file)]) == 78
    err = capsys.readouterr().err
    assert "recall.max_total_ms: expected int from 500 to 60000, got 1 (from RECALLD_" in err
    assert "(from RECALLD_RECALL__TOPK)" in err
    assert str(file) not in err


def test_a_fault_of_the_syntax_names_file_and_line(file: Path, capsys):
    for text, line in (("[recall]\ntop_k = \n", 2), ("\n\nx = [1,\n", 3), ("a = 1\nb == 2", 2)):
        file.write_text(text, encoding="utf-8")
        assert run(["config", "check", str(file)]) == 78
        err = capsys.readouterr().err
        assert err.startswith(f"recalld: {file}: not valid TOML")
        assert f"line {line}" in err


def test_a_failure_in_json_mode_is_an_error_object_and_the_same_code(file: Path, capsys):
    file.write_text("recall.topk = 4", encoding="utf-8")
    for arguments, code in (
        (["config", "show", "--config", str(file)], 78),
        (["status", "--socket", str(file.parent / "absent"), "--config", "/dev/null"], 69),
        (["config", "show", "nonsense", "--config", "/dev/null"], 1),
    ):
        assert run([*arguments, "--json"]) == code
        captured = capsys.readouterr()
        error = json.loads(captured.out)["error"]
        assert error["code"] == code
        assert captured.err == f"recalld: {error['message']}\n"


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("recall.topk", "recall.topk: there is no such key, did you mean recall.top_k?"),
        ("recal.top_k", "recal.top_k: there is no such key, did you mean recall.top_k?"),
        ("zzz", "zzz: there is no such key\n"),
        (
            "recall.quality_gate.high_raw_score",
            "a value of recall.quality_gate.high_raw_score: it is not set",
        ),
    ],
)
def test_a_key_without_a_value_is_told_from_one_that_does_not_exist(capsys, key: str, says: str):
    assert run(["config", "show", key, "--config", "/dev/null"]) == 1
    assert f"recalld: not found: {says}" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["recall.topk = 4", None])
@pytest.mark.parametrize(
    "arguments",
    [
        *(
            ["recall", "x"],
            ["search", "x"],
            ["index"],
            ["index", "status"],
            ["status"],
            ["why", "x"],
        ),
        *(["tail", "--no-follow"], ["workspace", "list"], ["workspace", "add", "/tmp"]),
        *(["workspace", "remove", "/tmp"], ["config", "show"], ["config", "check"]),
    ],
)
def test_a_named_file_that_is_missing_or_wrong_is_78_for_every_command(
    tmp_path: Path, capsys, arguments: list[str], text: str | None
):
    file = tmp_path / "named.toml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    assert run([*arguments, "--config", str(file)]) == 78
    assert str(file) in capsys.readouterr().err
    assert file.exists() == (text is not None)


def test_what_show_prints_is_itself_a_configuration_with_the_same_meaning(file: Path, capsys):
    assert run(["config", "show", "--config", str(file)]) == 0
    document = tomllib.loads(capsys.readouterr().out)
    assert convert(document, Config) == load(file, {})
    assert document["recall"]["expansion"]["timeout_ms"] == 2500


def test_show_of_one_key_is_its_value(file: Path, capsys):
    assert run(["config", "show", "recall.top_k", "--config", str(file)]) == 0
    assert capsys.readouterr().out == "4\n"
    assert run(["config", "show", "recall.rrf", "--config", str(file)]) == 0
    shown = tomllib.loads(capsys.readouterr().out)
    assert shown == {"recall": {"rrf": msgspec.to_builtins(Config().recall.rrf)}}
    assert run(["config", "show", "recall.nonsense", "--config", str(file)]) == 1


def test_import_prints_toml_and_notes_apart(tmp_path: Path, capsys):
    source = tmp_path / "openclaw.json"
    source.write_text('{"topK": 5, "semanticGate": {"enabled": true}}', encoding="utf-8")
    assert run(["config", "import", str(source)]) == 0
    captured = capsys.readouterr()
    assert tomllib.loads(captured.out)["recall"]["top_k"] == 5
    assert "compatibility only" in captured.err


@pytest.mark.parametrize("text", ["[", '{"topk": 3}', '{"topK": "x"}', "[]", "\xff"])
def test_import_names_the_file_it_was_given(tmp_path: Path, capsys, text: str):
    source = tmp_path / "mine.json"
    source.write_bytes(text.encode("latin-1"))
    assert run(["config", "import", str(source)]) == 78
    err = capsys.readouterr().err
    assert err.startswith(f"recalld: {source}: ")
    assert "openclaw" not in err
    ran = subprocess.run(
        [sys.executable, "-m", "recalld", "config", "import", "-"],
        input=text.encode("latin-1"),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert ran.returncode == 78
    assert ran.stderr.startswith(b"recalld: standard input: ")


def test_import_writes_a_new_file_and_never_over_one(tmp_path: Path, capsys):
    source, target = tmp_path / "openclaw.json", tmp_path / "out.toml"
    source.write_text('{"topK": 5}', encoding="utf-8")
    assert run(["config", "import", str(source), "--output", str(target)]) == 0
    assert load(target, {}).recall.top_k == 5
    assert run(["config", "import", str(source), "--output", str(target)]) == 78
    assert "exists" in capsys.readouterr().err


def test_every_hostile_settings_document_ends_with_78(eval_data: Path, tmp_path: Path, capsys):
    source = tmp_path / "settings.json"
    for line in (eval_data / "bad-inputs.jsonl").read_text(encoding="utf-8").split("\n"):
        row = json.loads(line or "{}")
        if row.get("kind") == "config":
            source.write_text(row["text"], encoding="utf-8")
            assert run(["config", "import", str(source)]) == 78, row["id"]
            assert capsys.readouterr().out == ""


def test_serve_with_a_wrong_setting_never_starts(file: Path, capsys):
    file.write_text("recall.topk = 4", encoding="utf-8")
    assert run(["serve", "--config", str(file)]) == 78
    assert "did you mean top_k?" in capsys.readouterr().err
