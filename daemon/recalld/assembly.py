"""How the parts are put together: constructor arguments, in the order of dependence."""

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from random import Random

import anyio

from recalld import __version__
from recalld.base import Base
from recalld.changes import tell_of_changes
from recalld.config import Settings
from recalld.continuing import Continuing
from recalld.finding import Engine, engine_of
from recalld.keeping import Around, Kept, kept_of
from recalld.parts import (
    EventJournal,
    IndexPlaces,
    StoreHealth,
    embedder_condition,
    preferred_condition,
)
from recalld.recall.ids import TraceIds
from recalld.recall.routed import RouteSearch
from recalld.recall.routes import ROUTES
from recalld.reloading import Reloading, apply_workspaces
from recalld.server.dispatch import Dispatcher
from recalld.server.health import Condition, Health
from recalld.server.hub import Hub
from recalld.server.lines import Wire
from recalld.server.methods import METHODS
from recalld.server.places import SessionBook, Whereabouts
from recalld.server.recording import Recorder
from recalld.server.services import Services, Vitals
from recalld.server.serving import Server
from recalld.server.sockets import connect_to_own
from recalld.server.sources import EventAnswerer, Sources
from recalld.server.traffic import Traffic
from recalld.service.process import rss_bytes
from recalld.store.ping import ping
from recalld.store.retention import Retention
from recalld.store.sessions import Sessions

Work = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """The parts that run. ``background`` are independent of each other."""

    services: Services
    server: Server
    background: tuple[tuple[str, Work], ...]
    configure: Callable[[], Awaitable[None]]
    ping_store: Callable[[], Awaitable[object]]
    drain: Callable[[int], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What handlers ask, by what it remembers: notes, the work at hand, memories."""

    engine: Engine
    kept: Kept


def assemble(base: Base) -> Daemon:
    settings, counters = base.settings, base.counters
    policy = settings.current.server
    # Ids are unique, not secret; the operating system's chance costs 8 us a call.
    chance = Random().getrandbits  # noqa: S311
    ids = TraceIds(now_ms=lambda: int(base.now().timestamp() * 1_000), chance=chance)
    hub = Hub(queue=policy.subscriber_queue, counters=counters, new_id=ids.next)
    engine = engine_of(base, hub, ids)
    kept = _kept(base, engine, hub=hub, ids=ids)
    parts = Parts(engine=engine, kept=kept)
    services = _services(base, parts, hub=hub, ids=ids)
    dispatcher = Dispatcher(METHODS, services=services, counters=counters)
    server = Server(
        policy=policy,
        dispatcher=dispatcher,
        traffic=services.traffic,
        counters=counters,
        uid=os.getuid(),
    )
    sources = _sources(base, dispatcher, services.traffic)
    _register(services.health, base, parts=parts, server=server, sources=sources)
    return Daemon(
        services=services,
        server=server,
        background=(*_background(base, parts, services), ("sources", sources.run)),
        configure=partial(_configured, settings, engine, kept.continuing),
        ping_store=partial(ping, base.state.database),
        drain=partial(_drained, server, sources, kept.continuing),
    )


def _background(base: Base, parts: Parts, services: Services) -> tuple[tuple[str, Work], ...]:
    engine = parts.engine
    return (
        ("embedder", base.embedder.run),
        *([] if base.preferred is None else [("preferred_embedder", base.preferred.run)]),
        ("searcher", engine.searchers.best.run),
        ("indexer", engine.indexer.run),
        ("conversations", engine.conversations.run),
        ("continuity", parts.kept.continuing.run),
        ("memories", parts.kept.remembering.service.run),
        ("proposals", parts.kept.remembering.hearing.run),
        ("heartbeat", parts.kept.beating.scheduler.run),
        ("sessions", services.sessions.run),
        ("status", partial(tell_of_changes, services)),
        ("retention", _retention(base).run),
    )


def _sources(base: Base, dispatcher: Dispatcher, traffic: Traffic) -> Sources:
    return Sources(
        base.settings.current.subscribe,
        connect=_dial,
        answerer=EventAnswerer(dispatcher, counters=base.counters),
        policy=base.settings.current.server,
        traffic=traffic,
        counters=base.counters,
    )


def _retention(base: Base) -> Retention:
    return Retention(
        base.state.database,
        now=base.now,
        keep_days=lambda: base.settings.current.server.keep_events_days,
        counters=base.counters,
    )


async def _configured(settings: Settings, engine: Engine, continuing: Continuing) -> None:
    await apply_workspaces(settings.current, settings.environ, engine.indexer)
    await continuing.load()


async def _drained(server: Server, sources: Sources, continuing: Continuing, drain_ms: int) -> None:
    """Both at once: whoever called and whomever we called get the same time. Then what they
    said becomes a checkpoint."""
    async with anyio.create_task_group() as draining:
        draining.start_soon(server.drain, drain_ms)
        draining.start_soon(sources.drain, drain_ms)
    await continuing.finish()


def _dial(path: str) -> Awaitable[Wire]:
    """An event source at ``path``, which may begin with ``~``; it must be the same user's."""
    return connect_to_own(os.path.expanduser(path), uid=os.getuid())  # noqa: PTH111 (never raises)


def _kept(base: Base, engine: Engine, *, hub: Hub, ids: TraceIds) -> Kept:
    echoes = engine.conversations.heard.echoes
    return kept_of(
        Around(
            database=base.state.database,
            settings=base.settings,
            embedder=base.embedder,
            chat=engine.chat,
            now=base.now,
            new_id=ids.next,
            counters=base.counters,
            hub=hub,
            roots=lambda: [workspace.root for workspace in engine.indexer.workspaces],
            bench=base.bench,
            is_echo=lambda text: not echoes.without(text),
        )
    )


def _services(base: Base, parts: Parts, *, hub: Hub, ids: TraceIds) -> Services:
    counters, settings, engine = base.counters, base.settings, parts.engine
    sessions = SessionBook(Sessions(base.state.database), counters=counters)
    started = anyio.current_time()
    reloading = Reloading(settings, engine.indexer, counters=counters, now=base.now)
    health = Health()
    health.register("config", reloading.condition)
    return Services(
        recall=engine.recall,
        searcher=RouteSearch(
            engine.asked,
            routes=ROUTES,
            policy=lambda: settings.current.recall,
            sparse=engine.searchers.sparse,
        ),
        index=engine.index,
        continuity=parts.kept.continuing.sessions,
        checkpoints=parts.kept.continuing.checkpoints,
        memories=parts.kept.remembering.memories,
        hearing=parts.kept.remembering.hearing,
        heartbeat=parts.kept.beating.service,
        recorder=Recorder(EventJournal(base.events), counters=counters),
        sessions=sessions,
        places=Whereabouts(IndexPlaces(engine.indexer), sessions, counters=counters),
        hub=hub,
        counters=counters,
        traffic=Traffic(counters),
        health=health,
        vitals=Vitals(
            version=__version__,
            pid=os.getpid(),
            uptime_s=lambda: anyio.current_time() - started,
            rss_bytes=rss_bytes,
            loop_lag_max_ms=base.lag_max_ms,
        ),
        total_ms=lambda: settings.current.recall.max_total_ms,
        reload=reloading.reload,
        clock=base.now,
        new_id=ids.next,
        forget_shown=engine.recall.forget_shown,
    )


def _register(
    health: Health, base: Base, *, parts: Parts, server: Server, sources: Sources
) -> None:
    for part, opened in (("store", base.state), ("index_store", base.index)):
        health.register(
            part, StoreHealth(database=opened.database, quarantined=opened.quarantined).condition
        )
    health.register("embedder", partial(embedder_condition, base.embedder))
    if base.preferred is not None:
        health.register("preferred_embedder", partial(preferred_condition, base.preferred))
    health.register("index", parts.engine.index.condition)
    health.register("continuity", parts.kept.continuing.condition)
    health.register("memories", parts.kept.remembering.condition)
    health.register("heartbeat", parts.kept.beating.condition)

    async def socket() -> Condition:
        lost = () if server.reachable else ("the socket file is gone or somebody else's",)
        return Condition(degraded=lost, facts={"connections": server.connections})

    async def followed() -> Condition:
        missing = tuple(f"{name} is not connected" for name in sources.missing)
        return Condition(degraded=missing)

    async def traces() -> Condition:
        return Condition(facts={"pending": base.sink.pending})

    health.register("socket", socket)
    health.register("sources", followed)
    health.register("traces", traces)
