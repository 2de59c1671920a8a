"""``session.reset``: a session begins anew; its checkpoint is archived, and stays where it is."""

from typing import Literal

from recalld.server.method import Context, Method
from recalld.server.params import EventParams


class ResetParams(EventParams, frozen=True, kw_only=True):
    reason: Literal["new", "reset"]


async def handle(params: ResetParams, context: Context) -> object:
    """Answered when the copy is on the disk."""
    services = context.services
    at = params.when(services.clock())
    services.sessions.see(params.session, at)
    root = await services.places.root_of(params.session, budget_ms=services.total_ms())

    async def work() -> object:
        services.forget_shown(params.session.key)
        return {"archived": await services.continuity.reset(root, params.session.key)}

    payload = {"reason": params.reason}
    entry = await services.recorder.entry(METHOD.name, params, at=at, payload=payload)
    return await services.recorder.through(entry, work)


METHOD = Method("session.reset", ResetParams, handle)
