"""A tick as the wire tells it. Pure."""

from collections.abc import Mapping

from recalld.heartbeat.model import Analysis, Related, Signal, Ticked
from recalld.server.memories import shape_of

Fields = dict[str, object]


def result_of(ticked: Ticked) -> Fields:
    """The answer to ``heartbeat.tick``."""
    decision, enrichment = ticked.decision, ticked.enrichment
    tier = decision.tier
    return {
        "should_act": decision.act,
        "decision_reason": decision.reason.value,
        "highest_urgency_tier": None if tier is None else tier.name.lower(),
        "signals": [_signal(one) for one in decision.signals],
        "related_context": [related_shape(one) for one in enrichment.related],
        "graph_context": list(enrichment.graph),
        "topic_entities": list(enrichment.entities),
        "analysis": None if ticked.analysis is None else _analysis(ticked.analysis),
        "message": ticked.message,
        "context": ticked.block,
        "act_id": ticked.act_id,
        "cooldown_state": decision.cooldown.value,
        "fingerprint": decision.fingerprint,
        "confluence_score": round(decision.confluence, 3),
        "time_period": decision.period.value,
        "escalation_level": decision.escalation,
        "response_rate": decision.response_rate,
        "lookups": enrichment.lookups,
        "llm_calls": ticked.llm_calls,
        "trace_id": ticked.trace_id,
        "dropped": list(decision.dropped),
        "problems": list(enrichment.problems),
    }


def related_shape(one: Related) -> Fields:
    return {
        "memory": shape_of(one.memory),
        "similarity": round(one.similarity, 6),
        "score": round(one.score, 6),
        "signal_id": one.signal_id,
        "age": one.age,
        "session": one.memory.session,
    }


def _signal(signal: Signal) -> Fields:
    return {
        "check": signal.check,
        "tier": signal.tier.name.lower(),
        "title": signal.title,
        "memory_ids": [memory.id for memory in signal.memories],
        "detail": _plain(signal.detail),
    }


def _analysis(one: Analysis) -> Fields:
    return {
        "should_act": one.should_act,
        "action_brief": one.action_brief,
        "recommended_actions": list(one.recommended_actions),
        "urgency": one.urgency,
        "reasoning": one.reasoning,
        "autonomy": one.autonomy.value,
        "user_facing": one.user_facing,
    }


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
