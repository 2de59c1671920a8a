"""The steps of a recall around its one call to a language model. Pure."""

from dataclasses import replace

from recalld.budget import Outcome, StageNote
from recalld.llm.model import Barred, Chat, ChatOutcome, ChatReply
from recalld.recall.model import Depth
from recalld.recall.record import Recall
from recalld.recall.rescue import Rescue, RescueStatus, reading_of, searches_of

# Reasons of the gate that say the user wants their memory searched.
REASONS = frozenset({"explicit_prefix", "memory_intent"})


def rescue_barred(seen: Recall, chat: Chat | None, *, remaining_ms: float) -> Rescue | None:
    """Why no language model is asked; None: it is to be asked, once.

    Only where deep recall was wanted in so many words, no hit passed the gate, ``llm.enabled``
    is set and there is a key, and as much of the round is left as the call may take. The first
    condition that fails, in that order, is the one that is told.
    """
    needless = _needless(seen)
    if needless is not None:
        return needless
    policy = seen.policy.expansion
    if chat is None or not seen.llm.enabled or not policy.associations.max_deep:
        return Rescue(status=RescueStatus.SKIPPED_DISABLED)
    barred = chat.barred(policy.endpoint, policy.api_key_env)
    if barred is not None:
        return _not_sent(barred)
    if remaining_ms < max(policy.min_remaining_budget_ms, policy.timeout_ms):
        return Rescue(status=RescueStatus.SKIPPED_BUDGET, remaining_ms=remaining_ms)
    return None


def rescued(seen: Recall, reply: ChatReply | None, note: StageNote, *, left_ms: float) -> Recall:
    """With what the model's answer gave to search. ``reply`` None: ``note`` says why."""
    if reply is None:
        late = note.outcome is not Outcome.FAILED
        status = RescueStatus.TIMEOUT if late else RescueStatus.REQUEST_FAIL
        rescue = Rescue(status=status, reason=status)
    elif reply.outcome is ChatOutcome.BARRED:
        return replace(seen, rescue=_not_sent(Barred(reply.problem)))
    else:
        rescue = reading_of(reply)
    searched = [search.query.text for search in seen.searches]
    limit = seen.policy.expansion.associations.max_deep
    queries = searches_of(rescue, searched=searched, limit=limit)
    rescue = replace(rescue, remaining_ms=left_ms, queries=queries)
    return replace(seen, rescue=rescue, llm_calls=seen.llm_calls + 1)


def _needless(seen: Recall) -> Rescue | None:
    if all(search.result is None for search in seen.searches):
        return Rescue(reason="search_failed")
    if seen.depth is not Depth.DEEP:
        return Rescue(status=RescueStatus.SKIPPED_NOT_DEEP)
    if seen.verdict is None or seen.verdict.reason not in REASONS:
        return Rescue(status=RescueStatus.SKIPPED_INTENT)
    return Rescue(status=RescueStatus.SKIPPED_QUALITY) if seen.judged.accepted else None


def _not_sent(barred: Barred) -> Rescue:
    limited = barred is Barred.RATE_LIMITED
    status = RescueStatus.SKIPPED_RATE_LIMITED if limited else RescueStatus.SKIPPED_NO_KEY
    return Rescue(status=status, reason=barred)
