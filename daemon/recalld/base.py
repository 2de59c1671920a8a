"""What a daemon is put together on."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from recalld.config import Settings
from recalld.continuity.disk import Workbench
from recalld.counters import Counters
from recalld.embed.port import Embedder, SparseEmbedder
from recalld.recall.sink import TraceSink
from recalld.store.events import EventLog
from recalld.store.repair import Opened


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """What is open before anything is built, and outlives all of it.

    ``embedder`` is the default engine; ``preferred`` the better one, where there is one;
    ``bench`` makes the disk of a workspace's checkpoint.
    """

    settings: Settings
    counters: Counters
    state: Opened
    index: Opened
    sink: TraceSink
    events: EventLog
    embedder: Embedder
    preferred: SparseEmbedder | None = None
    now: Callable[[], datetime]
    lag_max_ms: Callable[[], float]
    bench: Callable[[str], Workbench] = Workbench
