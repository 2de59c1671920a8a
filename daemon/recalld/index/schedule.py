"""Who uses a thread when: workspaces take turns, and one whose disk hangs keeps nobody waiting.

A thread inside a disk that does not answer cannot be ended. It is left alone: its workspace gets
no other thread until it comes back, so there are never more such threads than workspaces.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from recalld.counters import Counters
from recalld.errors import RecalldError

T = TypeVar("T")

# How long one step of a thread may keep the others waiting. A batch takes a tenth of a second.
TURN_S = 5.0
LOOK_S = 1.0


class Lane:
    """The one thread that a workspace may have, an abandoned one counted."""

    def __init__(self) -> None:
        self.lock = anyio.Lock()
        self.limiter = anyio.CapacityLimiter(1)
        self.turn: object | None = None
        self._began: float | None = None

    def begin(self, turn: object) -> None:
        self.turn = turn
        self._began = anyio.current_time()

    @property
    def free(self) -> bool:
        return self.limiter.borrowed_tokens == 0

    @property
    def stuck_s(self) -> float:
        """For how long the thread has been inside its present step; 0 when there is none."""
        if self.free or self._began is None:
            return 0.0
        return anyio.current_time() - self._began


class Turns:
    """One step at a time over all workspaces. ``run`` takes turns from those that hang."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._limiter = anyio.CapacityLimiter(1)
        self._lanes: dict[str, Lane] = {}
        self._taken = anyio.Event()

    def lane(self, root: str) -> Lane:
        """The lane of the workspace at ``root``, the same one for as long as the daemon runs."""
        return self._lanes.setdefault(root, Lane())

    async def step(self, lane: Lane, work: Callable[[], T]) -> T:
        """``work`` in the lane's thread. Cancelled, the thread is left to end by itself."""
        async with lane.lock:
            async with lane.limiter:
                # An abandoned thread has come back; until then its workspace takes no turn.
                turn = object()
            await self._limiter.acquire_on_behalf_of(turn)
            lane.begin(turn)
            self._taken.set()
            try:
                return await anyio.to_thread.run_sync(
                    work, abandon_on_cancel=True, limiter=lane.limiter
                )
            finally:
                self._release(lane)

    async def run(self) -> None:
        """Let the next workspace go on when one takes longer than ``TURN_S``."""
        while True:
            held = [lane for lane in self._lanes.values() if lane.turn is not None]
            if not held:
                self._taken = anyio.Event()
                await self._taken.wait()
            for lane in held:
                if lane.stuck_s > TURN_S:
                    self._counters.add("index.hung_threads")
                    self._release(lane)
            await anyio.sleep(LOOK_S)

    def _release(self, lane: Lane) -> None:
        if lane.turn is not None:
            self._limiter.release_on_behalf_of(lane.turn)
            lane.turn = None


async def unless_hung(
    work: Callable[[], Awaitable[T]], *, lane: Lane, patience_s: Callable[[], float]
) -> T | None:
    """``work``'s result; None once the lane's thread has been in one step for ``patience_s``."""
    done: list[T] = []
    faults: list[RecalldError] = []
    async with anyio.create_task_group() as nest:

        async def run() -> None:
            try:
                done.append(await work())
            except RecalldError as fault:
                faults.append(fault)
            nest.cancel_scope.cancel()

        nest.start_soon(run)
        while lane.stuck_s < patience_s():  # noqa: ASYNC110  (time passing is no event)
            await anyio.sleep(LOOK_S)
        nest.cancel_scope.cancel()
    if faults:
        raise faults[0]
    return done[0] if done else None
