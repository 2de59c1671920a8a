"""``memory.get``: one memory by its id; counts as a use of it."""

from recalld.server.memories import MemoryId, shape_of
from recalld.server.method import Context, Method
from recalld.server.params import Params


class GetParams(Params, frozen=True, kw_only=True):
    id: MemoryId


async def handle(params: GetParams, context: Context) -> object:
    return {"memory": shape_of(await context.services.memories.get(params.id))}


METHOD = Method("memory.get", GetParams, handle)
