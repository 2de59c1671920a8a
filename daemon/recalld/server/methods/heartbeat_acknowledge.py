"""``heartbeat.acknowledge``: the user knows; keep silent about it for a while."""

from typing import Annotated

from msgspec import Meta

from recalld.errors import BadRequest
from recalld.server.memories import MemoryId
from recalld.server.method import Context, Method
from recalld.server.params import Params

MAX_SNOOZE_S = 366 * 86_400


class AcknowledgeParams(Params, frozen=True, kw_only=True):
    """One of ``act_id`` and ``memory_id``. Without ``snooze_s`` for a day."""

    act_id: MemoryId | None = None
    memory_id: MemoryId | None = None
    snooze_s: Annotated[float, Meta(gt=0, le=MAX_SNOOZE_S)] | None = None


async def handle(params: AcknowledgeParams, context: Context) -> object:
    if (params.act_id is None) == (params.memory_id is None):
        raise BadRequest("params", "takes one of act_id and memory_id")
    await context.services.heartbeat.acknowledge(
        act_id=params.act_id, memory_id=params.memory_id, snooze_s=params.snooze_s
    )
    return {}


METHOD = Method("heartbeat.acknowledge", AcknowledgeParams, handle)
