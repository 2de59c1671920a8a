"""What changed on disk, as told by watchfiles, and how that is kept alive.

watchfiles ends for good on one file name that is not UTF-8, raises when inotify is used up, goes
deaf when a root is replaced, loses events silently when the kernel's queue overflows, and needs
seconds to cancel. So it is one supervised watcher over all roots: restarted with backoff, given
up for polling when it keeps dying, armed anew when a root is replaced, and never relied on
alone (the flow looks everywhere once it is armed, after bursts and every rescan).
"""

from collections.abc import AsyncGenerator, Callable, Collection, Iterable
from contextlib import aclosing
from typing import Protocol

import anyio
import anyio.to_thread
from watchfiles import awatch

from recalld.counters import Counters
from recalld.index.model import Dirty, WatchState
from recalld.index.policy import IndexPolicy
from recalld.index.scan import root_identity

# A quiet watcher reports back this often; the roots' inodes are looked at then.
IDLE_MS = 1_000
FIRST_BACKOFF_S = 0.1
# A root on a disk that hangs is not waited for.
LOOK_S = 2.0
# So many deaths in a row, none of them after a healthy minute, and polling takes over.
MAX_DEATHS = 5
HEALTHY_S = 60.0
# How long polling stands in before the watcher is tried again.
POLLING_S = 30.0

Events = AsyncGenerator[Collection[tuple[object, str]], None]
_Identities = dict[str, tuple[int, int] | None]


class Watch(Protocol):
    """Starts watching; yields sets of events, an empty one when nothing came for IDLE_MS."""

    def __call__(self, roots: tuple[str, ...], stop: anyio.Event) -> Events: ...


# Receives a root and what to look at there.
Report = Callable[[str, Dirty], None]


def watchfiles_watch(policy: IndexPolicy) -> Watch:
    """The real watcher. Its thread wakes up every ``quiet_ms``."""

    def watch(roots: tuple[str, ...], stop: anyio.Event) -> Events:
        return awatch(
            *roots,
            watch_filter=None,
            debounce=policy.debounce_ms,
            step=policy.quiet_ms,
            stop_event=stop,
            rust_timeout=IDLE_MS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )

    return watch


class Watcher:
    """One watcher over every root. ``state`` is for status; ``run`` ends only by cancelling."""

    def __init__(
        self, *, watch: Watch, policy: IndexPolicy, counters: Counters, report: Report
    ) -> None:
        self._watch = watch
        self._policy = policy
        self._counters = counters
        self._report = report
        self._roots: tuple[str, ...] = ()
        self._inodes = _Inodes(counters)
        self._changed = anyio.Event()
        self.state = WatchState.STARTING

    def set_roots(self, roots: Iterable[str]) -> None:
        """Watch these from now on; the same roots again change nothing."""
        wanted = tuple(roots)
        if wanted != self._roots:
            self._roots = wanted
            self._changed.set()

    async def run(self) -> None:
        deaths = 0
        while True:
            self._changed = anyio.Event()
            started = anyio.current_time()
            died = await self._watch_once()
            self.state = WatchState.DOWN
            if not died:
                deaths = 0
                continue
            self._counters.add("index.watch_deaths")
            deaths = 1 if anyio.current_time() - started > HEALTHY_S else deaths + 1
            if deaths < MAX_DEATHS:
                await anyio.sleep(FIRST_BACKOFF_S * 2 ** (deaths - 1))
            else:
                await self._poll()

    async def _watch_once(self) -> bool:
        """Watch until the roots change (False) or the watcher dies (True)."""
        identities = await self._inodes.of(self._roots, {})
        present = tuple(root for root, identity in identities.items() if identity is not None)
        if not present:
            self.state = WatchState.DOWN
            await self._wait_for_roots(identities)
            return False
        self.state = WatchState.STARTING
        died = True
        stop = anyio.Event()
        async with anyio.create_task_group() as nest:
            nest.start_soon(_stop_when, self._changed, stop)
            # What watchfiles raises: OSError for inotify and vanished roots, RuntimeError and
            # kinds of it for the rest, in a group of its own.
            try:
                async with aclosing(self._watch(present, stop)) as events:
                    died = not await self._follow(events, identities)
            except* (OSError, RuntimeError):
                died = True
            nest.cancel_scope.cancel()
        return died

    async def _follow(self, events: Events, identities: _Identities) -> bool:
        """Report events until the roots change; False when the events end by themselves."""
        proven = False
        async for batch in events:
            if not proven:
                # What happened before the watches were in place made no event.
                proven = True
                self.state = WatchState.WATCH
                self._look_everywhere()
            self._take(batch)
            # A root made anew often gets the inode of the old one; then only the event tells.
            if any(path in identities for _, path in batch):
                self._rearmed()
                return True
            if not batch and await self._moved(identities):
                return True
        return self._changed.is_set()

    def _take(self, batch: Iterable[tuple[object, str]]) -> None:
        for root, paths in self._by_root(path for _, path in batch).items():
            burst = len(paths) > self._policy.burst_events
            if burst:
                self._counters.add("index.watch_bursts")
            self._report(root, Dirty(everything=burst, paths=set() if burst else paths))

    def _by_root(self, paths: Iterable[str]) -> dict[str, set[str]]:
        """Paths relative to the innermost root that holds them; '' is the root itself."""
        found: dict[str, set[str]] = {}
        roots = sorted(self._roots, key=len, reverse=True)
        for path in paths:
            for root in roots:
                if path == root or path.startswith(f"{root.rstrip('/')}/"):
                    found.setdefault(root, set()).add(path[len(root) :].lstrip("/"))
                    break
        return found

    async def _moved(self, identities: _Identities) -> bool:
        """Whether a root was removed, made or replaced since."""
        if await self._inodes.of(self._roots, identities) == identities:
            return False
        self._rearmed()
        return True

    def _rearmed(self) -> None:
        self._counters.add("index.watch_rearmed")
        self._look_everywhere()

    async def _wait_for_roots(self, identities: _Identities) -> None:
        while not self._changed.is_set():
            with anyio.move_on_after(self._policy.poll_s if identities else None):
                await self._changed.wait()
            if await self._moved(identities):
                return

    async def _poll(self) -> None:
        self.state = WatchState.POLLING
        self._counters.add("index.watch_polling")
        until = anyio.current_time() + POLLING_S
        while anyio.current_time() < until and not self._changed.is_set():
            with anyio.move_on_after(self._policy.poll_s):
                await self._changed.wait()
            self._look_everywhere()

    def _look_everywhere(self) -> None:
        for root in self._roots:
            self._report(root, Dirty(everything=True))


class _Inodes:
    """Looks at roots: one thread for all of them, and one for each while any of them hangs."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._together = anyio.CapacityLimiter(1)
        self._alone: dict[str, anyio.CapacityLimiter] = {}

    async def of(self, roots: tuple[str, ...], known: _Identities) -> _Identities:
        """A root that does not answer is what it was, by ``known``: a root that is missing."""
        if self._together.borrowed_tokens == 0:
            found = await _looked(roots, self._together)
            if found is not None:
                return found
            self._counters.add("index.hung_threads")
        answers: _Identities = {root: known.get(root) for root in roots}

        async def ask(root: str) -> None:
            alone = self._alone.setdefault(root, anyio.CapacityLimiter(1))
            if alone.borrowed_tokens == 0:
                answers.update(await _looked((root,), alone) or {})

        async with anyio.create_task_group() as nest:
            for root in roots:
                nest.start_soon(ask, root)
        return answers


async def _looked(roots: tuple[str, ...], limiter: anyio.CapacityLimiter) -> _Identities | None:
    def look() -> _Identities:
        return {root: root_identity(root) for root in roots}

    with anyio.move_on_after(LOOK_S):
        return await anyio.to_thread.run_sync(look, abandon_on_cancel=True, limiter=limiter)
    return None


async def _stop_when(changed: anyio.Event, stop: anyio.Event) -> None:
    # Cancelling awatch itself takes 4.7 s, because its thread only looks at the event.
    try:
        await changed.wait()
    finally:
        stop.set()
