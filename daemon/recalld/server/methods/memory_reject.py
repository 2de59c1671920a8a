"""``memory.reject``: forget a proposal, and do not propose the same again."""

from recalld.server.memories import MemoryId
from recalld.server.method import Context, Method
from recalld.server.params import Params


class RejectParams(Params, frozen=True, kw_only=True):
    """``id`` as ``memory.proposals`` lists it."""

    id: MemoryId


async def handle(params: RejectParams, context: Context) -> object:
    await context.services.memories.reject(params.id)
    return {}


METHOD = Method("memory.reject", RejectParams, handle)
