"""``recalld config``: valid or not, what is in effect, and the plugin's settings as ours."""

import json
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
    assert captured.out == ""
    assert captured.err == "recalld: recall.topk: unknown key, did you mean top_k?\n"


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
