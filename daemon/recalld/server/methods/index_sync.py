"""``index.sync``: look at the disk now."""

from recalld.server.method import Context, Method
from recalld.server.params import AbsolutePath, Params
from recalld.server.wire import shown

UNKNOWN = "not a configured workspace"
NOTHING: dict[str, object] = {
    "files": 0,
    "chunks": 0,
    "added": 0,
    "changed": 0,
    "removed": 0,
    "took_ms": 0.0,
}


class SyncParams(Params, frozen=True, kw_only=True):
    """``wait``: answer when files, chunks, lexical rows and vectors agree for what was there."""

    workspace: AbsolutePath | None = None
    wait: bool = True


async def handle(params: SyncParams, context: Context) -> object:
    services = context.services
    if params.workspace is None:
        return await services.index.sync(None, wait=params.wait)
    place = await services.places.of_path(params.workspace)
    if place is None:
        return {**NOTHING, "skipped": [{"path": shown(params.workspace), "why": UNKNOWN}]}
    return await services.index.sync(place.id, wait=params.wait)


METHOD = Method("index.sync", SyncParams, handle)
