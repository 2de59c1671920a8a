"""``checkpoint.read``: what is being worked on in a workspace, as its file says it now."""

from recalld.server.method import Context, Method
from recalld.server.params import AbsolutePath, Params


class ReadParams(Params, frozen=True, kw_only=True):
    """Without ``workspace``, the only configured one."""

    workspace: AbsolutePath | None = None


async def handle(params: ReadParams, context: Context) -> object:
    services = context.services
    place = await services.places.named(params.workspace)
    return await services.checkpoints.read(place.root)


METHOD = Method("checkpoint.read", ReadParams, handle)
