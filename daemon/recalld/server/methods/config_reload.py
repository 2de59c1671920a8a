"""``config.reload``: read the configuration again; applied whole or not at all."""

from recalld.server.method import Context, Method
from recalld.server.params import Params


class ReloadParams(Params, frozen=True, kw_only=True):
    pass


async def handle(params: ReloadParams, context: Context) -> object:
    """Raise ``BadConfig`` naming the key; then everything is as it was."""
    del params
    return await context.services.reload()


METHOD = Method("config.reload", ReloadParams, handle)
