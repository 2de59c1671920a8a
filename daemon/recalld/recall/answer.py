"""The reply to a prompt, as a projection of the recall. Pure."""

from recalld.recall.model import DecisionShape, RecallResult, StageShape, Status, shape_of
from recalld.recall.record import Recall


def result_of(seen: Recall) -> RecallResult:
    """What the client gets. ``hits`` are exactly those in ``context``, in its order."""
    block = seen.injection
    return RecallResult(
        status=seen.status or Status.NO_RESULT,
        context=None if block is None else block.block,
        decision=_decision_of(seen),
        hits=() if block is None else tuple(map(shape_of, block.shown, block.snippets)),
        tokens=0 if block is None else block.tokens,
        elapsed_ms=round(seen.elapsed_ms, 3),
        llm_calls=seen.llm_calls,
        stages=tuple(
            StageShape(
                name=note.name,
                start_ms=round(note.start_ms, 3),
                took_ms=round(note.took_ms, 3),
                outcome=note.outcome,
            )
            for note in seen.stages
        ),
        trace_id=seen.trace_id,
        reason=seen.reason,
    )


def _decision_of(seen: Recall) -> DecisionShape | None:
    if seen.verdict is None:
        return None
    return DecisionShape(
        verdict=seen.verdict.verdict,
        reason=seen.verdict.reason,
        confidence=seen.verdict.confidence,
        depth=seen.depth,
        route=seen.route,
        query=seen.query,
    )
