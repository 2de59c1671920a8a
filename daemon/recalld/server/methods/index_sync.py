"""``index.sync``: look at the disk now."""

from recalld.errors import NotFound
from recalld.server.method import Context, Method
from recalld.server.params import AbsolutePath, Params
from recalld.server.services import Services
from recalld.server.wire import shown


class SyncParams(Params, frozen=True, kw_only=True):
    """``wait``: answer when files, chunks, lexical rows and vectors agree for what was there."""

    workspace: AbsolutePath | None = None
    wait: bool = True


async def handle(params: SyncParams, context: Context) -> object:
    services = context.services
    workspace_id = await chosen(params.workspace, services)
    return await services.index.sync(workspace_id, wait=params.wait)


async def chosen(path: str | None, services: Services) -> int | None:
    """None stands for all. Raise ``NotFound`` for a path outside every configured workspace."""
    if path is None:
        return None
    place = await services.places.of_path(path)
    if place is None:
        raise NotFound(f"a configured workspace at or above {shown(path)}")
    return place.id


METHOD = Method("index.sync", SyncParams, handle)
