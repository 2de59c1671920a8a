"""A request as the memory it asks for, checked. Pure; the clock and the id are arguments."""

from dataclasses import replace
from datetime import UTC, datetime

from recalld.errors import BadRequest
from recalld.memories import content as words
from recalld.memories.decay import NATURES, accessed, is_scheduled
from recalld.memories.dedupe import schedule_tags, surer
from recalld.memories.model import (
    Change,
    Memory,
    MemoryState,
    NewMemory,
    Occurrence,
    Origin,
)

# How sure a memory is at first, by where it comes from.
CONFIDENCE = {
    Origin.USER: 0.8,
    Origin.AGENT: 0.7,
    Origin.IMPORTED: 0.7,
    Origin.PROPOSED: 0.5,
    Origin.HEARTBEAT: 0.0,
}


def made(new: NewMemory, *, memory_id: str, now: datetime) -> Memory:
    """As it would be kept. ``BadRequest`` names the parameter that cannot be."""
    nature = NATURES[new.type]
    session = new.session
    return Memory(
        id=memory_id,
        owner=words.accepted_name(new.owner, key="params.owner"),
        content=words.accepted(new.content),
        type=new.type,
        state=new.state,
        importance=_share(new.importance, nature.importance, key="params.importance"),
        tags=words.accepted_tags(new.tags),
        session=None if session is None else words.accepted_name(session, key="params.session"),
        agent=words.accepted_name(new.agent, key="params.agent"),
        # What is yet to come has not happened: a plan's date is its expiry.
        created_at=min(_utc(new.created_at, key="params.created_at") or now, now),
        updated_at=now,
        expires_at=_utc(new.expires_at, key="params.expires_at"),
        origin=new.origin,
        visibility=new.visibility,
        stability_days=nature.stability_days,
        accessed_at=now,
        confidence=_share(new.confidence, CONFIDENCE[new.origin], key="params.confidence"),
        state_since=now,
    )


def checked(change: Change) -> Change:
    """The change as it may be applied. ``BadRequest`` names the parameter that cannot be."""
    text, tags = change.content, change.tags
    return replace(
        change,
        content=None if text is None else words.accepted(text),
        tags=None if tags is None else words.accepted_tags(tags),
        importance=None
        if change.importance is None
        else _share(change.importance, 0.0, key="params.importance"),
        expires_at=_utc(change.expires_at, key="params.expires_at"),
    )


def changed(old: Memory, change: Change, now: datetime) -> Memory:
    """``old`` with a checked change; ``old`` itself where nothing is different.

    A change is a use of the memory: what was just made active must not fade at once. Other words
    for what has a schedule do not postpone it.
    """
    kind, state = change.type or old.type, change.state or old.state
    longer = max(old.stability_days, NATURES[kind].stability_days)
    fresh = replace(
        old,
        content=old.content if change.content is None else change.content,
        type=kind,
        state=state,
        importance=old.importance if change.importance is None else change.importance,
        tags=old.tags if change.tags is None else change.tags,
        expires_at=None if change.no_expiry else change.expires_at or old.expires_at,
        stability_days=old.stability_days if kind is old.type else longer,
        resolved_by=old.resolved_by if state is old.state else None,
    )
    if fresh == old:
        return old
    since = old.state_since if state is old.state else now
    used = old.accessed_at if _keeps_schedule(old, fresh) else max(now, old.accessed_at)
    return replace(fresh, updated_at=now, state_since=since, accessed_at=used)


def _keeps_schedule(old: Memory, fresh: Memory) -> bool:
    before, after = schedule_tags(old), schedule_tags(fresh)
    return bool(before) and before == after and old.state is fresh.state


def resolved(plan: Memory, report: Memory, now: datetime) -> Memory:
    """The plan, done by the word of ``report``."""
    return replace(
        plan,
        state=MemoryState.RESOLVED,
        state_since=now,
        updated_at=now,
        accessed_at=max(now, plan.accessed_at),
        resolved_by=report.id,
    )


def said_again(old: Memory, said: Memory, new: NewMemory) -> Memory:
    """``old`` after it was said once more: used, surer, with the tags of both."""
    now = said.updated_at
    # Who says a routine again has not done it.
    used = old if is_scheduled(old) else accessed(old, now)
    state = MemoryState.ACTIVE if said.state is MemoryState.ACTIVE else old.state
    return replace(
        used,
        confidence=surer(old.confidence),
        tags=tuple(dict.fromkeys((*old.tags, *said.tags)))[: words.MAX_TAGS],
        importance=max(old.importance, 0.0 if new.importance is None else said.importance),
        state=state,
        state_since=old.state_since if state is old.state else now,
        updated_at=now,
    )


def occurrence(old: Memory, said: Memory) -> Occurrence:
    """How ``old`` was said this time."""
    return Occurrence(
        memory_id=old.id,
        content=said.content,
        session=said.session,
        agent=said.agent,
        origin=said.origin,
        at=said.created_at,
    )


def _share(value: float | None, otherwise: float, *, key: str) -> float:
    if value is None:
        return otherwise
    if not 0.0 <= value <= 1.0:
        raise BadRequest(key, "must be from 0 to 1")
    return float(value)


def _utc(at: datetime | None, *, key: str) -> datetime | None:
    if at is None:
        return None
    if at.tzinfo is None:
        raise BadRequest(key, "has no time zone")
    try:
        return at.astimezone(UTC)
    except OverflowError as error:
        raise BadRequest(key, "out of range") from error
