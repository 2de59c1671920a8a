"""The tiny checkpoint, made once: building it imports torch."""

from pathlib import Path

import pytest

from support.tiny_bge import make_checkpoint


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("model") / "bge-m3")
