"""``ping``: alive, and able to say who it is."""

from recalld.server.method import Context, Method
from recalld.server.params import Params

PROTOCOL = 1


class PingParams(Params, frozen=True, kw_only=True):
    pass


async def handle(params: PingParams, context: Context) -> object:
    del params
    vitals = context.services.vitals
    return {"ok": True, "version": vitals.version, "pid": vitals.pid, "protocol": PROTOCOL}


METHOD = Method("ping", PingParams, handle)
