"""The files of a BGE-M3 checkpoint: where they lie, whether all are there, what they are.

FlagEmbedding loads a checkpoint without its heads silently, with random ones that differ at
every load, and a name that is no folder sends it to the network. So nothing is loaded that was
not looked at here.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from recalld.embed.port import Identity
from recalld.errors import Unavailable
from recalld.there import is_file, is_folder

ENGINE_NAME = "bge_m3"
# What the published checkpoint has; a folder of other sizes gets an identity of its own.
USUAL_DIMENSION = 1_024

HEADS = ("colbert_linear.pt", "sparse_linear.pt")
SMALL_FILES = ("config.json", "tokenizer.json", "tokenizer_config.json")
WEIGHTS = ("model.safetensors", "pytorch_model.bin")
# Read of the weights for the identity: the header with the names and shapes of the tensors.
_HEAD_BYTES = 65_536
_POINTER = b"version https://git-lfs"
_PICKLES = (b"PK\x03\x04", b"\x80")


def model_folder(configured: str, environ: Mapping[str, str]) -> Path:
    """``embed.model``, else ``$XDG_DATA_HOME/recalld/models/bge-m3``."""
    if configured:
        return Path(configured).expanduser()
    # The XDG specification: a relative path in this variable is to be ignored.
    base = environ.get("XDG_DATA_HOME", "")
    home = Path(environ.get("HOME") or "~").expanduser()
    data = Path(base) if base.startswith("/") else home / ".local/share"
    return data / "recalld" / "models" / "bge-m3"


def fault_of(folder: Path) -> str | None:
    """What keeps the checkpoint in ``folder`` from being loaded; None when nothing does.

    Every file that is named is one that is missing, empty, cut short or a pointer to a file
    that was never fetched.
    """
    if not is_folder(folder):
        return f"{folder} is no folder"
    try:
        faults = [_file_fault(folder / name) for name in (*SMALL_FILES, *HEADS)]
        faults.append(_weights_fault(folder))
        faults = [fault for fault in faults if fault] or [_config_fault(folder / "config.json")]
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    return "; ".join(fault for fault in faults if fault) or None


def weights_of(folder: Path) -> Path:
    """The file with the weights, in the order in which the loader looks for it."""
    return next((folder / name for name in WEIGHTS if is_file(folder / name)), folder / WEIGHTS[0])


def identity_of(folder: Path) -> Identity:
    """By content: the small files, the heads and the beginning and length of the weights.

    Another checkpoint, or another one under the same name, makes vectors that are never
    compared with these. ``Unavailable`` where the folder cannot be loaded.
    """
    fault = fault_of(folder)
    if fault is not None:
        raise Unavailable("model", fault)
    weights = weights_of(folder)
    digest = blake2b(digest_size=4)
    for name in ("config.json", "tokenizer.json", *HEADS):
        digest.update((folder / name).read_bytes())
    with weights.open("rb") as stream:
        digest.update(stream.read(_HEAD_BYTES))
    digest.update(str(weights.stat().st_size).encode())
    dimension = int(json.loads((folder / "config.json").read_bytes())["hidden_size"])
    # Uncentred: a model of this kind ranks across languages as it is, and means were not measured.
    return Identity(engine=ENGINE_NAME, model=f"bge-m3.{digest.hexdigest()}.u", dimension=dimension)


def _file_fault(path: Path) -> str | None:
    if not is_file(path):
        return f"{path.name} is missing in {path.parent}"
    with path.open("rb") as stream:
        start = stream.read(len(_POINTER))
    if not start:
        return f"{path} is empty"
    if start == _POINTER:
        return f"{path} is a pointer, the file itself was never fetched"
    if path.suffix in (".pt", ".bin") and not start.startswith(_PICKLES):
        return f"{path} is no PyTorch file"
    return None


def _weights_fault(folder: Path) -> str | None:
    path = weights_of(folder)
    if not is_file(path):
        return f"{' or '.join(WEIGHTS)} is missing in {folder}"
    fault = _file_fault(path)
    if fault is None and path.suffix == ".safetensors":
        return _safetensors_fault(path)
    return fault


def _safetensors_fault(path: Path) -> str | None:
    """The header says where the last tensor ends: a cut file is known without reading it."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        header = stream.read(length) if length < size else b""
    try:
        tensors = json.loads(header)
        ends = [one["data_offsets"][1] for name, one in tensors.items() if name != "__metadata__"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"{path} is no safetensors file, or it is cut short"
    expected = 8 + length + max(ends, default=0)
    return None if size == expected else f"{path} has {size} bytes, its header says {expected}"


def _config_fault(path: Path) -> str | None:
    try:
        config = json.loads(path.read_bytes())
        kind, width = config["model_type"], config["hidden_size"]
    except (ValueError, KeyError, TypeError):
        return f"{path} does not describe a model"
    if kind != "xlm-roberta" or not isinstance(width, int) or width < 1:
        return f"{path} describes {kind!r} of width {width!r}, not an XLM-RoBERTa encoder"
    return None
