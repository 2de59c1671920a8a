"""What makes tests loud: errors that the daemon absorbed, and steps that held the loop."""

import gc
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from time import thread_time
from typing import Any

import structlog
import trio
import trio.abc

# Of the thread's own time, so that a busy machine fails nobody.
MAX_STEP_MS = 150

_LOUD = frozenset({"error", "critical", "exception"})


@contextmanager
def noted_errors() -> Iterator[list[str]]:
    """The events logged meanwhile as errors, and those of failed stages at any level.

    Whoever configures the log inside the block is not heard.
    """
    noted: list[str] = []

    def watch(_: object, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        if method in _LOUD or event.get("event") == "stage.failed":
            facts = {key: value for key, value in event.items() if key != "exc_info"}
            noted.append(f"{method}: {facts}")
        return event

    processors = structlog.get_config()["processors"]
    processors.insert(0, watch)
    try:
        yield noted
    finally:
        processors.remove(watch)


class LongestStep(trio.abc.Instrument):
    """Notes the step of a task that took most of the thread's time.

    Garbage collection does not count: in a test run it goes through thousands of other tests.
    """

    def __init__(self) -> None:
        self.name = ""
        self.took_ms = 0.0
        self._began = 0.0
        self._collecting = 0.0

    def before_run(self) -> None:
        gc.callbacks.append(self._collected)

    def after_run(self) -> None:
        gc.callbacks.remove(self._collected)

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        del task
        self._began = thread_time()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        took_ms = (thread_time() - self._began) * 1_000
        if took_ms > self.took_ms:
            self.name, self.took_ms = task.name, took_ms

    def _collected(self, phase: str, _: dict[str, int]) -> None:
        """Collections of other threads count a little against a step; that forgives, not blames."""
        if phase == "start":
            self._collecting = thread_time()
        else:
            self._began += max(0.0, thread_time() - self._collecting)


def run_in_short_steps(work: Any, *args: Any, **options: Any) -> Any:
    """``trio.run`` that fails when one step of a task took over ``MAX_STEP_MS``."""
    longest = LongestStep()
    instruments = [*options.pop("instruments", ()), longest]
    result = trio.run(work, *args, instruments=instruments, **options)
    assert longest.took_ms <= MAX_STEP_MS, (
        f"a step of {longest.name} held the loop for {longest.took_ms:.0f} ms; "
        "mark the test slow_step if that is part of it"
    )
    return result
