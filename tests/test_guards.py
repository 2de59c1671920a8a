"""The guards bite: an unexpected error and a long step each fail a test."""

from time import thread_time

import anyio.lowlevel
import pytest
import structlog

from recalld.budget import Run, Stage
from recalld.errors import Unavailable
from support.guards import MAX_STEP_MS, noted_errors, run_in_short_steps

log = structlog.get_logger("test")


async def _broken() -> None:
    raise Unavailable("search", "no leg could run")


async def _busy_ms(ms: int) -> None:
    await anyio.lowlevel.checkpoint()
    until = thread_time() + ms / 1_000
    while thread_time() < until:
        pass


@pytest.mark.allow_errors
def test_errors_are_noted_and_warnings_are_not():
    with noted_errors() as noted:
        log.warning("slow", by=3)
        log.error("broke", what="disk")
    assert [line.split(":")[0] for line in noted] == ["error"]
    assert "disk" in noted[0]


@pytest.mark.allow_errors
async def test_a_failed_stage_is_noted_whatever_its_level():
    with noted_errors() as noted:
        await Run(100).stage(Stage(name="literal", work=_broken, otherwise=None, limit_ms=50))
    assert "literal" in noted[0]


def test_nothing_is_noted_after_the_block():
    before = list(structlog.get_config()["processors"])
    with noted_errors():
        pass
    assert structlog.get_config()["processors"] == before


def test_a_step_over_the_bound_fails_its_test():
    with pytest.raises(AssertionError, match="held the loop"):
        run_in_short_steps(_busy_ms, MAX_STEP_MS + 20)


def test_many_short_steps_are_fine():
    async def work() -> None:
        for _ in range(4):
            await _busy_ms(MAX_STEP_MS // 3)

    run_in_short_steps(work)


async def test_async_tests_run_in_short_steps(request: pytest.FixtureRequest):
    (first, *_) = request.node.iter_markers("trio")
    assert first.kwargs["run"] is run_in_short_steps
