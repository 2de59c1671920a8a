"""What a handler may use. Built once, in the composition root."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from recalld.counters import Counters
from recalld.server.health import Health
from recalld.server.hub import Hub
from recalld.server.places import SessionBook, Whereabouts
from recalld.server.ports import (
    Checkpoints,
    Continuity,
    Hearing,
    Heartbeats,
    Indexing,
    Memories,
    Recaller,
    RouteSearcher,
)
from recalld.server.recording import Recorder
from recalld.server.traffic import Traffic


@dataclass(frozen=True, slots=True, kw_only=True)
class Vitals:
    """Facts of the running process, read when asked."""

    version: str
    pid: int
    uptime_s: Callable[[], float]
    rss_bytes: Callable[[], int]
    loop_lag_max_ms: Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """``total_ms`` is the configured budget of one recall, read anew for every request.

    ``forget_shown`` is told the key of a session whose context was emptied.
    """

    recall: Recaller
    searcher: RouteSearcher
    index: Indexing
    continuity: Continuity
    checkpoints: Checkpoints
    memories: Memories
    hearing: Hearing
    heartbeat: Heartbeats
    recorder: Recorder
    sessions: SessionBook
    places: Whereabouts
    hub: Hub
    counters: Counters
    traffic: Traffic
    health: Health
    vitals: Vitals
    total_ms: Callable[[], int]
    reload: Callable[[], Awaitable[Mapping[str, object]]]
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    forget_shown: Callable[[str], None]
