"""``session.start``: a session begins or goes on; the answer is what to tell the agent first."""

from typing import Literal

from recalld.errors import Unavailable
from recalld.server.method import Context, Method
from recalld.server.params import EventParams
from recalld.server.recording import repeated

# A session that goes on still has in its context what it was shown; any other start has nothing.
GOES_ON = "resume"


class StartParams(EventParams, frozen=True, kw_only=True):
    source: Literal["startup", "resume", "clear", "compact", "new"]


async def handle(params: StartParams, context: Context) -> object:
    """Fails open: a session begins even when the store cannot note that it did."""
    services = context.services
    at = params.when(services.clock())
    services.sessions.see(params.session, at)
    if params.source != GOES_ON:
        services.forget_shown(params.session.key)
    result = {"recovery": None, "checkpoint": None, "trace_id": services.new_id()}
    payload = {"source": params.source, "client": params.session.client}
    entry = await services.recorder.entry(METHOD.name, params, at=at, payload=payload, reply=result)
    try:
        kept = await services.recorder.keep(entry)
    except Unavailable:
        return result
    return repeated(kept.reply) if kept.duplicate and kept.reply else result


METHOD = Method("session.start", StartParams, handle)
