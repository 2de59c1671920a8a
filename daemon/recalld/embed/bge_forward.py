"""BGE-M3 as the worker process runs it: loaded by FlagEmbedding, called directly.

``BGEM3FlagModel.encode`` is the reference. It runs its first batch twice to find a batch size,
hides what breaks in it, draws progress bars, and turns the weights back to single floats at
every call on a CPU. Calling the same model object with the same tokenizer does none of that.
Imported by the worker alone: importing it costs 4 s and 500 MB.
"""

import copy
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# Before anything of Hugging Face is imported: it reads these once.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import numpy as np
import torch
import transformers
from FlagEmbedding import BGEM3FlagModel

from recalld.embed.bge_files import fault_of
from recalld.embed.bge_wire import Load
from recalld.embed.port import Both, SparseVector
from recalld.errors import Unavailable

SINGLE, HALF = "float32", "bfloat16"
# Half floats cost accuracy; they must save a third at least, and in a model large enough that
# anyone waits for it.
_WORTH = 1.5
_SMALL_PARAMETERS = 20_000_000
_PROBE_TOKENS = ((1, 12), (1, 200))
_PROBE_ROUNDS = 3


class DirectModel:
    """A loaded checkpoint. One thread calls it.

    ``precision`` is what the weights are kept in, ``probe_ms`` what one layer took in each.
    """

    def __init__(self, load: Load) -> None:
        fault = fault_of(Path(load.folder))
        if fault is not None:
            raise Unavailable("model", fault)
        torch.set_num_threads(load.threads)
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        # One device, named: left alone it takes every GPU and starts a pool of processes.
        flag = BGEM3FlagModel(load.folder, use_fp16=False, devices="cpu", normalize_embeddings=True)
        self.flag = flag
        self.tokenizer: Any = flag.tokenizer
        self.model: Any = flag.model.to("cpu").float().eval()
        _check_heads(self.model, Path(load.folder))
        self.probe_ms = measure(self.model)
        self.precision = chosen(load.precision, self.probe_ms, _parameters(self.model))
        if self.precision == HALF:
            self.model.to(torch.bfloat16)
        self._unused = _special_ids(self.tokenizer)
        self._longest = int(self.model.config.max_position_embeddings) - 2

    @property
    def dimension(self) -> int:
        return int(self.model.config.hidden_size)

    def embed(self, texts: Sequence[str], max_length: int) -> Both:
        """One pass over all texts at once; dense rows of unit length.

        Texts are cut to ``max_length`` tokens, the two that frame a text among them, and to
        what the model has positions for. Whatever breaks is raised as it is.
        """
        if not texts:
            return Both(dense=np.zeros((0, self.dimension), np.float32), sparse=())
        inputs = self.tokenizer(
            list(texts),
            truncation=True,
            max_length=min(max_length, self._longest),
            padding=True,
            return_tensors="pt",
        )
        with torch.inference_mode():
            out = self.model(
                inputs, return_dense=True, return_sparse=True, return_colbert_vecs=False
            )
        dense = out["dense_vecs"].float().numpy()
        lengths = np.linalg.norm(dense, axis=1, keepdims=True)
        weights = out["sparse_vecs"].float().squeeze(-1).numpy()
        ids = inputs["input_ids"].numpy()
        return Both(
            dense=(dense / np.maximum(lengths, 1e-9)).astype(np.float32),
            sparse=tuple(
                _largest(row, weight, self._unused)
                for row, weight in zip(ids, weights, strict=True)
            ),
        )


def chosen(wanted: str, probe_ms: dict[str, float], parameters: int) -> str:
    """The precision to run in: what is wanted, else by what the probe took in each."""
    if wanted in (SINGLE, HALF):
        return wanted
    if parameters < _SMALL_PARAMETERS:
        return SINGLE
    return HALF if probe_ms[SINGLE] >= _WORTH * probe_ms[HALF] else SINGLE


def measure(model: Any) -> dict[str, float]:
    """Milliseconds of one layer, by precision: the sum over a question and a passage.

    On a copy of one layer: a copy of the model would take a gigabyte, and single floats do not
    come back from half ones.
    """
    single = model.model.encoder.layer[0]
    half = copy.deepcopy(single).to(torch.bfloat16)
    return {
        SINGLE: sum(_layer_ms(single, shape, torch.float32) for shape in _PROBE_TOKENS),
        HALF: sum(_layer_ms(half, shape, torch.bfloat16) for shape in _PROBE_TOKENS),
    }


def _layer_ms(layer: Any, shape: tuple[int, int], dtype: Any) -> float:
    width = next(layer.parameters()).shape[-1]
    states = torch.linspace(-1, 1, shape[0] * shape[1] * width).reshape(*shape, width).to(dtype)
    return min(_took_ms(lambda: layer(states)) for _ in range(_PROBE_ROUNDS))


def _took_ms(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    with torch.inference_mode():
        call()
    return (time.perf_counter() - started) * 1_000


def _parameters(model: Any) -> int:
    return sum(int(one.numel()) for one in model.model.parameters())


def _special_ids(tokenizer: Any) -> list[int]:
    """Tokens that stand for no word; the reference leaves them out of the weights."""
    names = ("cls_token", "eos_token", "pad_token", "unk_token")
    known = tokenizer.special_tokens_map
    return [int(tokenizer.convert_tokens_to_ids(known[name])) for name in names if name in known]


def _largest(ids: Any, weights: Any, unused: Sequence[int]) -> SparseVector:
    """The largest weight of each token that has one above 0."""
    counted = (weights > 0) & ~np.isin(ids, unused)
    tokens, at = np.unique(ids[counted], return_inverse=True)
    best = np.zeros(len(tokens), np.float32)
    np.maximum.at(best, at, weights[counted])
    return SparseVector(ids=tokens.astype(np.int32), weights=best)


def _check_heads(model: Any, folder: Path) -> None:
    """The heads are those of the files, not the random ones of a loader that found none."""
    for name, head in (
        ("colbert_linear", model.colbert_linear),
        ("sparse_linear", model.sparse_linear),
    ):
        stored = torch.load(folder / f"{name}.pt", map_location="cpu", weights_only=True)
        for key, tensor in head.state_dict().items():
            if key not in stored or not torch.equal(tensor, stored[key].to(tensor.dtype)):
                raise Unavailable("model", f"{folder / name}.pt was not loaded: {key} differs")
