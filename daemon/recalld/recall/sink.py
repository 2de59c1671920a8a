"""Traces on their way to the disk: a bounded queue that never makes anybody wait.

One task renders them and hands batches to a thread of its own limiter, so a disk that hangs
costs traces and nothing else. What does not fit is dropped and counted.
"""

from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import anyio
import anyio.to_thread
from anyio.lowlevel import checkpoint

from recalld.journal import Journal, append
from recalld.recall.policy import TracePolicy

# Lines of one call to the thread: enough that the hand-over is not what costs.
BATCH_LINES = 512
# Lines rendered at a stretch, about 0.6 ms: in shorter ones most answers of a busy moment wait
# for a line or two, in these few do.
SLICE_LINES = 16
# How long lines gather before they are written; a thread per line would cost more than the line.
LINGER_MS = 150
# The daemon has 5 s to stop, and hung readers of two databases take 2 of them.
DRAIN_MS = 1_000

STATE_FILE = "recall-traces.jsonl"


class Counts(Protocol):
    def add(self, name: str, n: int = 1) -> None: ...


Write = Callable[[Journal, Sequence[bytes]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A trace to be written. ``render`` makes its JSON in the writer's task, after the answer.

    ``root`` None: no workspace is known, so it goes to the state directory.
    """

    root: str | None
    policy: TracePolicy
    render: Callable[[], bytes]


class TraceSink:
    """Takes traces at once and writes them in its own time."""

    def __init__(
        self,
        *,
        state_dir: Path,
        counters: Counts,
        write: Write | None = None,
    ) -> None:
        """``write`` takes the place of the file in tests of a disk that hangs."""
        self._state_dir = state_dir
        self._counters = counters
        self._write = write or self._append
        self._queue: deque[Line] = deque()
        self._busy = 0
        self._closed = False
        self._wake = anyio.Event()
        self._idle = anyio.Event()
        self._scope = anyio.CancelScope(shield=True)
        self._limiter = anyio.CapacityLimiter(1)

    @property
    def pending(self) -> int:
        """Traces taken and not yet handled."""
        return len(self._queue) + self._busy

    def offer(self, line: Line) -> bool:
        """Take ``line``, or drop and count it when ``line.policy.queue`` are waiting."""
        if self._closed or self.pending >= line.policy.queue:
            self._counters.add("trace.dropped")
            return False
        self._queue.append(line)
        self._counters.add("trace.accepted")
        self._wake.set()
        return True

    def journal_of(self, root: str | None, policy: TracePolicy) -> Journal:
        """Where the traces of a workspace, or of none, are."""
        return Journal(
            root=self._state_dir if root is None else Path(root),
            file=STATE_FILE if root is None else policy.file,
            max_bytes=policy.max_bytes,
            keep=policy.keep,
        )

    async def run(self) -> None:
        """Write until ``stop``; cancellation from outside waits for that."""
        with self._scope:
            while True:
                await self._wake.wait()
                self._wake = anyio.Event()
                while self._queue:
                    if len(self._queue) < BATCH_LINES and not self._closed:
                        await anyio.sleep(LINGER_MS / 1_000)
                    await self._write_batch()

    async def drained(self) -> None:
        """Wait until everything taken so far is handled."""
        while self.pending:
            await self._idle.wait()

    def close(self) -> None:
        """Take nothing more. What is waiting is still written, at once."""
        self._closed = True
        self._wake.set()

    def stop(self) -> None:
        """Give up what is not written, and count it."""
        self._counters.add("trace.dropped", self.pending)
        self._scope.cancel()

    async def _write_batch(self) -> None:
        batch = [self._queue.popleft() for _ in range(min(BATCH_LINES, len(self._queue)))]
        self._busy = len(batch)
        try:
            await self._write_lines(batch)
        finally:
            self._busy = 0
            if not self._queue:
                self._idle.set()
                self._idle = anyio.Event()

    async def _write_lines(self, batch: Sequence[Line]) -> None:
        journals: dict[Journal, list[bytes]] = {}
        for number, line in enumerate(batch, start=1):
            rendered = self._rendered(line)
            if rendered is not None:
                journal = self.journal_of(line.root, line.policy)
                journals.setdefault(journal, []).append(rendered)
            # Answers go between two slices. In the thread a batch kept the interpreter from them
            # for its switch interval, 5 ms.
            if number % SLICE_LINES == 0:
                await checkpoint()
        for journal, lines in journals.items():
            await anyio.to_thread.run_sync(
                self._write, journal, lines, abandon_on_cancel=True, limiter=self._limiter
            )

    def _rendered(self, line: Line) -> bytes | None:
        """The line; None, counted, where it is no JSON."""
        try:
            return line.render()
        except (TypeError, ValueError):
            self._counters.add("trace.unrenderable")
            self._counters.add("trace.dropped")
            return None

    def _append(self, journal: Journal, lines: Sequence[bytes]) -> None:
        append(journal, lines, count=lambda name, n: self._counters.add(f"trace.{name}", n))


@asynccontextmanager
async def open_sink(
    *,
    state_dir: Path,
    counters: Counts,
    write: Write | None = None,
    drain_ms: int = DRAIN_MS,
) -> AsyncIterator[TraceSink]:
    """A running sink. At the end what waits is written, for ``drain_ms`` at the most.

    What is left then is dropped and counted; a thread that hangs is left behind.
    """
    sink = TraceSink(state_dir=state_dir, counters=counters, write=write)
    async with anyio.create_task_group() as group:
        group.start_soon(sink.run)
        try:
            yield sink
        finally:
            sink.close()
            with anyio.move_on_after(drain_ms / 1_000, shield=True):
                await sink.drained()
            sink.stop()
