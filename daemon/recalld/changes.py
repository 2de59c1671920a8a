"""Telling subscribers when a part stops working, or works again."""

import anyio

from recalld.server.hub import Event, EventKind
from recalld.server.services import Services

# How soon a subscriber of ``status`` hears that something works no more, or again.
STATUS_S = 2.0


async def tell_of_changes(services: Services) -> None:
    """A ``status`` event whenever the list of what does not work changes."""
    told: tuple[str, ...] = ()
    while True:
        await anyio.sleep(STATUS_S)
        if services.hub.subscribers:
            conditions = await services.health.report()
            degraded = tuple(
                f"{part}: {why}" for part, how in conditions.items() for why in how.degraded
            )
            if degraded != told:
                data = {"degraded": list(degraded)}
                services.hub.publish(Event(kind=EventKind.STATUS, at=services.clock(), data=data))
                told = degraded
