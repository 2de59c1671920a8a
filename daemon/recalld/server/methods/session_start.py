"""``session.start``: a session begins or goes on; the answer is what to tell the agent first."""

from functools import partial
from typing import Literal

from recalld.errors import Busy, Unavailable
from recalld.server.method import Context, Method
from recalld.server.params import EventParams

# A session that goes on still has in its context what it was shown; any other start has nothing.
GOES_ON = "resume"
# A host waits for this answer before its first prompt; a store that hangs may not take longer.
KEEP_MS = 500


class StartParams(EventParams, frozen=True, kw_only=True):
    source: Literal["startup", "resume", "clear", "compact", "new"]


async def handle(params: StartParams, context: Context) -> object:
    """Fails open: a session begins even when the store cannot note that it did."""
    services = context.services
    at = params.when(services.clock())
    services.sessions.see(params.session, at)
    if params.source != GOES_ON:
        services.forget_shown(params.session.key)
    root = await services.places.root_of(params.session, budget_ms=services.total_ms())
    made: list[dict[str, object]] = []

    async def work() -> object:
        told = await services.continuity.started(root, params.session.key, source=params.source)
        undelivered = partial(services.continuity.undelivered, root, params.session.key)
        context.undelivered.append(undelivered)
        recovery, checkpoint = told.recovery, told.checkpoint
        trace_id = services.new_id()
        made.append({"recovery": recovery, "checkpoint": checkpoint, "trace_id": trace_id})
        return made[-1]

    payload = {"source": params.source, "client": params.session.client}
    entry = await services.recorder.entry(METHOD.name, params, at=at, payload=payload)
    try:
        return await services.recorder.through(entry, work, limit_ms=KEEP_MS)
    except (Unavailable, Busy):
        return made[-1] if made else await work()


METHOD = Method("session.start", StartParams, handle)
