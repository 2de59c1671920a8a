"""``session.turn``: a finished exchange; accepted once it is durable."""

from dataclasses import replace
from typing import Annotated

from msgspec import Meta

from recalld.server.method import Context, Method
from recalld.server.params import EventParams, Moment, Params
from recalld.server.recording import encoded, repeated

ACCEPTED = {"accepted": True}
SIGNALS = "<heartbeat-signals"


class Message(Params, frozen=True, kw_only=True):
    role: Annotated[str, Meta(min_length=1, max_length=64)]
    content: str
    at: Moment | None = None


class TurnParams(EventParams, frozen=True, kw_only=True):
    user: str
    assistant: str
    run_id: Annotated[str, Meta(max_length=256)] | None = None
    success: bool = True
    messages: tuple[Message, ...] | None = None


async def handle(params: TurnParams, context: Context) -> object:
    services = context.services
    at = params.when(services.clock())
    services.sessions.see(params.session, at)
    root = await services.places.root_of(params.session, budget_ms=services.total_ms())
    payload: dict[str, object] = {
        "user": params.user,
        "assistant": params.assistant,
        "run_id": params.run_id,
        "success": params.success,
        "messages": params.messages,
        "client": params.session.client,
    }
    if _is_heartbeat(params):
        payload["heartbeat"] = True
    entry = await services.recorder.entry(
        METHOD.name, params, at=at, payload=payload, reply=ACCEPTED
    )
    # Where it was said is decided now: the session may be elsewhere when it is read again.
    kept = await services.recorder.keep(replace(entry, workspace=root or entry.workspace))
    if kept.duplicate:
        return repeated(kept.reply or encoded(ACCEPTED))
    if params.success:
        await services.continuity.reported(root, params.session.key, params.assistant, at=at)
    services.continuity.turned(root, params.session.key)
    services.hearing.heard(kept.seq)
    return ACCEPTED


def _is_heartbeat(params: TurnParams) -> bool:
    """Whether signals were put into this exchange: told before the block is taken off."""
    told = (message.content for message in params.messages or ())
    return any(SIGNALS in text.lower() for text in (params.user, params.assistant, *told))


METHOD = Method("session.turn", TurnParams, handle)
