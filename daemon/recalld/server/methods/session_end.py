"""``session.end``: a session is over; accepted once it is durable."""

from typing import Annotated

from msgspec import Meta

from recalld.server.method import Context, Method
from recalld.server.params import EventParams
from recalld.server.recording import encoded, repeated

RESULT: dict[str, object] = {"archived": None}


class EndParams(EventParams, frozen=True, kw_only=True):
    reason: Annotated[str, Meta(max_length=1_024)]


async def handle(params: EndParams, context: Context) -> object:
    services = context.services
    at = params.when(services.clock())
    services.sessions.see(params.session, at)
    entry = await services.recorder.entry(
        METHOD.name, params, at=at, payload={"reason": params.reason}, reply=RESULT
    )
    kept = await services.recorder.keep(entry)
    if kept.duplicate:
        return repeated(kept.reply or encoded(RESULT))
    services.sessions.end(params.session, reason=params.reason, at=at)
    services.forget_shown(params.session.key)
    return RESULT


METHOD = Method("session.end", EndParams, handle)
