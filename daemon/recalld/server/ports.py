"""What the server needs from the rest of the daemon, as small protocols."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from recalld.continuity.model import ChildResult, Recovered
from recalld.heartbeat.model import ActState, Related, TickAsked, Ticked
from recalld.memories.model import (
    Added,
    Change,
    Memory,
    NewMemory,
    Page,
    Receipt,
    Search,
    Wanted,
)
from recalld.recall.model import Prompt, RecallResult, Routed
from recalld.search.model import Scope
from recalld.store.model import KeptProposal, Sighting


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A configured workspace: its id in the index and its root."""

    id: int
    root: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event as it is kept: ``payload`` is JSON, own blocks stripped, secrets redacted.

    ``reply`` is the JSON of the answer when it is known beforehand.
    """

    kind: str
    event_id: str | None
    session_key: str
    agent: str
    workspace: str | None
    at: datetime
    payload: bytes
    reply: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """``reply`` is the first answer to a duplicate, None when there is none yet."""

    seq: int
    duplicate: bool
    reply: bytes | None


class Recaller(Protocol):
    async def prompt(self, prompt: Prompt, *, budget_ms: int | None) -> RecallResult:
        """Never raises but for cancellation, and ends within the budget."""

    def undelivered(self, session_key: str, result: RecallResult) -> None:
        """The answer did not reach the session."""

    def trace(self, trace_id: str) -> Mapping[str, object] | None:
        """The trace of an answer given just now; None where none is kept."""

    async def explain(self, trace_id: str) -> Mapping[str, object]:
        """Raise ``NotFound`` for a trace that is not remembered."""


class RouteSearcher(Protocol):
    @property
    def names(self) -> tuple[str, ...]:
        """The query routes that may be named."""

    async def search(
        self, text: str, *, routes: Sequence[str], scope: Scope, limit: int, now: datetime
    ) -> Routed:
        """Raise ``Unavailable`` when no route could be searched."""


class Journal(Protocol):
    async def append(self, entry: Entry) -> Kept:
        """Durable when it returns. Raise ``Unavailable`` when it is not kept."""

    async def record_reply(self, seq: int, reply: bytes) -> None: ...


class SessionStore(Protocol):
    async def note(self, sighting: Sighting) -> None:
        """Raise ``Unavailable`` when it is not kept."""

    async def last_workspace(self, key: str) -> str | None: ...


class Indexing(Protocol):
    async def sync(self, workspace_id: int | None, *, wait: bool) -> Mapping[str, object]: ...

    async def status(self, workspace_id: int | None) -> Mapping[str, object]: ...


class Places(Protocol):
    def all(self) -> Sequence[Place]: ...

    def resolve(self, path: str) -> Place | None:
        """The configured workspace equal to or nearest above ``path``; looks at the disk."""


Fields = Mapping[str, object]


class Continuity(Protocol):
    """What session events ask. ``root`` None: a workspace that nobody configured, for which the
    answers are empty and nothing is kept."""

    def wants(self, root: str | None, key: str, text: str) -> bool:
        """Whether ``prompted`` may have something to say; asks neither disk nor store."""

    async def prompted(self, root: str | None, key: str, text: str) -> str | None:
        """What the agent is told before this prompt. Work for a stage: may raise or hang."""

    async def started(self, root: str | None, key: str, *, source: str) -> Recovered:
        """Never raises but for cancellation."""

    def undelivered(self, root: str | None, key: str) -> None:
        """What ``prompted`` or ``started`` said last did not reach the session."""

    def turned(self, root: str | None, key: str) -> None:
        """A turn is kept; the checkpoint follows."""

    async def reported(self, root: str | None, key: str, said: str, *, at: datetime) -> None:
        """What an agent said in a turn that went well. Never raises but for cancellation."""

    async def before_compaction(self, root: str | None, key: str) -> Fields | None:
        """On the disk when it returns; so do the next four. ``Unavailable``, ``Refused``."""

    async def after_compaction(self, root: str | None, key: str) -> Fields | None: ...

    async def reset(self, root: str | None, key: str) -> str | None: ...

    async def ended(self, root: str | None, key: str) -> str | None: ...

    async def child_ended(self, root: str | None, parent: str, child: ChildResult) -> int: ...


class Checkpoints(Protocol):
    """The checkpoint of a configured workspace. ``Unavailable`` and ``Refused`` from each."""

    async def read(self, root: str) -> Fields: ...

    async def write(
        self, root: str, changes: Mapping[str, object], *, session: str | None
    ) -> Fields: ...

    async def history(self, root: str, *, limit: int) -> Sequence[Fields]: ...

    async def restore(self, root: str, name: str) -> Fields:
        """Raise ``NotFound`` for a name that ``history`` does not list."""


class Memories(Protocol):
    """Typed memories, and what turns proposed. Each answers in time or raises ``Unavailable``;
    ``NotFound`` for an id that is not there, ``BadRequest`` for what cannot be kept."""

    async def add(self, new: NewMemory) -> Added:
        """Durable when it returns, as the others are. ``Refused`` for a heartbeat's words."""

    async def get(self, memory_id: str) -> Memory: ...

    async def update(self, memory_id: str, change: Change) -> Memory: ...

    async def resolve(self, memory_id: str) -> Memory: ...

    async def list(
        self, owner: str, wanted: Wanted, *, query: str | None, limit: int, cursor: str | None
    ) -> Page: ...

    async def search(
        self, owner: str, query: str, wanted: Wanted, *, limit: int, min_score: float
    ) -> Search: ...

    async def matching(self, owner: str, query: str) -> Sequence[Memory]:
        """The owner's own, of any state, that hold the query or all of its words."""

    async def forget(self, ids: Sequence[str]) -> Receipt: ...

    async def proposals(self, owner: str, *, limit: int) -> Sequence[KeptProposal]: ...

    async def accept(self, proposal_id: str) -> Added: ...

    async def reject(self, proposal_id: str) -> None: ...


class Hearing(Protocol):
    """Whoever makes proposals of turns, behind the answers."""

    def heard(self, seq: int) -> None:
        """A turn is kept as this event; costs nothing."""


class Heartbeats(Protocol):
    """Ticks and what comes of them. ``Unavailable`` with the store, ``NotFound`` for an id that is
    not there."""

    async def tick(self, asked: TickAsked) -> Ticked:
        """What it says has reached nobody yet."""

    async def at_start(self, client: str | None) -> Ticked | None:
        """A tick for a host that shows it when a session starts; None for any other."""

    async def delivered(self, act_id: str, *, ok: bool, error: str | None = None) -> ActState: ...

    async def acknowledge(
        self, *, act_id: str | None, memory_id: str | None, snooze_s: float | None
    ) -> None: ...

    async def relate(
        self, memory: Memory, *, limit: int, at: datetime | None = None
    ) -> Sequence[Related]: ...
