"""The direct call against the library's own: the eight ways in which they could differ."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recalld.embed.bge_wire import Load
from recalld.errors import Unavailable
from support.bge import needs_bge
from support.tiny_bge import POSITIONS, make_checkpoint

pytestmark = needs_bge

TEXTS = (
    "the gateway moved to port 18789",
    "数据库迁移需要先备份",
    "x",
    "memory daemon stores chunks of markdown and session text " * 3,
)


@pytest.fixture(scope="module")
def model(checkpoint: Path) -> Any:
    from recalld.embed.bge_forward import DirectModel  # noqa: PLC0415 (an extra)

    return DirectModel(Load(folder=str(checkpoint), threads=1))


def reference(model: Any, texts: tuple[str, ...]) -> tuple[np.ndarray, list[dict[int, float]]]:
    found = model.flag.encode(
        list(texts),
        batch_size=len(texts) + 1,
        max_length=512,
        return_dense=True,
        return_sparse=True,
        return_colbert_vecs=False,
    )
    sparse = [{int(k): float(v) for k, v in one.items()} for one in found["lexical_weights"]]
    return found["dense_vecs"], sparse


@pytest.mark.parametrize("texts", [TEXTS, TEXTS[:1], TEXTS[2:3]])
def test_the_direct_call_equals_encode(model: Any, texts: tuple[str, ...]) -> None:
    dense, sparse = reference(model, texts)
    both = model.embed(texts, 512)
    assert both.dense == pytest.approx(dense, abs=1e-5)
    for row, expected in zip(both.sparse, sparse, strict=True):
        assert row.ids.tolist() == sorted(expected)
        weights = [expected[token] for token in row.ids.tolist()]
        assert row.weights == pytest.approx(weights, abs=1e-5)
    assert all(len(row.ids) for row in both.sparse)


class CountedCalls:
    """Stands in the place of the model and counts the passes."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.passes, self.asked = inner, 0, []  # type: ignore[var-annotated]

    def __call__(self, inputs: Any, **wanted: Any) -> Any:
        self.passes += 1
        self.asked.append(wanted)
        return self.inner(inputs, **wanted)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def test_gotcha_1_one_batch_is_one_pass_for_both_kinds_of_vectors(model: Any) -> None:
    counted = CountedCalls(model.model)
    model.model = counted
    try:
        model.embed(TEXTS, 512)
    finally:
        model.model = counted.inner
    assert counted.passes == 1
    assert counted.asked[0]["return_dense"]
    assert counted.asked[0]["return_sparse"]


def test_gotcha_2_heads_that_were_not_loaded_are_noticed(model: Any, tmp_path: Path) -> None:
    from recalld.embed.bge_forward import _check_heads  # noqa: PLC0415

    other = make_checkpoint(tmp_path / "other", seed=1)
    with pytest.raises(Unavailable, match=r"colbert_linear\.pt was not loaded"):
        _check_heads(model.model, other)


def test_gotcha_2_a_folder_without_a_head_is_not_loaded(tmp_path: Path) -> None:
    from recalld.embed.bge_forward import DirectModel  # noqa: PLC0415

    folder = make_checkpoint(tmp_path / "headless")
    (folder / "sparse_linear.pt").unlink()
    with pytest.raises(Unavailable, match=r"sparse_linear\.pt is missing"):
        DirectModel(Load(folder=str(folder), threads=1))


def test_gotcha_3_no_texts_give_no_rows_and_what_breaks_says_why(model: Any) -> None:
    assert model.embed((), 512).dense.shape == (0, 32)

    def broken(_: Any, **__: Any) -> Any:
        raise RuntimeError("no memory for this batch")

    kept, model.model = model.model, broken
    try:
        with pytest.raises(RuntimeError, match="no memory for this batch"):
            model.embed(TEXTS, 512)
    finally:
        model.model = kept


def test_gotcha_4_nothing_is_printed(model: Any, capfd: pytest.CaptureFixture[str]) -> None:
    model.embed(("x",) * 300, 512)
    printed = capfd.readouterr()
    assert printed.out == printed.err == ""


def test_gotcha_5_a_text_is_cut_where_it_was_asked_to_be_and_where_positions_end(
    model: Any,
) -> None:
    long = "restart service check " * 400
    short = model.embed((long,), 8).dense
    assert short == pytest.approx(model.embed(("restart service check " * 2,), 8).dense, abs=1e-5)
    # Twice what the model has positions for would break it.
    whole = model.embed((long,), 2 * POSITIONS)
    assert np.isfinite(whole.dense).all()


def test_gotcha_6_half_floats_stay_half_and_come_close(checkpoint: Path, model: Any) -> None:
    from recalld.embed.bge_forward import HALF, SINGLE, DirectModel  # noqa: PLC0415

    half = DirectModel(Load(folder=str(checkpoint), threads=1, precision=HALF))
    for _ in range(2):
        both = half.embed(TEXTS, 512)
        assert str(next(half.model.parameters()).dtype) == "torch.bfloat16"
    assert both.dense.dtype == np.float32
    assert np.linalg.norm(both.dense, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert (both.dense * model.embed(TEXTS, 512).dense).sum(axis=1) == pytest.approx(1, abs=0.01)
    assert half.precision == HALF
    assert model.precision == SINGLE
    assert set(model.probe_ms) == {HALF, SINGLE}


@pytest.mark.parametrize(
    ("wanted", "single_ms", "half_ms", "parameters", "expected"),
    [
        ("auto", 9.0, 3.0, 500_000_000, "bfloat16"),
        ("auto", 9.0, 8.0, 500_000_000, "float32"),
        ("auto", 9.0, 30.0, 500_000_000, "float32"),
        ("auto", 9.0, 3.0, 30_000, "float32"),
        ("float32", 9.0, 3.0, 500_000_000, "float32"),
        ("bfloat16", 3.0, 9.0, 500_000_000, "bfloat16"),
    ],
)
def test_half_floats_are_chosen_where_they_were_measured_to_pay(
    wanted: str, single_ms: float, half_ms: float, parameters: int, expected: str
) -> None:
    from recalld.embed.bge_forward import chosen  # noqa: PLC0415

    assert chosen(wanted, {"float32": single_ms, "bfloat16": half_ms}, parameters) == expected


def test_gotcha_7_one_device_is_named_and_no_pool_is_started(model: Any) -> None:
    assert model.flag.target_devices == ["cpu"]
    assert model.flag.pool is None


def test_gotcha_8_the_network_is_off_before_the_libraries_are_imported() -> None:
    code = (
        "import recalld.embed.bge_forward, huggingface_hub.constants as hub;"
        "print(hub.HF_HUB_OFFLINE)"
    )
    environ = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
    environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True"


def test_the_published_layout_with_pickled_weights_loads_alike(tmp_path: Path, model: Any) -> None:
    from recalld.embed.bge_forward import DirectModel  # noqa: PLC0415

    folder = make_checkpoint(tmp_path / "binary", binary=True)
    other = DirectModel(Load(folder=str(folder), threads=1))
    assert other.embed(TEXTS, 512).dense == pytest.approx(model.embed(TEXTS, 512).dense, abs=1e-5)
