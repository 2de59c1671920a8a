"""``status``: how every part is, and what was counted."""

from recalld.server.method import Context, Method
from recalld.server.params import Params
from recalld.server.services import Services


class StatusParams(Params, frozen=True, kw_only=True):
    pass


async def handle(params: StatusParams, context: Context) -> object:
    del params
    return await report(context.services, own=1)


async def report(services: Services, *, own: int) -> dict[str, object]:
    """``own``: how many of the requests in flight are this one, which counts as answered."""
    conditions = await services.health.report()
    vitals = services.vitals
    degraded = [f"{part}: {why}" for part, how in conditions.items() for why in how.degraded]
    return {
        "state": "degraded" if degraded else "ok",
        "degraded": degraded,
        "parts": {
            part: {"state": "degraded" if how.degraded else "ok", **how.facts}
            for part, how in conditions.items()
        },
        "counters": _balance(services, own=own) | services.counters.snapshot(),
        "subscribers": services.hub.subscribers,
        "version": vitals.version,
        "pid": vitals.pid,
        "uptime_s": round(vitals.uptime_s(), 3),
        "rss_bytes": vitals.rss_bytes(),
        "loop_lag_max_ms": round(vitals.loop_lag_max_ms(), 3),
    }


def _balance(services: Services, *, own: int) -> dict[str, int]:
    """``sent`` = ``answered`` + ``refused`` + ``dropped``, over what is not in flight."""
    counters, in_flight = services.counters, services.traffic.pending - own
    return {
        "sent": counters.get("requests.sent") - in_flight,
        "answered": counters.get("requests.answered") + own,
        "refused": counters.get("requests.refused"),
        "dropped": counters.get("requests.dropped"),
        "in_flight": in_flight,
    }


METHOD = Method("status", StatusParams, handle)
