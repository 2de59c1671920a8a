"""The values that flow through one tick. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from recalld.heartbeat.roster import Roster
from recalld.memories.model import Memory, MemoryType, Similar

T = TypeVar("T")


class Tier(IntEnum):
    """How urgent; smaller is more."""

    IMMEDIATE = 0
    ELEVATED = 1
    NORMAL = 2
    LOW = 3


class Autonomy(StrEnum):
    OBSERVE = "observe"
    SUGGEST = "suggest"
    ACT = "act"


class Period(StrEnum):
    MORNING = "morning"
    WORKING = "working"
    EVENING = "evening"
    LATE_NIGHT = "late_night"
    QUIET = "quiet"


class Reason(StrEnum):
    """Why a tick acted or not."""

    FIRST_CONTACT = "first_contact"
    ACT_DEADLINE_CRITICAL = "act_deadline_critical"
    ACT = "act"
    ACT_CONFLUENCE = "act_confluence"
    ACT_STALE_ESCALATED = "act_stale_escalated"
    NUDGE = "nudge"
    NO_SIGNALS = "no_signals"
    SIGNALS_ONLY = "signals_only"
    SUPPRESS_TIME_PERIOD = "suppress_time_period"
    SUPPRESS_RHYTHM = "suppress_rhythm"
    SUPPRESS_CONVERSATION_LOW = "suppress_conversation_low"
    SUPPRESS_STALE = "suppress_stale"
    SUPPRESS_LOW_NO_CONFLUENCE = "suppress_low_no_confluence"
    SUPPRESS_COOLDOWN = "suppress_cooldown"
    SUPPRESS_TOPIC_REPEAT = "suppress_topic_repeat"
    SUPPRESS_NUDGE_CAP = "suppress_nudge_cap"
    SUPPRESS_NUDGE_BACKOFF = "suppress_nudge_backoff"
    SUPPRESS_SNOOZED = "suppress_snoozed"
    SUPPRESS_DAILY_CAP = "suppress_daily_cap"
    SUPPRESS_LLM = "suppress_llm"
    DELIVERY_SUSPENDED = "delivery_suspended"


# Acts about signals: the only ones that are enriched.
ENRICHED = frozenset(
    {
        Reason.ACT_DEADLINE_CRITICAL,
        Reason.ACT,
        Reason.ACT_CONFLUENCE,
        Reason.ACT_STALE_ESCALATED,
    }
)
ACTS = ENRICHED | {Reason.FIRST_CONTACT, Reason.NUDGE}


class Cooldown(StrEnum):
    BYPASSED = "bypassed"
    EXPIRED = "expired"
    ACTIVE = "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """What a check found. ``tier`` is the effective one, after tags and freshness.

    ``id`` is ``check:memory-id`` or the check and a name of its own; ``memories`` are those it is
    about, the most important first, none for signals about the user or the workspace. ``title``
    is one line; ``detail`` holds what the check knows, JSON values only.
    """

    id: str
    check: str
    tier: Tier
    title: str
    memories: tuple[Memory, ...] = ()
    detail: Mapping[str, object] = field(default_factory=dict)


class ActState(StrEnum):
    PREPARED = "prepared"
    DELIVERED = "delivered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """A past act. ``fingerprint`` is empty for acts without signals, ``signal_ids`` names them;
    ``answered_at``: when the user spoke within the time that counts as an answer."""

    id: str
    owner: str
    at: datetime
    reason: Reason
    tier: Tier
    fingerprint: str
    state: ActState
    signal_ids: tuple[str, ...] = ()
    memory_ids: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    summary_hash: str = ""
    message: str = ""
    attempts: int = 0
    answered_at: datetime | None = None
    acknowledged_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """A fingerprint that was held back: counted from the first time since the last act on it."""

    fingerprint: str
    first_at: datetime
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Something the user said, as much as rhythm, sentiment and conversation need."""

    at: datetime
    session: str
    sentiment: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What the last act saw, for deltas. ``goals``: progress in [0, 1] by plan id."""

    at: datetime
    memories: int
    goals: Mapping[str, float] = field(default_factory=dict)
    silent_days: Mapping[str, float] = field(default_factory=dict)
    sentiment: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """Read-only facts of a workspace, for the developer's checks.

    ``head`` and ``branch`` as now, ``seen_head`` and ``seen_branch`` as of the last act, so that
    what a tick held back is still news to the next; ``branch`` is None without a repository and
    off any branch. ``commits`` since then, newest first: (hash, subject, paths). ``reports``:
    (path, failures, changed_at), those without failures too. The rest is what stands in the
    workspace's checkpoint, and since when its blocker does; empty without one. ``problems`` say
    what could not be read.
    """

    root: str
    branch: str | None = None
    seen_branch: str | None = None
    commits: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    reports: tuple[tuple[str, int, datetime], ...] = ()
    blocker: str = ""
    blocker_since: datetime | None = None
    head: str | None = None
    seen_head: str | None = None
    objective: str = ""
    next_action: str = ""
    checkpoint_at: datetime | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What of a workspace an act has told: where it stood at ``at``."""

    at: datetime
    branch: str | None = None
    head: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a workspace's checkpoint says. ``blocker_since``: since when it says this blocker."""

    objective: str = ""
    next_action: str = ""
    blocker: str = ""
    blocker_since: datetime | None = None
    updated_at: datetime | None = None


Nearest = Callable[[Memory], tuple[Similar, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Everything a tick looks at, read once. Checks are pure functions of it.

    ``now`` is aware, ``zone`` the user's. ``memories`` are the owner's that are not deleted, by
    id. ``acts`` newest first, ``messages`` oldest first. ``surfaced``: when a memory was last
    shown. ``nearest`` gives the memories most like one, by cosine, best first, itself left out.
    ``entities``: names mentioned by a memory's id, from the graph; empty while there is none.
    ``common``: an engine's cosine on the scale that the thresholds of checks are given in.

    ``said`` and ``live`` are made of the rest, once, for all who look: the owner's memories that
    were there at ``now`` and are no heartbeat's own words, by ``created_at``, then id; and those
    of them that are active or stale, by type, in the same order. ``like``: an earlier snapshot;
    what it has in common with this one is taken from it.
    """

    owner: str
    now: datetime
    zone: ZoneInfo
    memories: Mapping[str, Memory]
    acts: tuple[Act, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    messages: tuple[Message, ...] = ()
    surfaced: Mapping[str, datetime] = field(default_factory=dict)
    snoozed: Mapping[str, datetime] = field(default_factory=dict)
    topic_surfacings: Mapping[str, int] = field(default_factory=dict)
    last_state: State | None = None
    store_size: int = 0
    workspaces: tuple[Workspace, ...] = ()
    in_conversation: bool = False
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    nearest: Nearest = lambda _: ()
    common: Callable[[float], float] = lambda cosine: cosine
    like: "Snapshot | None" = field(default=None, repr=False, compare=False)
    roster: Roster = field(init=False, repr=False, compare=False)
    made: dict[object, Any] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        before = self.like
        # Snapshots do not hold on to all that were before them.
        object.__setattr__(self, "like", None)
        look = Roster.of if before is None else before.roster.at
        roster = look(self.memories, owner=self.owner, now=self.now)
        object.__setattr__(self, "roster", roster)

    def once(self, make: Callable[["Snapshot"], T]) -> T:
        """What ``make``, a pure function, makes of this; several checks may ask for it."""
        if make not in self.made:
            self.made[make] = make(self)
        made: T = self.made[make]
        return made

    @property
    def said(self) -> tuple[Memory, ...]:
        return self.roster.said

    @property
    def live(self) -> Mapping[MemoryType, tuple[Memory, ...]]:
        return self.roster.live


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check: ``find`` is pure; ``tier`` is what its signals have before tags and freshness."""

    name: str
    tier: Tier
    find: Callable[[Snapshot], tuple[Signal, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a tick came to. ``dropped`` names signals that a topic's limit left out."""

    act: bool
    reason: Reason
    tier: Tier | None
    signals: tuple[Signal, ...]
    fingerprint: str
    cooldown: Cooldown
    confluence: float
    period: Period
    escalation: int
    response_rate: float | None
    nudge: Memory | None = None
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A past memory that belongs to a signal."""

    memory: Memory
    similarity: float
    score: float
    signal_id: str
    age: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrichment:
    """What was found beside the signals. ``problems`` name the look-ups that failed, fail-open."""

    related: tuple[Related, ...] = ()
    graph: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    lookups: int = 0
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A language model's view, checked. It may only keep a tick from acting."""

    should_act: bool
    action_brief: str
    recommended_actions: tuple[str, ...]
    urgency: str
    reasoning: str
    autonomy: Autonomy
    user_facing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked:
    """What a tick came to and how it is told. ``message`` and ``block`` are empty where nothing
    is to be said; ``act_id`` names the act that waits to be delivered."""

    decision: Decision
    message: str = ""
    block: str = ""
    enrichment: Enrichment = field(default_factory=Enrichment)
    analysis: Analysis | None = None
    act_id: str | None = None
    llm_calls: int = 0
    trace_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TickAsked:
    """What a tick is asked with. None: as configured, or as the snapshot says. ``delivers``:
    False where whoever asks takes the message itself."""

    owner: str = "default"
    agent: str = "main"
    analyze: bool = False
    autonomy: Autonomy | None = None
    in_conversation: bool | None = None
    signals_only: bool = False
    at: datetime | None = None
    delivers: bool = False
