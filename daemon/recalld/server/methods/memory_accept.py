"""``memory.accept``: make a proposal a memory."""

from recalld.server.memories import MemoryId, shape_of
from recalld.server.method import Context, Method
from recalld.server.params import Params


class AcceptParams(Params, frozen=True, kw_only=True):
    """``id`` as ``memory.proposals`` lists it."""

    id: MemoryId


async def handle(params: AcceptParams, context: Context) -> object:
    added = await context.services.memories.accept(params.id)
    return {"memory": shape_of(added.memory), "duplicate_of": added.duplicate_of}


METHOD = Method("memory.accept", AcceptParams, handle)
