"""Fixtures every test may name."""

import os
from pathlib import Path

import pytest

# anyio's trio backend is imported lazily; its first import is a long step inside the loop.
import anyio._backends._trio  # noqa: F401  isort: skip

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def eval_data() -> Path:
    """The folder of the evaluation sets; the test skips, saying so, where it is absent."""
    folder = Path(os.environ.get("RECALLD_EVAL_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"evaluation data not found at {folder}; set RECALLD_EVAL_DATA")
    return folder
