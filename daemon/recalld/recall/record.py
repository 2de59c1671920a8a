"""What one recall saw and decided: every intermediate value, kept. Pure.

The pipeline fills it step by step; answer, trace and explanation are projections of it.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from recalld.budget import StageNote
from recalld.llm.policy import LlmPolicy
from recalld.recall.ledger import NOTHING, Shown
from recalld.recall.model import (
    Depth,
    Fused,
    GateVerdict,
    Injection,
    Prompt,
    RouteHits,
    RouteKind,
    RouteQuery,
    Status,
)
from recalld.recall.policy import GraphMemoryPolicy, RecallPolicy
from recalld.recall.quality import Judged
from recalld.recall.rescue import NOT_RUN, Rescue
from recalld.recall.signal import StrongSignal
from recalld.search.model import SearchResult


class GateStatus(StrEnum):
    """What the probe of an uncertain message said. ``error``: it did not answer in time."""

    NOT_RUN = "not_run"
    BGE_PROBE_PASS = "bge_probe_pass"  # noqa: S105  (passes, no password)
    FAIL = "fail"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """One search that was run. ``result`` None: it failed; the stage's note says how."""

    stage: str
    query: RouteQuery
    result: SearchResult | None


NOTHING_JUDGED = Judged()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """One recall. ``status`` is set by the step that ends it.

    ``shown`` is what the session's prompts were shown lately. ``eligible`` passed the gate and
    are news; ``repeated`` and ``stale`` are the ids of chunks withheld for being neither.
    """

    prompt: Prompt
    policy: RecallPolicy
    graph: GraphMemoryPolicy
    total_ms: int
    llm: LlmPolicy = field(default_factory=LlmPolicy)
    trace_id: str = ""
    shown: Shown = field(default_factory=lambda: NOTHING)
    cleaned: str = ""
    query: str = ""
    literal: str = ""
    verdict: GateVerdict | None = None
    depth: Depth = Depth.BALANCED
    route: RouteKind = RouteKind.VECTOR
    fallback_reason: str | None = None
    gate_status: GateStatus = GateStatus.NOT_RUN
    searches: tuple[Searched, ...] = ()
    signal: StrongSignal | None = None
    expansion: tuple[RouteQuery, ...] = ()
    lists: tuple[RouteHits, ...] = ()
    judged: Judged = NOTHING_JUDGED
    eligible: tuple[Fused, ...] = ()
    repeated: frozenset[str] = frozenset()
    stale: frozenset[str] = frozenset()
    chosen: tuple[Fused, ...] = ()
    injection: Injection | None = None
    rescue: Rescue = NOT_RUN
    llm_calls: int = 0
    status: Status | None = None
    reason: str | None = None
    stages: tuple[StageNote, ...] = ()
    elapsed_ms: float = 0.0

    @property
    def probe(self) -> Searched | None:
        return next((done for done in self.searches if done.stage == "probe"), None)

    @property
    def traced(self) -> bool:
        """Whether a trace is kept: not for what recall never looked at."""
        return self.status not in {
            Status.DISABLED,
            Status.SKIPPED_INTERNAL,
            Status.SKIPPED_SYSTEM_EVENT,
        }
