"""The heartbeat over this daemon's store, memories and workspaces."""

import os
import re
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path, PurePath
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from recalld.config import Settings
from recalld.counters import Counters
from recalld.embed.port import Embedder, EmbedderState
from recalld.heartbeat.analysis import Provider
from recalld.heartbeat.flow import HeartbeatService
from recalld.heartbeat.model import Nearest, Seen, Standing, Workspace
from recalld.heartbeat.ports import Made, World
from recalld.heartbeat.related import Vector
from recalld.heartbeat.schedule import Scheduler
from recalld.heartbeat.workspace import Scope, read
from recalld.llm.model import Chat
from recalld.memories.flow import MemoryService
from recalld.memories.model import Memory, Similar, Wanted
from recalld.recall.rescue import thinking_of
from recalld.server.health import Condition
from recalld.server.heartbeats import result_of
from recalld.server.hub import Event, EventKind, Hub
from recalld.store.bridge import Database
from recalld.store.heartbeat import HeartbeatTable
from recalld.text.shingles import share_in, shingles

LOCAL_ZONE = Path("/etc/localtime")
# Of the last messages; what repeats so much of one is the heartbeat's own.
REMEMBERED = 100
OWN_SHARE = 0.6
# ... and what is so much of the message.
OWN_PART = 0.4

_ZONE_NAME = re.compile(r"zoneinfo/(?P<name>.+)\Z")

StandingOf = Callable[[str], Awaitable[Standing | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What of the daemon heartbeats live in. ``standing``: what a workspace's checkpoint says."""

    database: Database
    settings: Settings
    embedder: Embedder
    chat: Chat
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    counters: Counters
    hub: Hub
    roots: Callable[[], Sequence[str]]
    standing: StandingOf
    own: "OwnMessages"


class OwnMessages:
    """What heartbeats said lately: it is not to be remembered as somebody's words."""

    def __init__(self) -> None:
        self._said: deque[tuple[str, frozenset[int]]] = deque(maxlen=REMEMBERED)

    def note(self, owner: str, message: str) -> None:
        if message:
            self._said.append((owner, shingles(message)))

    def holds(self, owner: str, content: str) -> bool:
        """Whether ``content`` is one of them, or most of one.

        Some of one is not enough: a message quotes plans, and who says such a plan again does
        not repeat the message.
        """
        words = shingles(content)
        return any(whose == owner and _repeats(words, said) for whose, said in tuple(self._said))

    def is_any(self, content: str) -> bool:
        """The same, whoever it was said to."""
        words = shingles(content)
        return any(_repeats(words, said) for _, said in tuple(self._said))


def _repeats(words: frozenset[int], said: frozenset[int]) -> bool:
    return share_in(words, said) >= OWN_SHARE and share_in(said, words) >= OWN_PART


class Beating:
    """The parts of the heartbeat: ``service`` for callers, ``scheduler`` for the daemon itself."""

    def __init__(self, around: Surroundings, memories: MemoryService) -> None:
        settings = around.settings
        self._settings = settings
        self._counters = around.counters
        world = World(
            store=HeartbeatTable(around.database),
            memories=HeartbeatMemories(memories, around.embedder),
            embedder=around.embedder,
            policy=lambda: settings.current.heartbeat,
            provider=lambda: provider_of(settings),
            chat=around.chat,
            zone=lambda: zone_of(settings.current.heartbeat.timezone, settings.environ),
            now=around.now,
            new_id=around.new_id,
            counters=around.counters,
            publish=lambda told: around.own.note(told.owner, told.ticked.message),
            announce=partial(_announce, around.hub),
            note_own=around.own.note,
            is_own=around.own.is_any,
            is_heard=lambda: around.hub.listens(EventKind.HEARTBEAT),
            roots=around.roots,
            standing=around.standing,
            read_workspace=self._read_workspace,
        )
        self.service = HeartbeatService(world)
        self.scheduler = Scheduler(
            service=self.service, world=world, environ=lambda: _without_keys(settings)
        )

    async def _read_workspace(
        self, root: PurePath, *, now: datetime, seen: Seen | None, standing: Standing | None
    ) -> Workspace:
        scope = Scope(reports=self._settings.current.heartbeat.test_reports)
        return await read(Path(root), now=now, seen=seen, standing=standing, scope=scope)

    async def condition(self) -> Condition:
        """What it did since the start."""
        policy = self._settings.current.heartbeat
        facts: dict[str, object] = {
            "scheduled": policy.scheduled,
            "ticks": self._counters.get("heartbeat.ticks"),
            "delivered": self._counters.get("heartbeat.delivered"),
            "failed": self._counters.get("heartbeat.failed"),
        }
        return Condition(degraded=(), facts=facts)


class HeartbeatMemories:
    """Typed memories as the heartbeat asks them, and the engine as it compares with them."""

    def __init__(self, service: MemoryService, embedder: Embedder) -> None:
        self._service = service
        self._embedder = embedder

    async def snapshot(self, owner: str) -> tuple[Mapping[str, Memory], Nearest]:
        return await self._service.snapshot(owner)

    async def nearest(
        self,
        asked: Memory | str | Vector,
        owner: str,
        *,
        limit: int = 10,
        min_similarity: float = 0.0,
        wanted: Wanted | None = None,
    ) -> tuple[Similar, ...]:
        return await self._service.nearest(
            asked, owner, limit=limit, min_similarity=min_similarity, wanted=wanted
        )

    async def vectors(self, ids: Sequence[str]) -> Mapping[str, Vector]:
        return await self._service.vectors(ids)

    async def embedded(self, texts: Sequence[str]) -> Mapping[str, Vector]:
        if not texts or self._embedder.state is not EmbedderState.READY:
            return {}
        vectors = await self._embedder.embed_passages(texts)
        return dict(zip(texts, vectors, strict=True))

    async def embedded_words(self, texts: Sequence[str]) -> Mapping[str, Vector]:
        if not texts or self._embedder.state is not EmbedderState.READY:
            return {}
        vectors = await self._embedder.embed_words(texts)
        return dict(zip(texts, vectors, strict=True))

    async def get(self, memory_id: str) -> Memory:
        return await self._service.get(memory_id)

    async def touch(self, ids: Sequence[str]) -> None:
        await self._service.touch(ids)
        await self._service.flush()

    async def count(self, owner: str | None = None) -> int:
        return await self._service.count(owner)

    def common(self, cosine: float) -> float:
        return self._service.scale.common(cosine)


def provider_of(settings: Settings) -> Provider | None:
    """Where a model may be asked; None while ``llm.enabled`` is off or its key is not there."""
    config = settings.current
    asked = config.recall.expansion
    if not config.llm.enabled or not settings.environ.get(asked.api_key_env):
        return None
    return Provider(
        endpoint=asked.endpoint,
        key_name=asked.api_key_env,
        model=asked.model,
        max_output_tokens=asked.max_output_tokens,
        response_format=asked.response_format,
        thinking=thinking_of(asked),
    )


def _without_keys(settings: Settings) -> Mapping[str, str]:
    """What the delivery command runs with: it has no business with the model's key."""
    withheld = settings.current.recall.expansion.api_key_env
    return {name: value for name, value in settings.environ.items() if name != withheld}


def zone_of(name: str, environ: Mapping[str, str]) -> ZoneInfo:
    """The zone of that name; else ``$TZ``, else this machine's, else UTC."""
    usual = _ZONE_NAME.search(os.path.realpath(LOCAL_ZONE))
    for candidate in (name, environ.get("TZ", "").lstrip(":"), usual and usual["name"]):
        if candidate:
            try:
                return ZoneInfo(candidate)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                continue
    return ZoneInfo("UTC")


def _announce(hub: Hub, made: Made) -> None:
    """To subscribers, also when there is nothing to say: a tick that came as a notification has
    no other answer."""
    if not hub.listens(EventKind.HEARTBEAT):
        return
    data = {"owner": made.owner, **result_of(made.ticked)}
    hub.publish(Event(kind=EventKind.HEARTBEAT, at=made.at, data=data))
