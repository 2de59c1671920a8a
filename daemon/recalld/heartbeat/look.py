"""One tick without I/O: what the checks find, what is decided, how it is told. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from recalld.heartbeat.brief import block
from recalld.heartbeat.checks import CHECKS
from recalld.heartbeat.decide import decide
from recalld.heartbeat.message import message
from recalld.heartbeat.model import Autonomy, Decision, Reason, Snapshot, TickAsked, Ticked
from recalld.heartbeat.policy import HeartbeatPolicy
from recalld.heartbeat.telling import Telling


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A tick's snapshot, and the decision about what its checks found."""

    snapshot: Snapshot
    decision: Decision
    autonomy: Autonomy


def look(
    make: Callable[[], Snapshot], asked: TickAsked, policy: HeartbeatPolicy, autonomy: Autonomy
) -> Seen:
    """The snapshot that ``make`` makes is made here: over many memories it takes a while."""
    snapshot = make()
    decision = decide(
        snapshot,
        [signal for check in CHECKS for signal in check.find(snapshot)],
        policy=policy,
        autonomy=autonomy,
        in_conversation=asked.in_conversation,
        signals_only=asked.signals_only,
        delivers=asked.delivers,
    )
    return Seen(snapshot=snapshot, decision=decision, autonomy=autonomy)


def ticked_of(telling: Telling, act_id: str, trace_id: str) -> Ticked:
    """How it is told; suppressed where a model said no. What is not told tells of no past."""
    enrichment = replace(telling.enrichment, related=telling.related)
    if not telling.speaks:
        return Ticked(
            decision=replace(telling.decision, act=False, reason=Reason.SUPPRESS_LLM),
            enrichment=replace(enrichment, related=(), graph=(), entities=()),
            analysis=telling.analysis,
            trace_id=trace_id,
        )
    return Ticked(
        decision=telling.decision,
        message=message(telling),
        block=block(telling),
        enrichment=enrichment,
        analysis=telling.analysis,
        act_id=act_id,
        trace_id=trace_id,
    )
