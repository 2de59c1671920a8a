"""``heartbeat.tick``: look for signals now, and say what is worth saying."""

from recalld.errors import BadRequest
from recalld.heartbeat.model import Autonomy, TickAsked
from recalld.server.heartbeats import result_of
from recalld.server.memories import Word
from recalld.server.method import Context, Method
from recalld.server.params import Key, Moment, Params, moment_of


class TickParams(Params, frozen=True, kw_only=True):
    """``autonomy`` and ``in_conversation`` are as configured, and as heard, where not given."""

    owner: Key = "default"
    agent: Key = "main"
    analyze: bool = False
    autonomy: Word | None = None
    in_conversation: bool | None = None
    signals_only: bool | None = None
    at: Moment | None = None

    @property
    def mode(self) -> Autonomy | None:
        """Raise ``BadRequest`` for one that there is not."""
        if self.autonomy is None:
            return None
        known = {one.value: one for one in Autonomy}
        if self.autonomy not in known:
            raise BadRequest("params.autonomy", f"is none of {', '.join(known)}")
        return known[self.autonomy]


async def handle(params: TickParams, context: Context) -> object:
    services = context.services
    asked = TickAsked(
        owner=params.owner,
        agent=params.agent,
        analyze=params.analyze,
        autonomy=params.mode,
        in_conversation=params.in_conversation,
        signals_only=bool(params.signals_only),
        at=moment_of(params.at, now=services.clock()),
    )
    return result_of(await services.heartbeat.tick(asked))


METHOD = Method("heartbeat.tick", TickParams, handle)
