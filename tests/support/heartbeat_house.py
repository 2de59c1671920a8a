"""The heartbeat over a real store and the real memories; only clock, model and graph are not."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from recalld.beating import HeartbeatMemories, OwnMessages
from recalld.embed.port import Embedder
from recalld.errors import Unavailable
from recalld.heartbeat.analysis import Provider
from recalld.heartbeat.book import KeptAct
from recalld.heartbeat.flow import HeartbeatService
from recalld.heartbeat.graphport import NO_GRAPH, GraphPort
from recalld.heartbeat.model import Act, TickAsked, Ticked
from recalld.heartbeat.policy import HeartbeatPolicy
from recalld.heartbeat.ports import Told, World
from recalld.llm.model import Barred, ChatOutcome, ChatReply, ChatRequest
from recalld.memories.model import Memory, MemoryType, Similar
from recalld.store.event_table import NewEvent
from recalld.store.events import open_event_log
from recalld.store.heartbeat import HeartbeatTable
from recalld.store.model import HeartbeatChange
from support.memory_world import House, new, open_house
from support.store_world import Clock

OWNER = "ann"
# A Wednesday noon.
NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
PROVIDER = Provider(endpoint="http://localhost/v1", key_name="KEY", model="m", max_output_tokens=9)
YES: dict[str, object] = {
    "should_act": True,
    "action_brief": "The upload test is flaky again",
    "recommended_actions": ["Pin the client"],
    "urgency": "high",
    "reasoning": "It was decided before",
    "autonomy": "suggest",
    "user_facing": "You pinned the client last week.",
}
NO = {**YES, "should_act": False}


@dataclass
class FakeChat:
    """Counts what it is asked. ``says`` None: it fails."""

    says: dict[str, object] | None = field(default_factory=lambda: dict(YES))
    bar: Barred | None = None
    asked: list[ChatRequest] = field(default_factory=list)

    def barred(self, endpoint: str, key_name: str) -> Barred | None:
        del endpoint, key_name
        return self.bar

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        if self.says is None:
            return ChatReply(outcome=ChatOutcome.HTTP_FAIL, problem="answered 500")
        return ChatReply(outcome=ChatOutcome.OK, content=msgspec.json.encode(self.says).decode())


class Near(HeartbeatMemories):
    """The real ones, whose search may be made to fail."""

    nearest_fails = False

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.asked: list[object] = []

    async def nearest(self, *asked: Any, **how: Any) -> tuple[Similar, ...]:
        self.asked.append(asked[0])
        if self.nearest_fails:
            raise Unavailable("memories", "are not there")
        return await super().nearest(*asked, **how)


class Store(HeartbeatTable):
    """The real one, which may be made to refuse writes."""

    refusal: Exception | None = None

    async def keep(self, change: HeartbeatChange) -> None:
        if self.refusal is not None:
            raise self.refusal
        await super().keep(change)


@dataclass(eq=False)
class Room:
    """A heartbeat and what it stands on. ``told``: what subscribers were told."""

    service: HeartbeatService
    world: World
    house: House
    store: Store
    memories: Near
    chat: FakeChat
    told: list[Told]
    own: OwnMessages

    async def remember(
        self,
        content: str,
        kind: MemoryType = MemoryType.PLAN,
        *,
        days_ago: float = 0,
        **values: Any,
    ) -> Memory:
        """Kept so many days ago: the clock is where it was, after that."""
        clock = self.house.clock
        now = clock.at
        clock.at = now - timedelta(days=days_ago)
        added = await self.house.service.add(new(content, kind, **values))
        clock.at = now
        return added.memory

    async def fill(self, count: int = 5) -> None:
        """As many memories as are enough to be no stranger, about nothing and of no signal."""
        for number in range(count):
            name = ("otter", "granite", "violin", "saffron", "harbour", "lantern", "meadow")[number]
            await self.remember(
                f"likes the {name} picture best", MemoryType.PREFERENCE, days_ago=40
            )

    async def tick(self, **asked: Any) -> Ticked:
        return await self.service.tick(TickAsked(**({"owner": OWNER} | asked)))

    async def act(self, act_id: str) -> Act:
        """As it is kept."""
        found = await self.store.act(act_id)
        assert found is not None
        return msgspec.json.decode(found[1], type=KeptAct).act

    async def said(self, text: str, *, session: str = "s9", **payload: object) -> None:
        """A turn of the user's now."""
        house = self.house
        async with open_event_log(house.database, now=house.clock, counters=house.counters) as log:
            event = NewEvent(
                event_id=None,
                kind="session.turn",
                session_key=session,
                agent="main",
                workspace=None,
                at=self.house.clock().isoformat(),
                payload=msgspec.json.encode({"user": text, "assistant": "ok", **payload}),
            )
            await log.append(event)


@asynccontextmanager
async def open_room(
    folder: Path,
    *,
    policy: HeartbeatPolicy | None = None,
    zone: str = "UTC",
    at: datetime = NOON,
    chat: FakeChat | None = None,
    provider: Provider | None = PROVIDER,
    graph: GraphPort = NO_GRAPH,
    embedder: Embedder | None = None,
    **world: Any,
) -> AsyncIterator[Room]:
    clock = Clock()
    clock.at = at
    async with open_house(folder, clock=clock, embedder=embedder) as house:
        told: list[Told] = []
        own = OwnMessages()
        model = chat or FakeChat()
        store = Store(house.database)
        memories = Near(house.service, house.embedder)
        ids = iter(range(1, 10**6))
        run = await _acts(store)
        made = World(
            store=store,
            memories=memories,
            embedder=house.embedder,
            policy=lambda: policy or HeartbeatPolicy(),
            provider=lambda: provider,
            chat=model,
            zone=lambda: ZoneInfo(zone),
            now=clock,
            new_id=lambda: f"A{run}-{next(ids):06d}",
            counters=house.counters,
            publish=told.append,
            note_own=own.note,
            is_own=own.is_any,
            graph=graph,
        )
        made = replace(made, **world)
        yield Room(
            service=HeartbeatService(made),
            world=made,
            house=house,
            store=store,
            memories=memories,
            chat=model,
            told=told,
            own=own,
        )


async def _acts(store: HeartbeatTable) -> int:
    """So that ids of a second opening are others."""
    return len(await store.said(limit=1_000))


def related_ids(ticked: Ticked) -> Sequence[str]:
    return [one.memory.id for one in ticked.enrichment.related]
