"""``checkpoint.history``: the versions that are kept, newest first, and what each changed."""

from typing import Annotated

from msgspec import Meta

from recalld.server.method import Context, Method
from recalld.server.params import AbsolutePath, Params


class HistoryParams(Params, frozen=True, kw_only=True):
    """Without ``workspace``, the only configured one."""

    workspace: AbsolutePath | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


async def handle(params: HistoryParams, context: Context) -> object:
    services = context.services
    place = await services.places.named(params.workspace)
    return {"versions": await services.checkpoints.history(place.root, limit=params.limit)}


METHOD = Method("checkpoint.history", HistoryParams, handle)
