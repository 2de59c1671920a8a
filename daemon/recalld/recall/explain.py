"""Why a prompt got what it got: the trace, told in the order of the decisions. Pure."""

from collections.abc import Mapping

Fields = dict[str, object]

_GATE = {
    "decision": "gateDecision",
    "reason": "gateReason",
    "rule": "gateRule",
    "confidence": "gateConfidence",
    "status": "gateStatus",
    "probe_top_score": "probeTopScore",
    "probe_passed": "probePassed",
    "depth": "recallDepth",
    "route": "routeDecision",
    "fallback_reason": "fallbackReason",
}
_SIGNAL = {
    "strong": "strongSignal",
    "source": "strongSignalSource",
    "top": "strongSignalTop",
    "second": "strongSignalSecond",
}
_QUALITY = {
    "best_raw_score": "qualityBestRawScore",
    "route_hits": "qualityRouteHits",
    "accepted": "qualityAccepted",
    "rejected": "qualityRejected",
}
_EXPANSION = {
    "status": "expansionStatus",
    "reason": "expansionReason",
    "llm_calls": "llmCalls",
}
_RESCUE = {
    "status": "rescueStatus",
    "reason": "rescueReason",
    "remaining_ms": "rescueRemainingMs",
    "queries": "rescueQueries",
}


def explanation_of(trace: Mapping[str, object]) -> Fields:
    """The answer to ``recall.explain``.

    ``gate``: verdict and the rule that fired. ``expansion`` and ``rescue``: what was made of the
    question, and why a language model was asked or not. ``searches``: every query with its outcome.
    ``routes``: by stage, each chunk with rank and raw score. ``shown`` and ``cut``: the chunks
    that are in the block, and the others with the rule that kept them out (min_score,
    quality_gate, chunks_per_path, top_k, token_budget, already_shown, stale). ``trace``: the
    record itself.
    A field that an older trace lacks is null.
    """
    candidates = [row for row in _rows(trace.get("candidates")) if "id" in row]
    return {
        "trace_id": trace.get("traceId"),
        "at": trace.get("ts"),
        "session": trace.get("session"),
        "status": trace.get("status"),
        "reason": trace.get("reason"),
        "prompt": trace.get("prompt"),
        "gate": _picked(trace, _GATE),
        "strong_signal": _picked(trace, _SIGNAL),
        "quality": _picked(trace, _QUALITY),
        "expansion": _picked(trace, _EXPANSION),
        "rescue": _picked(trace, _RESCUE),
        "searches": _rows(trace.get("searches")),
        "routes": _routes(candidates),
        "shown": [_place(row) for row in candidates if row.get("cutBy") is None],
        "cut": [{**_place(row), "rule": row["cutBy"]} for row in candidates if row.get("cutBy")],
        "stages": _rows(trace.get("stages")),
        "trace": dict(trace),
    }


def _picked(trace: Mapping[str, object], names: Mapping[str, str]) -> Fields:
    return {name: trace.get(field) for name, field in names.items()}


def _rows(value: object) -> list[Fields]:
    """The objects of a list; nothing of anything else, since a file may hold what it likes."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _routes(candidates: list[Fields]) -> Fields:
    routes: dict[str, list[Fields]] = {}
    for row in candidates:
        for place in _rows(row.get("routes")):
            listed = {**_place(row), "rank": place.get("rank"), "raw_score": place.get("raw")}
            routes.setdefault(str(place.get("route")), []).append(listed)
    return {name: sorted(rows, key=_rank) for name, rows in routes.items()}


def _rank(row: Fields) -> int:
    rank = row.get("rank")
    return rank if isinstance(rank, int) else 0


def _place(row: Fields) -> Fields:
    return {
        "id": row.get("id"),
        "path": row.get("path"),
        "start_line": row.get("startLine"),
        "end_line": row.get("endLine"),
        "source": row.get("source"),
        "raw_score": row.get("bestRaw"),
    }
