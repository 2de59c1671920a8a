"""``recalld eval --held-out``: beside the shipped figures those that no fit flatters."""

import json
from pathlib import Path

import pytest

from recalld.cli._run import run
from support.labelled import write_rooms


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    file = tmp_path / "words.toml"
    file.write_text('[embed]\nengine = "none"\n', encoding="utf-8")
    return file


def test_the_same_questions_by_what_was_fitted_without_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, settings: Path
) -> None:
    for name in ("one", "two"):
        write_rooms(tmp_path / "data", name, 40)
    found = tmp_path / "found"
    options = ["--config", str(settings), "--held-out", "--predictions", str(found)]
    assert run(["eval", str(tmp_path / "data"), "--json", *options]) == 0
    document = json.loads(capsys.readouterr().out)
    assert "differences" not in document
    names = [one["name"] for one in document["runs"]]
    assert names == ["this configuration", "5-fold, held out", "each set by the others"]
    shipped, folds, sets = document["runs"]
    # 40 that are answered and 40 that are not, of each; the crossed ones only help to fit.
    assert [one["questions"] for one in (shipped, folds, sets)] == [160, 160, 160]
    for one in (folds, sets):
        assert one["useful_injection"]["one"]["rate"] > 0.9
        assert one["false_injection"]["not_in_memory, one"]["rate"] < 0.1
    rows = (found / "held-out" / "one.jsonl").read_text(encoding="utf-8").splitlines()
    assert (len(rows), len(list(found.rglob("two.jsonl")))) == (80, 3)
    injected = [json.loads(row) for row in rows]
    useful = sum(row["injected"][:1] == [row["qid"].replace("q", "r")] for row in injected) / 40
    assert useful == pytest.approx(folds["useful_injection"]["one"]["rate"])


def test_the_table_has_a_column_for_each(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, settings: Path
) -> None:
    write_rooms(tmp_path / "data", "one", 60)
    assert run(["eval", str(tmp_path / "data"), "--config", str(settings), "--held-out"]) == 0
    shown = capsys.readouterr().out
    assert "5-fold, held out" in shown
    assert "each set by the others" not in shown
    assert "useful / one / rate" in shown


@pytest.mark.parametrize(
    "options", [["--self"], ["--mixed"], ["--without", "newer_first"], ["--against", "/dev/null"]]
)
def test_it_goes_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, options: list[str]
) -> None:
    write_rooms(tmp_path / "data", "one", 1)
    assert run(["eval", str(tmp_path / "data"), "--held-out", *options]) == 2
    assert "--held-out" in capsys.readouterr().err
