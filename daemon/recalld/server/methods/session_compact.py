"""``session.compact``: a host is about to empty a session's context, or has just done so."""

from typing import Annotated, Literal

from msgspec import Meta

from recalld.server.method import Context, Method
from recalld.server.params import EventParams


class CompactParams(EventParams, frozen=True, kw_only=True):
    phase: Literal["before", "after"]
    trigger: Annotated[str, Meta(max_length=256)] | None = None
    summary: str | None = None


async def handle(params: CompactParams, context: Context) -> object:
    """``before`` is answered when the checkpoint is on the disk."""
    services = context.services
    at = params.when(services.clock())
    services.sessions.see(params.session, at)
    root = await services.places.root_of(params.session, budget_ms=services.total_ms())

    async def work() -> object:
        if params.phase == "before":
            fields = await services.continuity.before_compaction(root, params.session.key)
        else:
            services.forget_shown(params.session.key)
            fields = await services.continuity.after_compaction(root, params.session.key)
        return {"checkpoint": fields}

    payload = {"phase": params.phase, "trigger": params.trigger, "summary": params.summary}
    entry = await services.recorder.entry(METHOD.name, params, at=at, payload=payload)
    return await services.recorder.through(entry, work)


METHOD = Method("session.compact", CompactParams, handle)
