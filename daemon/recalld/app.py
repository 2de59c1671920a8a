"""The composition root: configuration to parts, parts to one nest of task groups.

Shutdown order is the indentation of ``serve``: connections, then background, then traces and
events, then the databases.
"""

import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import anyio
import structlog
import trio

from recalld.assembly import Daemon, assemble
from recalld.base import Base
from recalld.config import Settings, socket_path, state_dir
from recalld.counters import Counters
from recalld.embed import build_engines
from recalld.errors import BadConfig, RecalldError, Refused, sole
from recalld.recall.sink import Write, open_sink
from recalld.server.dispatch import Incident, contained
from recalld.server.listen import Claim, claim, lock_file
from recalld.server.methods.status import report
from recalld.service import logs
from recalld.service.activation import forget_activation, inherited_socket
from recalld.service.notify import Notifier, beat_while_alive, watchdog_period_s
from recalld.service.process import LoopLag, harden, tame_memory
from recalld.service.signals import StopRequest, obey
from recalld.store.bridge import open_loop
from recalld.store.events import open_event_log
from recalld.store.repair import open_or_replace

# What another instance at the same socket or state means to the service manager: try later.
EXIT_BUSY = 75
FLUSH_S = 0.5
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0

_log = structlog.get_logger("recalld.app")


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How one run of the daemon begins and ends. ``on_ready`` is told where it listens.

    ``adjust`` may put another engine or another clock into the base, and ``write_traces`` takes
    the place of the trace files: that is how a part that hangs is tried out.
    """

    counters: Counters
    stop: StopRequest
    on_ready: Callable[[Path | None], None] = lambda _: None
    obey_signals: bool = False
    adjust: Callable[[Base], Base] = lambda base: base
    write_traces: Write | None = None


def main(settings: Settings) -> int:
    """Run until a signal; the exit status. Raise what is wrong before anything was served.

    75: another daemon serves there. ``BadConfig`` is the caller's to print (78).
    """
    counters = Counters()
    policy = settings.current.log
    logs.set_up(level=policy.level, form=policy.format, counters=counters)
    harden(counters)
    tame_memory(counters)

    async def run() -> None:
        await serve(settings, Launch(counters=counters, stop=StopRequest(), obey_signals=True))

    try:
        anyio.run(run, backend="trio")
    except (RecalldError, BaseExceptionGroup) as error:
        fault = sole(error)
        if not isinstance(fault, Refused):
            raise fault from error
        sys.stderr.write(f"recalld: {fault}\n")
        return EXIT_BUSY
    return 0


async def serve(settings: Settings, launch: Launch) -> None:
    """Serve until ``launch.stop``; then drain, flush and close.

    Raise ``BadConfig`` and ``Refused`` before the socket accepts, ``Unavailable`` when the state
    directory cannot be used.
    """
    state = _state_dir(settings)
    what = "a daemon that runs already; 'recalld status' shows it"
    lock = lock_file(state / "state.lock", what=what)
    try:
        claimed = _claimed(settings)
        try:
            async with open_loop(), _opened(settings, launch, state) as daemon:
                await _run(daemon, claimed=claimed, settings=settings, launch=launch)
        finally:
            claimed.release()
    finally:
        os.close(lock)


def _claimed(settings: Settings) -> Claim:
    handed = inherited_socket(settings.environ, pid=os.getpid())
    if handed is not None:
        forget_activation()
        return Claim(listener=handed)
    return claim(socket_path(settings.current, settings.environ), uid=os.getuid())


def _state_dir(settings: Settings) -> Path:
    """``$RECALLD_STATE_DIR``, else the service manager's, else the user's usual place."""
    environ = settings.environ
    managed = environ.get("STATE_DIRECTORY", "").split(":")[0]
    chosen = environ.get("RECALLD_STATE_DIR") is None and managed.startswith("/")
    state = Path(managed) if chosen else state_dir(environ)
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BadConfig("RECALLD_STATE_DIR", f"{state}: {error.strerror}") from error
    return state


def _now() -> datetime:
    return datetime.now(UTC)


@asynccontextmanager
async def _opened(settings: Settings, launch: Launch, state: Path) -> AsyncIterator[Daemon]:
    """Everything that outlives the connections, and the parts built on it."""
    counters = launch.counters
    lag = LoopLag()
    trio.lowlevel.add_instrument(lag)
    opening = partial(open_or_replace, counters=counters, now=_now)
    try:
        async with (
            opening(state / "state.db", migrations="state", synchronous="FULL") as kept,
            opening(state / "index.db", migrations="index", synchronous="NORMAL") as derived,
            open_sink(state_dir=state, counters=counters, write=launch.write_traces) as sink,
            open_event_log(kept.database, now=_now, counters=counters) as events,
        ):
            engines = build_engines(settings.current.embed, counters)
            base = Base(
                settings=settings,
                counters=counters,
                state=kept,
                index=derived,
                sink=sink,
                events=events,
                embedder=engines.default,
                preferred=engines.preferred,
                now=_now,
                lag_max_ms=lambda: lag.max_ms,
            )
            daemon = assemble(launch.adjust(base))
            await daemon.configure()
            yield daemon
    finally:
        trio.lowlevel.remove_instrument(lag)


async def _run(daemon: Daemon, *, claimed: Claim, settings: Settings, launch: Launch) -> None:
    notifier = Notifier.from_environment(settings.environ)
    async with anyio.create_task_group() as background:
        for name, work in daemon.background:
            background.start_soon(partial(_keep_running, name, work, counters=launch.counters))
        period_s = watchdog_period_s(settings.environ, pid=os.getpid())
        if period_s is not None:
            background.start_soon(
                partial(
                    beat_while_alive,
                    notifier.beat,
                    period_s=period_s,
                    ping_store=daemon.ping_store,
                    counters=launch.counters,
                )
            )
        if launch.obey_signals:
            background.start_soon(_obey, daemon, launch, notifier)
        async with anyio.create_task_group() as serving:
            await serving.start(daemon.server.serve, claimed)
            notifier.ready()
            _log.info("ready", socket=claimed.address, warnings=list(settings.warnings))
            if not daemon.services.places.all:
                _log.warning("no_workspace", hint="recalld workspace add DIR")
            launch.on_ready(claimed.path)
            await launch.stop.wait()
            notifier.stopping()
            _log.info("stopping")
            await daemon.drain(settings.current.server.drain_ms)
            serving.cancel_scope.cancel()
        with anyio.move_on_after(FLUSH_S):
            await daemon.services.sessions.flush()
        background.cancel_scope.cancel()


async def _keep_running(
    name: str, work: Callable[[], Awaitable[None]], *, counters: Counters
) -> None:
    """A part that breaks is begun again, ever more slowly; the others do not notice."""
    pause_s = FIRST_PAUSE_S
    while True:
        began = time.monotonic()
        outcome = await contained(work, what=name, counters=counters)
        if not isinstance(outcome, Incident):
            return
        counters.add(f"restarted.{name}")
        pause_s = FIRST_PAUSE_S if time.monotonic() - began > LONGEST_PAUSE_S else pause_s
        await anyio.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


async def _obey(daemon: Daemon, launch: Launch, notifier: Notifier) -> None:
    async def reload() -> None:
        notifier.reloading()
        try:
            await daemon.services.reload()
        except RecalldError as fault:
            _log.error("reload.refused", problem=str(fault))
        finally:
            notifier.ready()

    async def dump() -> None:
        _log.info("state", state=await report(daemon.services, own=0))

    await obey(launch.stop, reload=reload, dump=dump)
