"""What of a recall may be persisted, field by field. Pure.

Camel case and names are a format that others read; fields are only ever added.
"""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal

from recalld.budget import Outcome, StageNote
from recalld.recall.cuts import candidates_of
from recalld.recall.model import Depth, Fused, Status
from recalld.recall.record import GateStatus, Recall, Searched
from recalld.recall.rescue import Rescue, is_rescue_route
from recalld.recall.signal import StrongSignal
from recalld.text.redact import redact

Queries = Literal["text", "hash", "off"]
Fields = dict[str, object]

MAX_PROMPT_CHARS = 1_000
# Fused places listed in a trace; every candidate is in ``candidates``.
MAX_FUSION_TOP = 10

_FINISHED = frozenset({Status.OK, Status.PARTIAL, Status.NO_RESULT, Status.LOW_QUALITY})


def trace_of(seen: Recall, *, queries: Queries) -> Fields:
    """The trace of one recall: JSON values only, text redacted, no chunk text, no LLM output.

    Times are milliseconds. ``queries``: the user's words as ``text``, as ``hash`` (a bare
    SHA-256: it groups equal messages and hides no short one from a guess) or ``off`` (null).
    """
    return {
        **_identity(seen, queries),
        **_times(seen),
        **_gate(seen),
        **_expansion(seen, queries),
        **_quality(seen),
        "searches": [_search(seen, search, queries) for search in seen.searches],
        "fusionTop": [_place(hit) for hit in seen.judged.accepted[:MAX_FUSION_TOP]],
        "candidates": candidates_of(seen),
        **_injection(seen),
    }


def shown_text(text: str, *, queries: Queries, limit_chars: int) -> str | None:
    """The user's words as far as ``queries`` lets them be kept.

    Redacted before it is cut, so that a cut never leaves the half of a secret that no shape
    matches any more.
    """
    if queries == "off":
        return None
    if queries == "hash":
        return "sha256:" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    return redact(text[: 4 * limit_chars]).text[:limit_chars]


def rfc3339(at: datetime) -> str:
    """``at`` in UTC to the millisecond, ``2026-08-01T09:30:00.000Z``."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _identity(seen: Recall, queries: Queries) -> Fields:
    prompt = seen.prompt
    return {
        "ts": rfc3339(prompt.at),
        "traceId": seen.trace_id,
        "session": redact(prompt.session_key).text,
        "agent": prompt.agent,
        "profile": seen.policy.profile,
        "status": seen.status,
        "reason": seen.reason,
        "prompt": shown_text(seen.cleaned, queries=queries, limit_chars=MAX_PROMPT_CHARS),
        "queryChars": len(prompt.text),
        "cleanedChars": len(seen.cleaned),
    }


def _times(seen: Recall) -> Fields:
    notes = {note.name: note for note in seen.stages}
    searches = [notes[search.stage] for search in seen.searches if search.stage in notes]
    routes = [note for note in searches if note.name != "probe"]
    literal = notes.get("literal") or notes.get("probe")
    expanded = [note for note in routes if note.name != "literal"]
    first = searches[0].start_ms if searches else seen.elapsed_ms
    last = max((note.start_ms + note.took_ms for note in searches), default=seen.elapsed_ms)
    probe_ms = _took(notes.get("probe"))
    return {
        "elapsedMs": _ms(seen.elapsed_ms),
        "totalMs": _ms(seen.elapsed_ms),
        "budgetMs": seen.total_ms,
        "literalMs": _ms(_took(literal)),
        "gateMs": _ms(first + probe_ms),
        "expansionMs": _ms(_expansion_ms(literal, expanded)),
        "searchMs": _ms(_span(searches)),
        "fusionMs": _ms(seen.elapsed_ms - last if seen.status in _FINISHED else 0.0),
        "vectorMs": _ms(_span(searches)),
        "rescueMs": _ms(_took(notes.get("rescue"))),
        "graphMs": 0.0,
        "profileMs": 0.0,
        "stages": [_note(note) for note in seen.stages],
    }


def _gate(seen: Recall) -> Fields:
    verdict, probe = seen.verdict, seen.probe
    top = None
    if probe is not None and probe.result is not None and probe.result.found:
        top = probe.result.found[0].raw_score
    return {
        "trigger": seen.policy.trigger.mode,
        "recallDepth": seen.depth,
        "routeDecision": seen.route,
        "fallbackReason": seen.fallback_reason,
        "graphTimedOut": False,
        "vectorHits": sum(len(s.result.found) for s in seen.searches if s.result is not None),
        "graphHits": 0,
        "profileHits": 0,
        "gateDecision": verdict and verdict.verdict,
        "gateStatus": seen.gate_status,
        "gateReason": verdict and verdict.reason,
        "gateRule": verdict and verdict.rule,
        "gateConfidence": verdict and verdict.confidence,
        "probeTopScore": _score(top),
        "probePassed": None if probe is None else seen.gate_status is GateStatus.BGE_PROBE_PASS,
    }


def _expansion(seen: Recall, queries: Queries) -> Fields:
    signal = seen.signal or StrongSignal(strong=False)
    status, reason = _expansion_state(seen)
    rescue = seen.rescue
    return {
        "strongSignal": signal.strong,
        "strongSignalSource": signal.source or None,
        "strongSignalTop": _score(signal.top),
        "strongSignalSecond": _score(signal.second),
        "deterministicQueries": [
            shown_text(query.text, queries=queries, limit_chars=400) for query in seen.expansion
        ],
        "llmCalls": seen.llm_calls,
        "balancedLlmInvariant": balanced_llm_invariant(seen.depth, seen.llm_calls),
        "rescueStatus": rescue.status,
        "rescueReason": rescue.reason,
        "rescueRemainingMs": None if rescue.remaining_ms is None else _ms(rescue.remaining_ms),
        "rescueQueries": len(rescue.queries),
        "expansionStatus": rescue.status if seen.llm_calls else status,
        "expansionReason": rescue.reason if seen.llm_calls else reason,
        "expansionShape": _shape(seen.rescue),
    }


def _shape(rescue: Rescue) -> Fields | None:
    """What a language model's answer looked like, without a word of it."""
    if rescue.shape is None:
        return None
    return {
        "contentType": rescue.shape.content_type,
        "finishReason": rescue.shape.finish_reason,
        "hasReasoningContent": rescue.shape.has_reasoning_content,
        "httpStatus": rescue.shape.http_status,
        "method": rescue.method,
    }


def _expansion_state(seen: Recall) -> tuple[str, str | None]:
    if seen.signal is None:
        return "not_run", "not_reached"
    if seen.signal.strong:
        return "not_run", "strong_signal"
    if seen.depth is Depth.LITERAL:
        return "not_run", "literal_depth"
    return "deterministic", None if seen.expansion else "nothing_to_add"


def balanced_llm_invariant(depth: Depth, llm_calls: int) -> bool:
    """False only where the depth in effect is balanced and a model was called all the same."""
    return not (depth is Depth.BALANCED and llm_calls > 0)


def _quality(seen: Recall) -> Fields:
    judged = seen.judged
    return {
        "qualityBestRawScore": _score(judged.best_raw_score),
        "qualityRouteHits": max(
            (hit.route_hits for hit in judged.accepted + judged.rejected), default=0
        ),
        "qualityAccepted": len(judged.accepted),
        "qualityRejected": len(judged.rejected),
        "suspectHits": sum(hit.suspect for hit in judged.accepted + judged.rejected),
    }


def _search(seen: Recall, search: Searched, queries: Queries) -> Fields:
    note = next((note for note in seen.stages if note.name == search.stage), None)
    result = search.result
    return {
        "route": search.query.route,
        "stage": search.stage,
        "query": _query(search, queries),
        "hits": 0 if result is None else len(result.found),
        "outcome": Outcome.SKIPPED if note is None else note.outcome,
        "degraded": [] if result is None else list(result.degraded),
        "spawnMs": 0.0,
        "searchMs": _ms(_took(note)),
        "totalMs": _ms(_took(note)),
        "embedMs": _ms(0.0 if result is None else result.embed_ms),
        "lexicalMs": _ms(0.0 if result is None else result.lexical_ms),
        "denseMs": _ms(0.0 if result is None else result.dense_ms),
    }


def _query(search: Searched, queries: Queries) -> str | None:
    """A language model's words are kept nowhere."""
    if is_rescue_route(search.query.route):
        return None
    return shown_text(search.query.text, queries=queries, limit_chars=400)


def _place(hit: Fused) -> Fields:
    return {
        "path": hit.found.path,
        "startLine": hit.found.start_line,
        "endLine": hit.found.end_line,
        "source": hit.found.source,
        "bestRawScore": _score(hit.best_raw_score),
        "rrfScore": _score(hit.rrf_score),
        "sourceWeight": hit.source_weight,
        "finalRankScore": _score(hit.rank_score),
        "finalScore": _score(hit.rank_score),
        "routes": list(hit.routes),
        "routeHits": hit.route_hits,
        "occurrences": hit.occurrences,
        "suspect": hit.suspect,
    }


def _injection(seen: Recall) -> Fields:
    block = seen.injection
    chars = 0 if block is None else len(block.block)
    return {
        "injectedChars": chars,
        "injectedTokens": 0 if block is None else block.tokens,
        "injectedHits": 0 if block is None else len(block.shown),
        "injectedProfileChars": 0,
        "injectedVectorChars": chars,
        "injectedGraphChars": 0,
    }


def _note(note: StageNote) -> Fields:
    return {
        "name": note.name,
        "startMs": _ms(note.start_ms),
        "tookMs": _ms(note.took_ms),
        "outcome": note.outcome,
        "error": None if note.error is None else redact(note.error).text,
    }


def _expansion_ms(literal: StageNote | None, expanded: list[StageNote]) -> float:
    if literal is None or not expanded:
        return 0.0
    return min(note.start_ms for note in expanded) - literal.start_ms - literal.took_ms


def _span(notes: Iterable[StageNote]) -> float:
    """From the first start to the last end: routes run at the same time."""
    spans = [(note.start_ms, note.start_ms + note.took_ms) for note in notes]
    return max((end for _, end in spans), default=0.0) - min((s for s, _ in spans), default=0.0)


def _took(note: StageNote | None) -> float:
    return 0.0 if note is None else note.took_ms


def _ms(value: float) -> float:
    return round(max(0.0, value), 2)


def _score(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
