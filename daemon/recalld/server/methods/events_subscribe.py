"""``events.subscribe``: from now on, events of these kinds on this connection."""

from typing import Annotated

from msgspec import Meta

from recalld.server.hub import EventKind
from recalld.server.method import Context, Method
from recalld.server.params import AbsolutePath, Params


class SubscribeParams(Params, frozen=True, kw_only=True):
    """Without ``workspace``, events of every workspace."""

    kinds: Annotated[tuple[EventKind, ...], Meta(min_length=1)]
    workspace: AbsolutePath | None = None


async def handle(params: SubscribeParams, context: Context) -> object:
    services = context.services
    root = params.workspace
    if root is not None:
        place = await services.places.of_path(root)
        root = root if place is None else place.root
    subscription = services.hub.subscribe(frozenset(params.kinds), workspace=root)
    context.opened.append(subscription)
    return {"subscription": subscription.id}


METHOD = Method("events.subscribe", SubscribeParams, handle)
