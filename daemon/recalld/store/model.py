"""Values of the store that others may name. Pure."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What one message says about its session; None where it says nothing.

    ``end_reason`` is set by the message that ends it.
    """

    key: str
    agent: str
    workspace: str | None
    client: str | None
    at: datetime
    end_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPlace:
    """Where a kept turn was said. ``workspace``: the root, or what the session named; None."""

    seq: int
    session_key: str
    workspace: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTurn:
    """A turn as it was kept. ``payload`` is JSON, own blocks stripped, secrets redacted."""

    seq: int
    session_key: str
    at: datetime
    received_at: datetime
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTurn:
    """A kept turn, whoever said it wherever. ``payload`` as in ``KeptTurn``."""

    seq: int
    session_key: str
    agent: str
    at: datetime
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptProposal:
    """What a turn proposed to remember. ``key`` is one for all texts that say the same;
    ``said_by``: ``user`` or ``agent``; ``type`` as in memories."""

    id: str
    owner: str
    key: bytes
    content: str
    type: str
    session: str
    agent: str
    said_by: str
    said_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTick:
    """One heartbeat's tick. ``reason`` is why it acted or not."""

    at: datetime
    reason: str
    signals: int
    llm_calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ActRow:
    """A heartbeat's act. ``body`` is JSON of the heartbeat's own."""

    id: str
    at: datetime
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HeartbeatChange:
    """One owner's change: all of it or nothing is kept. ``book`` is JSON of the heartbeat's own."""

    owner: str
    book: bytes
    acts: tuple[ActRow, ...] = ()
    tick: KeptTick | None = None
