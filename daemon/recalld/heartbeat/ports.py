"""What the heartbeat asks of the rest of the daemon, as small protocols. Pure."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Protocol
from zoneinfo import ZoneInfo

from recalld.counters import Counters
from recalld.embed.port import Embedder
from recalld.heartbeat.analysis import Provider
from recalld.heartbeat.graphport import NO_GRAPH, GraphPort
from recalld.heartbeat.model import Act, Nearest, Seen, Standing, Ticked, Workspace
from recalld.heartbeat.policy import HeartbeatPolicy
from recalld.heartbeat.related import Vector
from recalld.llm.model import Chat
from recalld.memories.model import Memory, Similar, Wanted
from recalld.store.model import HeartbeatChange, KeptTick, SpokenTurn


class HeartbeatStore(Protocol):
    """``Unavailable`` from each; a write is all or nothing, and durable when it returns."""

    async def book(self, owner: str) -> bytes | None: ...

    async def acts(self, owner: str, *, since: datetime) -> Sequence[bytes]:
        """Newest first."""

    async def act(self, act_id: str) -> tuple[str, bytes] | None: ...

    async def keep(self, change: HeartbeatChange) -> None: ...

    async def said(self, *, limit: int) -> Sequence[tuple[str, bytes]]:
        """Owner and body of the newest acts of all owners, oldest first."""

    async def ticks(self, owner: str, *, limit: int) -> Sequence[KeptTick]:
        """Newest first."""

    async def turns(self, *, since: datetime, after_seq: int, limit: int) -> Sequence[SpokenTurn]:
        """Oldest first; of more than ``limit`` the newest."""


class Memories(Protocol):
    """The typed memories; see the service of that name."""

    async def snapshot(self, owner: str) -> tuple[Mapping[str, Memory], Nearest]: ...

    async def nearest(
        self,
        asked: Memory | str | Vector,
        owner: str,
        *,
        limit: int = 10,
        min_similarity: float = 0.0,
        wanted: Wanted | None = None,
    ) -> tuple[Similar, ...]: ...

    async def vectors(self, ids: Sequence[str]) -> Mapping[str, Vector]: ...

    async def embedded(self, texts: Sequence[str]) -> Mapping[str, Vector]:
        """Of sentences, by text, on the footing of ``vectors``; empty without an engine."""

    async def embedded_words(self, texts: Sequence[str]) -> Mapping[str, Vector]:
        """Of single words, by text; empty without an engine."""

    async def get(self, memory_id: str) -> Memory: ...

    async def touch(self, ids: Sequence[str]) -> None:
        """Count a use of these; durable when it returns."""

    async def count(self, owner: str | None = None) -> int: ...

    def common(self, cosine: float) -> float:
        """A cosine of the engine's on the scale of thresholds."""


class ReadWorkspace(Protocol):
    async def __call__(
        self, root: PurePath, *, now: datetime, seen: Seen | None, standing: Standing | None
    ) -> Workspace:
        """Never raises for what it finds there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An act that is prepared: what is to be said, and to whom."""

    owner: str
    act: Act
    ticked: Ticked


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A tick that is kept: whose it is, when it was, and what it came to."""

    owner: str
    at: datetime
    ticked: Ticked


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """``provider`` gives None while no model may be asked. ``roots`` are the workspaces, and
    ``standing`` what a workspace's checkpoint says. ``publish`` is told every act that is
    prepared, ``announce`` every tick. ``note_own`` is told what acts of before the start said,
    by owner; ``is_own``: whether a text is what a heartbeat said to anybody. ``is_heard``:
    whether anybody would be told of an act that nobody asked for.

    Counted: ``heartbeat.ticks``, ``heartbeat.REASON``, ``heartbeat.llm_calls``,
    ``heartbeat.analysis_PROBLEM``, ``heartbeat.lookups_failed``, ``heartbeat.unread``,
    ``heartbeat.workspaces_unread``, ``heartbeat.ticks_failed``, ``heartbeat.unheard``,
    ``heartbeat.delivered``, ``heartbeat.failed``.
    """

    store: HeartbeatStore
    memories: Memories
    embedder: Embedder
    policy: Callable[[], HeartbeatPolicy]
    provider: Callable[[], Provider | None]
    chat: Chat | None
    zone: Callable[[], ZoneInfo]
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    counters: Counters
    publish: Callable[[Told], None] = lambda _: None
    announce: Callable[[Made], None] = lambda _: None
    note_own: Callable[[str, str], None] = lambda _, __: None
    is_own: Callable[[str], bool] = lambda _: False
    is_heard: Callable[[], bool] = lambda: True
    roots: Callable[[], Sequence[str]] = tuple
    standing: Callable[[str], Awaitable[Standing | None]] | None = None
    read_workspace: ReadWorkspace | None = None
    graph: GraphPort = NO_GRAPH
