"""``recalld model``: what is lacking, a folder brought in whole, and no network unasked."""

import hashlib
import json
import os
import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from recalld.cli._run import run
from recalld.embed.bge_fetch import is_hub_id
from support.bge import needs_bge

INSTALLED = find_spec("FlagEmbedding") is not None


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Files that look like a checkpoint from outside."""
    folder = tmp_path / "source"
    folder.mkdir()
    files = {
        "config.json": b'{"model_type": "xlm-roberta", "hidden_size": 32}',
        "tokenizer.json": b"{}",
        "tokenizer_config.json": b"{}",
        "special_tokens_map.json": b"{}",
        "colbert_linear.pt": b"PK\x03\x04one",
        "sparse_linear.pt": b"PK\x03\x04two",
        "model.safetensors": struct.pack("<Q", 2) + b"{}",
        "README.md": b"not needed",
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the user's data lies; the model's place is below it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "data/recalld/models/bge-m3"


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return answer


def test_status_without_a_model_is_a_finding_that_names_the_folder(data: Path, capsys) -> None:
    assert run(["model", "status"]) == 1
    assert f"lacking: {data} is no folder" in capsys.readouterr().out


def test_a_fetched_folder_is_complete_with_its_sums_and_nothing_else(
    source: Path, data: Path, capsys
) -> None:
    assert run(["model", "fetch", str(source), "--json"]) == 0
    sums = printed(capsys)["sha256"]
    assert isinstance(sums, dict)
    assert set(sums) == {path.name for path in source.iterdir()} - {"README.md"}
    digest = hashlib.sha256((source / "sparse_linear.pt").read_bytes()).hexdigest()
    assert sums["sparse_linear.pt"] == digest
    assert run(["model", "status", "--verify", "--json"]) == (0 if INSTALLED else 1)
    status = printed(capsys)
    assert status["folder"] == str(data)
    assert str(status["identity"]).startswith("bge_m3/bge-m3.")
    assert status["used"] is INSTALLED
    assert len(status["lacking"]) == (0 if INSTALLED else 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["sparse_linear.pt", "colbert_linear.pt", "model.safetensors"])
def test_an_incomplete_folder_is_refused_by_name_and_what_is_there_stays(
    source: Path, data: Path, capsys, name: str
) -> None:
    assert run(["model", "fetch", str(source)]) == 0
    capsys.readouterr()
    (source / name).unlink()
    assert run(["model", "fetch", str(source)]) == 1
    assert name in capsys.readouterr().err
    assert (data / name).is_file()
    assert [path.name for path in data.parent.iterdir()] == ["bge-m3"]


def test_a_file_changed_since_is_found_by_verify(source: Path, data: Path, capsys) -> None:
    run(["model", "fetch", str(source)])
    (data / "tokenizer.json").write_bytes(b"[]")
    capsys.readouterr()
    assert run(["model", "status", "--verify", "--json"]) == 1
    assert f"{data / 'tokenizer.json'} is not what was fetched" in str(printed(capsys)["lacking"])


def test_links_point_to_the_files_and_a_second_fetch_replaces_them(
    source: Path, data: Path
) -> None:
    assert run(["model", "fetch", str(source), "--link"]) == 0
    assert (data / "sparse_linear.pt").readlink() == (source / "sparse_linear.pt").resolve()
    assert run(["model", "fetch", str(source)]) == 0
    assert not (data / "sparse_linear.pt").is_symlink()
    assert run(["model", "fetch", str(data)]) == 0


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("BAAI/bge-m3", True),
        ("/models/bge-m3", False),
        ("./bge-m3", False),
        ("~/models/bge", False),
        ("bge-m3", False),
        ("a/b/c", False),
    ],
)
def test_a_hub_id_is_told_from_a_path(source: str, expected: bool) -> None:
    assert is_hub_id(source) is expected


@pytest.mark.skipif(INSTALLED, reason="the extra bge is installed")
def test_a_hub_id_without_the_extra_says_what_to_install(capsys) -> None:
    assert run(["model", "fetch", "BAAI/bge-m3"]) == 75
    assert "recalld[bge]" in capsys.readouterr().err


@needs_bge
def test_a_hub_id_without_network_fails_with_its_cause_and_leaves_nothing(data: Path) -> None:
    environ = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-m", "recalld", "model", "fetch", "BAAI/bge-m3"],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 75, done.stderr
    assert "BAAI/bge-m3" in done.stderr
    assert "Traceback" not in done.stderr
    assert not data.exists()
    assert list(data.parent.glob("*")) == []
