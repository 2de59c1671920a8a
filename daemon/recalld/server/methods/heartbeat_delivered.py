"""``heartbeat.delivered``: whether what a tick said has reached the user."""

from typing import Annotated

from msgspec import Meta

from recalld.server.method import Context, Method
from recalld.server.params import Params


class DeliveredParams(Params, frozen=True, kw_only=True):
    act_id: Annotated[str, Meta(min_length=1, max_length=256)]
    ok: bool
    error: Annotated[str, Meta(max_length=1_024)] | None = None


async def handle(params: DeliveredParams, context: Context) -> object:
    state = await context.services.heartbeat.delivered(
        params.act_id, ok=params.ok, error=params.error
    )
    return {"state": state.value}


METHOD = Method("heartbeat.delivered", DeliveredParams, handle)
