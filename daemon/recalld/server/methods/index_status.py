"""``index.status``: what is indexed, by which engine, and whether it all agrees."""

from recalld.server.method import Context, Method
from recalld.server.params import AbsolutePath, Params


class IndexStatusParams(Params, frozen=True, kw_only=True):
    workspace: AbsolutePath | None = None


async def handle(params: IndexStatusParams, context: Context) -> object:
    services = context.services
    if params.workspace is None:
        return await services.index.status(None)
    place = await services.places.of_path(params.workspace)
    if place is None:
        return {**await services.index.status(None), "workspaces": []}
    return await services.index.status(place.id)


METHOD = Method("index.status", IndexStatusParams, handle)
