"""The values that flow through one recall, and the shape a client receives. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from recalld.recall.policy import RrfPolicy
from recalld.search.model import Found, Source


class Verdict(StrEnum):
    YES = "yes"
    NO = "no"
    UNCERTAIN = "uncertain"


class Depth(StrEnum):
    LITERAL = "literal"
    BALANCED = "balanced"
    DEEP = "deep"


class RouteKind(StrEnum):
    """What the message demands. Graph and hybrid fall back to vector while graph read is off."""

    VECTOR = "vector"
    GRAPH = "graph"
    HYBRID = "hybrid"


class Status(StrEnum):
    OK = "ok"
    PARTIAL = "partial"
    TIMEOUT = "timeout"
    FAIL_OPEN = "fail_open"
    NO_RESULT = "no_result"
    LOW_QUALITY = "low_quality"
    SKIPPED_NOT_NEEDED = "skipped_not_needed"
    SKIPPED_PROBE_NO = "skipped_probe_no"
    SKIPPED_INTERNAL = "skipped_internal"
    SKIPPED_SYSTEM_EVENT = "skipped_system_event"
    DISABLED = "disabled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One message of the user as the host sent it. ``workspace_id`` None: nowhere to look."""

    text: str
    at: datetime
    session_key: str
    agent: str = "main"
    workspace_id: int | None = None
    workspace_root: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateVerdict:
    """What the rule gate says. ``query`` is the message without prefix and options.

    ``reason``: empty, suppressed, explicit_prefix, mode_always, mode_explicit, custom_keyword,
    user_specific_context, memory_intent, historical_reference, ambiguous_reference, default, or
    a family of the gate's own. ``rule`` names the very pattern, for ``why``.
    ``depth`` and ``route`` are set only where the message asked for them.
    """

    verdict: Verdict
    reason: str
    rule: str
    confidence: float
    query: str
    depth: Depth | None = None
    route: RouteKind | None = None


class DecisionShape(Struct, frozen=True, kw_only=True):
    verdict: Verdict
    reason: str
    confidence: float
    depth: Depth
    route: RouteKind
    query: str


class StageShape(Struct, frozen=True, kw_only=True):
    name: str
    start_ms: float
    took_ms: float
    outcome: str


class HitShape(Struct, frozen=True, kw_only=True):
    """The wire's hit. ``modified_at`` is RFC 3339; ``session`` the key string or null."""

    id: str
    path: str
    start_line: int
    end_line: int
    source: Source
    heading: str
    snippet: str
    raw_score: float
    rank_score: float
    routes: tuple[str, ...]
    route_hits: int
    occurrences: int
    modified_at: str | None
    session: str | None


class RecallResult(Struct, frozen=True, kw_only=True):
    """The answer to ``session.prompt``; see the wire contract."""

    status: Status
    context: str | None = None
    recovery: str | None = None
    decision: DecisionShape | None = None
    hits: tuple[HitShape, ...] = ()
    tokens: int = 0
    elapsed_ms: float = 0.0
    llm_calls: int = 0
    stages: tuple[StageShape, ...] = ()
    trace_id: str = ""
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A way to ask memory: ``plan`` makes its query of the literal one, or None.

    ``depths`` are those it takes part in; ``weight`` is its share in fusion.
    """

    name: str
    depths: frozenset[Depth]
    plan: Callable[[str], str | None]
    weight: Callable[[RrfPolicy], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteQuery:
    """A text to search and the name of the route it belongs to."""

    route: str
    text: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteHits:
    """What one route brought back, best first by raw score."""

    query: RouteQuery
    found: tuple[Found, ...]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """One place in memory, joined over the routes.

    ``best_raw_score`` judges; ``rrf_score``, ``source_weight`` and ``rank_score`` only order.
    ``route_hits`` counts distinct routes, ``occurrences`` all chunks that were merged.
    """

    found: Found
    best_raw_score: float
    rrf_score: float
    source_weight: float
    rank_score: float
    routes: tuple[str, ...]
    route_hits: int
    occurrences: int
    # Reads like an instruction: ranked down and marked in the trace, never dropped for it.
    suspect: bool = False


class Condition(StrEnum):
    """A hit's file against what the index has of it.

    ``unknown``: the file could not be read just now, which is no reason to drop a hit.
    """

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    GONE = "gone"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileNow:
    """A file as it is now. ``text`` is set where it changed: cleaned as the index cleans it.

    Of a transcript it is what the chunk's own lines say.
    """

    condition: Condition
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """A search by routes. ``hits`` best first; ``lists`` what each route brought, in the order
    the routes were named."""

    hits: tuple[Fused, ...]
    lists: tuple[RouteHits, ...]
    degraded: tuple[str, ...] = ()


def shape_of(hit: Fused, snippet: str) -> HitShape:
    """The hit as a client gets it, with as much of its text as is shown."""
    found = hit.found
    return HitShape(
        id=found.uid,
        path=found.path,
        start_line=found.start_line,
        end_line=found.end_line,
        source=found.source,
        heading=found.heading,
        snippet=snippet,
        raw_score=hit.best_raw_score,
        rank_score=hit.rank_score,
        routes=hit.routes,
        route_hits=hit.route_hits,
        occurrences=hit.occurrences,
        modified_at=found.modified_at,
        session=found.session,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """The block and what is in it. ``tokens`` is our estimate of the whole block.

    ``snippets`` are the texts shown for ``shown``, in that order, before escaping.
    """

    block: str
    tokens: int
    shown: tuple[Fused, ...]
    snippets: tuple[str, ...] = field(default=())
