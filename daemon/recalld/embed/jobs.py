"""Work for one slow worker: questions first, passages when nobody has asked for a moment."""

from collections import deque
from dataclasses import dataclass, field

import anyio

from recalld.embed.port import Both, Purpose
from recalld.errors import Unavailable

# One prompt asks several times in a row; a batch begun between two of its questions would
# cost the second one half a second.
QUIET_S = 0.25


@dataclass(eq=False)
class Job:
    """One batch. Settled once, by its result or by why there is none."""

    texts: tuple[str, ...]
    purpose: Purpose
    settled: anyio.Event = field(default_factory=anyio.Event)
    both: Both | None = None
    problem: str = ""

    def succeed(self, both: Both) -> None:
        self.both = both
        self.settled.set()

    def fail(self, problem: str) -> None:
        self.problem = problem
        self.settled.set()

    def result(self) -> Both:
        if self.both is None:
            raise Unavailable("embedder", self.problem or "gave nothing")
        return self.both


class JobQueue:
    """First come, first served, within questions and within the rest."""

    def __init__(self) -> None:
        self._questions: deque[Job] = deque()
        self._others: deque[Job] = deque()
        self._arrived = anyio.Event()
        self._asked_at = -QUIET_S

    def __len__(self) -> int:
        return len(self._questions) + len(self._others)

    def put(self, job: Job) -> None:
        line = self._questions if job.purpose is Purpose.QUERY else self._others
        line.append(job)
        self._arrived.set()

    def discard(self, job: Job) -> None:
        """Forget a job nobody waits for any more, if it was not begun."""
        for line in (self._questions, self._others):
            if job in line:
                line.remove(job)

    def refuse_all(self, problem: str) -> None:
        for line in (self._questions, self._others):
            while line:
                line.popleft().fail(problem)

    async def next(self, idle_s: float) -> Job | None:
        """The next job; None when none came for ``idle_s``."""
        with anyio.move_on_after(idle_s):
            while True:
                if self._questions:
                    self._asked_at = anyio.current_time()
                    return self._questions.popleft()
                quiet_s = self._asked_at + QUIET_S - anyio.current_time()
                if self._others and quiet_s <= 0:
                    return self._others.popleft()
                self._arrived = anyio.Event()
                with anyio.move_on_after(max(quiet_s, 0) if self._others else idle_s):
                    await self._arrived.wait()
        return None
