"""``session.end``: a session is over; its checkpoint is archived, and stays where it is."""

from typing import Annotated

from msgspec import Meta

from recalld.server.method import Context, Method
from recalld.server.params import EventParams


class EndParams(EventParams, frozen=True, kw_only=True):
    reason: Annotated[str, Meta(max_length=1_024)]


async def handle(params: EndParams, context: Context) -> object:
    """Answered when the copy is on the disk."""
    services = context.services
    at = params.when(services.clock())
    services.sessions.see(params.session, at)
    root = await services.places.root_of(params.session, budget_ms=services.total_ms())

    async def work() -> object:
        services.sessions.end(params.session, reason=params.reason, at=at)
        services.forget_shown(params.session.key)
        return {"archived": await services.continuity.ended(root, params.session.key)}

    payload = {"reason": params.reason}
    entry = await services.recorder.entry(METHOD.name, params, at=at, payload=payload)
    return await services.recorder.through(entry, work)


METHOD = Method("session.end", EndParams, handle)
