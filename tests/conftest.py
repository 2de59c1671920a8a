"""Fixtures every test may name, and the guards that no test can forget."""

import os
import signal
from collections.abc import Iterator
from inspect import iscoroutinefunction
from pathlib import Path

import pytest
from hypothesis import settings

from support.guards import noted_errors, run_in_short_steps

# anyio's trio backend is imported lazily; its first import is a long step inside the loop.
import anyio._backends._trio  # noqa: F401  isort: skip

# How long an example takes is no property: a busy machine fails none.
settings.register_profile("recalld", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
# The same examples for the same code, so that a run says something of a change; new ones come
# with RECALLD_TEST_PROFILE=explore.
settings.load_profile(os.environ.get("RECALLD_TEST_PROFILE", "recalld"))

REPOSITORY = Path(__file__).resolve().parent.parent

# Programs that tests start find ``support`` too, also where recalld is an installed package.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(REPOSITORY / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
)
# A run in the background of a shell ignores Ctrl-C and hands that on to what tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def eval_data() -> Path:
    """The folder of the evaluation sets; the test skips, saying so, where it is absent."""
    folder = Path(os.environ.get("RECALLD_EVAL_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"evaluation data not found at {folder}; set RECALLD_EVAL_DATA")
    return folder


@pytest.fixture(autouse=True)
def _no_error_goes_unnoticed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Failing open hides every bug; here it fails the test that did not ask for it."""
    with noted_errors() as noted:
        yield
    if noted and request.node.get_closest_marker("allow_errors") is None:
        pytest.fail("logged without being expected (mark allow_errors):\n" + "\n".join(noted))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every async test runs in short steps, unless it is marked ``slow_step``."""
    for item in items:
        function = getattr(item, "obj", None)
        inner = getattr(getattr(function, "hypothesis", None), "inner_test", function)
        if iscoroutinefunction(inner) and item.get_closest_marker("slow_step") is None:
            # In front of the marker that trio_mode adds: the first one is obeyed.
            item.add_marker(pytest.mark.trio(run=run_in_short_steps), append=False)
