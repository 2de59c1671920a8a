"""Typed memories over this daemon's store and engine, as callers and turns reach them."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread

from recalld.continuing import is_no_user
from recalld.counters import Counters
from recalld.embed.port import Embedder
from recalld.errors import Unavailable
from recalld.heartbeat import cron
from recalld.heartbeat.policy import HeartbeatPolicy
from recalld.memories import listing
from recalld.memories.content import content_key
from recalld.memories.flow import MemoryService
from recalld.memories.library import View
from recalld.memories.model import (
    Added,
    Change,
    Memory,
    NewMemory,
    Origin,
    Page,
    Receipt,
    Search,
    Wanted,
)
from recalld.memories.ports import OwnWords
from recalld.memories.world import World, nobody
from recalld.proposing import Proposing, memory_of
from recalld.proposing import World as ProposingWorld
from recalld.server.health import Condition
from recalld.store.bridge import Database
from recalld.store.memories import MemoryStore
from recalld.store.model import KeptProposal
from recalld.store.proposals import ProposalStore

T = TypeVar("T")

# A store that does not answer within this is said to be unavailable; the caller may ask again.
LIMIT_MS = 4_000
# Forgetting looks through every event that is kept.
FORGET_MS = 120_000
# A host's session for heartbeats: what is said there is the heartbeat's.
# Sessions of agents that other agents or hosts started, as a host calls them.
_WITHOUT_USER = re.compile(r"(?:agent:[^:]+:)?(?:subagent|cron|hook):")
_HEARTBEAT_SESSION = re.compile(r"(?:^|[:_.-])heartbeat(?=[:_.-]|\Z)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What of the daemon memories live in. ``is_echo``: whether a text only repeats what was put
    into prompts; ``own_words``: whether it is a heartbeat's. ``limit_ms``: what a caller waits at
    most, but for forgetting."""

    database: Database
    embedder: Embedder
    policy: Callable[[], HeartbeatPolicy]
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    counters: Counters
    is_echo: Callable[[str], bool]
    own_words: OwnWords = nobody
    limit_ms: int = LIMIT_MS


class Remembering:
    """The parts of memories. ``service`` is for the daemon's own parts, ``memories`` for callers,
    ``hearing`` for turns."""

    def __init__(self, around: Surroundings) -> None:
        store = ProposalStore(around.database)
        self.service = MemoryService(
            World(
                store=MemoryStore(around.database),
                embedder=around.embedder,
                now=around.now,
                new_id=around.new_id,
                counters=around.counters,
                tag_problem=cron.problem,
                own_words=around.own_words,
            )
        )
        self.memories = AskedMemories(self.service, store, around)
        self.hearing = Proposing(
            ProposingWorld(
                store=store,
                add=self.memories.add,
                mode=lambda: around.policy().propose,
                is_no_user=_is_no_user,
                is_echo=around.is_echo,
                own_words=around.own_words,
                new_id=around.new_id,
                counters=around.counters,
            )
        )
        self._policy = around.policy
        self._store = store

    async def condition(self) -> Condition:
        """Degraded where the store does not say, or turns wait to be heard."""
        late = ("turns wait to be made into proposals",) if self.hearing.late else ()
        try:
            kept = {
                "memories": await self.service.count(),
                "proposals": await self._store.count(),
            }
        except Unavailable as fault:
            kept, late = {}, (*late, str(fault))
        facts = {"propose": self._policy().propose, "up_to_date": self.hearing.idle}
        return Condition(degraded=late, facts={**kept, **facts})


class AskedMemories:
    """Memories as callers ask for them: each answer within a limit, else ``Unavailable``,
    counted as ``memories.NAME_late``. What was cut off may be done all the same; with an event
    id it may be asked for again."""

    def __init__(self, service: MemoryService, store: ProposalStore, around: Surroundings) -> None:
        self._service = service
        self._store = store
        self._now = around.now
        self._counters = around.counters
        self._limit_ms = around.limit_ms

    async def add(self, new: NewMemory) -> Added:
        if new.session is not None and _HEARTBEAT_SESSION.search(new.session):
            new = replace(new, origin=Origin.HEARTBEAT)
        return await self._within("add", partial(self._service.add, new))

    async def get(self, memory_id: str) -> Memory:
        return await self._within("get", partial(self._service.get, memory_id))

    async def update(self, memory_id: str, change: Change) -> Memory:
        return await self._within("update", partial(self._service.update, memory_id, change))

    async def resolve(self, memory_id: str) -> Memory:
        return await self._within("resolve", partial(self._service.resolve, memory_id))

    async def list(
        self, owner: str, wanted: Wanted, *, query: str | None, limit: int, cursor: str | None
    ) -> Page:
        if query is None:
            some = partial(self._service.list, owner, wanted, limit=limit, cursor=cursor)
            return await self._within("list", some)
        found = await self.matching(owner, query)
        view = View(viewer=owner, memories={each.id: each for each in found}, shelves=())
        page = partial(listing.page, view, wanted, limit=limit, cursor=cursor)
        return await anyio.to_thread.run_sync(page, abandon_on_cancel=True)

    async def search(
        self, owner: str, query: str, wanted: Wanted, *, limit: int, min_score: float
    ) -> Search:
        search = partial(self._service.search, owner, query, wanted)
        return await self._within("search", partial(search, limit=limit, min_score=min_score))

    async def matching(self, owner: str, query: str) -> Sequence[Memory]:
        return await self._within("matching", partial(self._service.matching, owner, query))

    async def forget(self, ids: Sequence[str]) -> Receipt:
        """Proposals that hold the same words go, too."""
        return await self._within("forget", partial(self._forget, ids), limit_ms=FORGET_MS)

    async def proposals(self, owner: str, *, limit: int) -> Sequence[KeptProposal]:
        return await self._within("proposals", partial(self._store.waiting, owner, limit=limit))

    async def accept(self, proposal_id: str) -> Added:
        """``NotFound`` once it is answered. What was cut off may be accepted again."""
        return await self._within("accept", partial(self._accept, proposal_id))

    async def reject(self, proposal_id: str) -> None:
        reject = partial(self._store.reject, proposal_id, at=self._now())
        await self._within("reject", reject)

    async def _accept(self, proposal_id: str) -> Added:
        kept = await self._store.get(proposal_id)
        added = await self._service.add(memory_of(kept, event_id=f"recalld:proposal:{kept.id}"))
        await self._store.drop(kept.id)
        return added

    async def _forget(self, ids: Sequence[str]) -> Receipt:
        texts: dict[str, set[str]] = {}
        for memory_id in ids:
            memory = await self._service.get(memory_id)
            said = await self._service.occurrences(memory_id)
            texts.setdefault(memory.owner, set()).update(
                {memory.content, *(each.content for each in said)}
            )
        receipt = await self._service.forget(ids)
        erased = 0
        for owner, some in texts.items():
            keys = [content_key(text) for text in some]
            erased += await self._store.erase(owner, sorted(some), keys)
        return replace(receipt, removed={**receipt.removed, "proposals": erased})

    async def _within(
        self, name: str, work: Callable[[], Awaitable[T]], *, limit_ms: int | None = None
    ) -> T:
        with anyio.move_on_after((limit_ms or self._limit_ms) / 1_000):
            return await work()
        self._counters.add(f"memories.{name}_late")
        raise Unavailable("store", f"memory.{name} is not done in time")


def _is_no_user(key: str, text: str) -> bool:
    """Whether somebody else than the user is the author of what is said to the agent."""
    return _WITHOUT_USER.match(key) is not None or is_no_user(key, text)
