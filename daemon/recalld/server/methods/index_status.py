"""``index.status``: what is indexed, by which engine, and whether it all agrees."""

from recalld.server.method import Context, Method
from recalld.server.methods.index_sync import chosen
from recalld.server.params import AbsolutePath, Params


class IndexStatusParams(Params, frozen=True, kw_only=True):
    workspace: AbsolutePath | None = None


async def handle(params: IndexStatusParams, context: Context) -> object:
    services = context.services
    return await services.index.status(await chosen(params.workspace, services))


METHOD = Method("index.status", IndexStatusParams, handle)
