"""``recalld calibrate`` fits on a folder of sets and writes what search then uses."""

import json
from pathlib import Path

import msgspec
import pytest

from recalld.cli._run import run
from recalld.coefficients import encoded, own_coefficients, own_file
from recalld.counters import Counters
from recalld.search.flow import load_coefficients
from recalld.search.relevance import Coefficients
from support.labelled import write_rooms


def env(folder: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(folder), "HOME": str(folder)}


def stored(folder: Path, **change: object) -> Path:
    file = own_file("usem3/m/512", env(folder))
    file.parent.mkdir(parents=True)
    good = msgspec.structs.replace(load_coefficients("usem3"), identity="usem3/m/512")
    file.write_bytes(encoded(msgspec.structs.replace(good, **change)))
    return file


def test_coefficients_for_this_very_engine_are_used(tmp_path: Path) -> None:
    stored(tmp_path, hit_bias=-9.0)
    counters = Counters()
    found = own_coefficients("usem3/m/512", env(tmp_path), counters)
    assert isinstance(found, Coefficients)
    assert found.hit_bias == -9.0
    assert counters.get("search.own_coefficients") == 1


@pytest.mark.parametrize("broken", [b"{", b"{}", b""])
def test_what_is_no_file_of_coefficients_is_counted_and_left(tmp_path: Path, broken: bytes) -> None:
    counters = Counters()
    stored(tmp_path).write_bytes(broken)
    assert own_coefficients("usem3/m/512", env(tmp_path), counters) is None
    assert counters.get("search.own_coefficients_refused") == 1


def test_a_file_of_other_features_is_counted_and_left(tmp_path: Path) -> None:
    file, counters = stored(tmp_path), Counters()
    older = json.loads(file.read_bytes())
    for values, names in (("hit", "features"), ("question", "question_features")):
        assert older[names].pop() == "sparse"
        older[values].pop()
    file.write_bytes(json.dumps(older).encode())
    assert own_coefficients("usem3/m/512", env(tmp_path), counters) is None
    assert counters.get("search.own_coefficients_refused") == 1
    assert counters.get("search.own_coefficients") == 0


def test_coefficients_of_another_model_are_left(tmp_path: Path) -> None:
    counters = Counters()
    stored(tmp_path, identity="usem3/other/512")
    assert own_coefficients("usem3/m/512", env(tmp_path), counters) is None
    assert counters.get("search.own_coefficients_refused") == 1
    assert own_coefficients("none/none/0", env(tmp_path), Counters()) is None


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in env(tmp_path).items():
        monkeypatch.setenv(name, value)
    return tmp_path


def test_what_is_fitted_is_written_where_search_looks_and_says_what_it_is_from(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_rooms(here / "data", "one", 40)
    write_rooms(here / "data", "two", 40)
    arguments = ["calibrate", str(here / "data"), "--engine", "none", "--source", "me, MIT"]
    assert run([*arguments, "--dry-run"]) == 0
    assert not list(here.glob("recalld/**/*.json"))
    capsys.readouterr()
    assert run([*arguments, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    written = own_coefficients(document["identity"], env(here), Counters())
    assert written is not None
    assert document["file"] == str(own_file(document["identity"], env(here)))
    assert msgspec.to_builtins(written)["hit"] == tuple(document["coefficients"]["hit"])
    assert written.provenance.sources == ("me, MIT",)
    useful = document["left_out"]["curve"]["useful, one"]
    missed = document["left_out"]["curve"]["false, not_in_memory, one"]
    at = 1 + document["thresholds"].index(0.65)
    assert (useful[0], missed[0]) == (40, 40)
    assert useful[at] > 0.9 > 0.1 > missed[at]


def test_figures_are_printed_by_raw_score_and_by_threshold(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_rooms(here / "data", "one", 60)
    assert run(["calibrate", str(here / "data" / "one"), "--engine", "none", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "how often the first hit is right" in shown
    assert "useful, one" in shown
    assert "each set by coefficients of the others" not in shown


@pytest.mark.parametrize("things", [0, 5])
def test_too_little_to_fit_on_is_said_and_nothing_is_written(
    here: Path, capsys: pytest.CaptureFixture[str], things: int
) -> None:
    (here / "data").mkdir()
    if things:
        write_rooms(here / "data", "one", things)
    assert run(["calibrate", str(here / "data"), "--engine", "none"]) != 0
    assert "questions" in capsys.readouterr().err or not things
    assert not list(here.glob("recalld/**/*.json"))
