"""``events.unsubscribe``: no more events for this subscription."""

from typing import Annotated

from msgspec import Meta

from recalld.server.method import Context, Method
from recalld.server.params import Params


class UnsubscribeParams(Params, frozen=True, kw_only=True):
    subscription: Annotated[str, Meta(min_length=1, max_length=128)]


async def handle(params: UnsubscribeParams, context: Context) -> object:
    context.services.hub.unsubscribe(params.subscription)
    return {}


METHOD = Method("events.unsubscribe", UnsubscribeParams, handle)
