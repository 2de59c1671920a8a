"""Deadlines, fallbacks and the ledger: the whole fail-open policy of the daemon.

A stage is a value and a run is a ledger. Work given to a stage takes no timeout of its own;
it must yield (or run in a thread that may be abandoned), since nothing else can be cut short.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

import anyio
import structlog

from recalld.errors import Corrupt, RecalldError

T = TypeVar("T")

_ERROR_CHARS = 200

log = structlog.get_logger(__name__)


class Outcome(StrEnum):
    OK = "ok"
    TIMEOUT = "timeout"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage(Generic[T]):
    """Work under a deadline. ``otherwise`` is what the run continues with when it fails."""

    name: str
    work: Callable[[], Awaitable[T]]
    otherwise: T
    limit_ms: int
    needs_ms: int = 1  # not even started with less than this left


@dataclass(frozen=True, slots=True, kw_only=True)
class StageNote:
    """What became of one stage. ``start_ms`` counts from the start of the run."""

    name: str
    start_ms: float
    took_ms: float
    outcome: Outcome
    error: str | None = None


class Run:
    """One budget, spent by stages. ``ledger`` holds a note a stage, in order of completion.

    ``Corrupt`` rises through both verbs, and so does cancellation from outside; every other
    exception of the work is noted, logged and answered with the stage's fallback.
    """

    def __init__(self, total_ms: int) -> None:
        self.total_ms = total_ms
        self.ledger: list[StageNote] = []
        self._started = anyio.current_time()

    @property
    def elapsed_ms(self) -> float:
        return (anyio.current_time() - self._started) * 1_000

    @property
    def remaining_ms(self) -> float:
        return max(0.0, self.total_ms - self.elapsed_ms)

    async def stage(self, stage: Stage[T]) -> T:
        """The work's result within min(limit, remaining), else the stage's fallback."""
        start_ms, left_ms = self.elapsed_ms, self.remaining_ms
        if left_ms < stage.needs_ms:
            self._note(stage.name, start_ms, Outcome.SKIPPED)
            return stage.otherwise
        with anyio.move_on_after(min(stage.limit_ms, left_ms) / 1_000) as scope:
            try:
                result = await stage.work()
            except Corrupt as fault:
                self._note(stage.name, start_ms, Outcome.FAILED, _describe(fault))
                raise
            # Whatever breaks in a stage may cost the stage only, never the answer.
            except Exception as fault:  # noqa: BLE001
                self._note(stage.name, start_ms, Outcome.FAILED, _describe(fault))
                _report(stage.name, fault)
                return stage.otherwise
        if scope.cancelled_caught:
            self._note(stage.name, start_ms, Outcome.TIMEOUT)
            return stage.otherwise
        self._note(stage.name, start_ms, Outcome.OK)
        return result

    async def fan_out(self, stages: Sequence[Stage[T]]) -> list[T]:
        """All at once; results in the order of ``stages``. A slow or broken one costs itself."""
        results = [stage.otherwise for stage in stages]
        corrupt: list[Corrupt] = []

        async def one(index: int) -> None:
            try:
                results[index] = await self.stage(stages[index])
            except Corrupt as fault:
                corrupt.append(fault)

        async with anyio.create_task_group() as group:
            for index in range(len(stages)):
                group.start_soon(one, index)
        if corrupt:
            raise corrupt[0]
        return results

    def _note(self, name: str, start_ms: float, outcome: Outcome, error: str | None = None) -> None:
        took_ms = self.elapsed_ms - start_ms
        self.ledger.append(
            StageNote(name=name, start_ms=start_ms, took_ms=took_ms, outcome=outcome, error=error)
        )


def _describe(fault: Exception) -> str:
    return f"{type(fault).__name__}: {fault}"[:_ERROR_CHARS]


def _report(name: str, fault: Exception) -> None:
    """A named fault is the world's; anything else is ours and shows where it came from."""
    if isinstance(fault, RecalldError):
        log.warning("stage.failed", stage=name, error=_describe(fault))
    else:
        log.error("stage.failed", stage=name, error=_describe(fault), exc_info=fault)
