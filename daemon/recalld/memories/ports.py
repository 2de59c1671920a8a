"""What typed memories ask of the rest of the daemon. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from recalld.memories.model import Memory, Occurrence, Receipt, Reply, Vector, Write


class MemoryStore(Protocol):
    """A write is one transaction and durable when it returns. ``Unavailable`` from each."""

    async def page(self, *, after_id: str, limit: int) -> Sequence[tuple[Memory, Vector | None]]:
        """Memories behind ``after_id`` by id, each with its vector, of whatever engine."""

    async def some(self, ids: Sequence[str]) -> Sequence[tuple[Memory, Vector | None]]:
        """Those of ``ids`` that are there."""

    async def reply_of(self, owner: str, event_id: str, *, since: datetime) -> Reply | None: ...

    async def put(self, write: Write) -> None:
        """Vectors of other words than a memory has now are left out."""

    async def occurrences(self, memory_id: str) -> Sequence[Occurrence]:
        """Oldest first."""

    async def forget(self, memories: Sequence[Memory]) -> Receipt:
        """Every trace of them in this store, overwritten; what is beyond is said."""

    async def purge(self, ids: Sequence[str]) -> None: ...

    async def drop_replies(self, *, before: datetime) -> int:
        """How many answers to event ids were let go of."""


class TagProblem(Protocol):
    """What is wrong with a tag that means something to the daemon; None for all others."""

    def __call__(self, tag: str) -> str | None: ...


class OwnWords(Protocol):
    """Whether a text is what a heartbeat said to this owner, or an agent's echo of it."""

    def __call__(self, owner: str, content: str) -> bool: ...
