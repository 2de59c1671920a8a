"""``checkpoint.restore``: write a kept version again; the one it replaces is kept, too."""

from typing import Annotated

from msgspec import Meta

from recalld.server.method import Context, Method
from recalld.server.params import AbsolutePath, Params


class RestoreParams(Params, frozen=True, kw_only=True):
    """``name`` as ``checkpoint.history`` lists it, or an archived copy's path."""

    workspace: AbsolutePath | None = None
    name: Annotated[str, Meta(min_length=1, max_length=256)]


async def handle(params: RestoreParams, context: Context) -> object:
    services = context.services
    place = await services.places.named(params.workspace)
    return await services.checkpoints.restore(place.root, params.name)


METHOD = Method("checkpoint.restore", RestoreParams, handle)
