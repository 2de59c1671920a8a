"""``memory.resolve``: it is done; it fades, and nobody is reminded of it any more."""

from recalld.server.memories import MemoryId, shape_of
from recalld.server.method import Context, Method
from recalld.server.params import Params


class ResolveParams(Params, frozen=True, kw_only=True):
    id: MemoryId


async def handle(params: ResolveParams, context: Context) -> object:
    return {"memory": shape_of(await context.services.memories.resolve(params.id))}


METHOD = Method("memory.resolve", ResolveParams, handle)
