"""``session.start``: a session begins or goes on; the answer is what to tell the agent first."""

from functools import partial
from typing import Literal

from recalld.budget import Run, Stage
from recalld.heartbeat.model import Ticked
from recalld.server.method import Context, Method
from recalld.server.params import EventParams
from recalld.server.recording import ANSWER_MS

# A session that goes on still has in its context what it was shown; any other start has nothing.
GOES_ON = "resume"
# A host waits for this answer before its first prompt; a store that hangs may not take longer.
KEEP_MS = 500
# For the signals of a host that is configured to show them; what comes later is told another time.
# With the store at its slowest, the rest of the answer still gets there within a hook's deadline.
SIGNALS_MS = 700
# In the middle of the work, with the user's last words lost: no moment for anything else.
MIDWAY = "compact"


class StartParams(EventParams, frozen=True, kw_only=True):
    source: Literal["startup", "resume", "clear", "compact", "new"]


async def handle(params: StartParams, context: Context) -> object:
    """Fails open: a session begins even when the store cannot note that it did."""
    services = context.services
    at = params.when(services.clock())
    services.sessions.see(params.session, at)
    if params.source != GOES_ON:
        services.forget_shown(params.session.key)
    root = await services.places.root_of(params.session, budget_ms=services.total_ms())

    async def work() -> object:
        told = await services.continuity.started(root, params.session.key, source=params.source)
        undelivered = partial(services.continuity.undelivered, root, params.session.key)
        context.undelivered.append(undelivered)
        recovery, checkpoint = told.recovery, told.checkpoint
        trace_id = services.new_id()
        answer = {"recovery": recovery, "checkpoint": checkpoint, "trace_id": trace_id}
        return answer | await _signals(params, context)

    payload = {"source": params.source, "client": params.session.client}
    entry = await services.recorder.entry(METHOD.name, params, at=at, payload=payload)
    return await services.recorder.once(entry, work, limit_ms=KEEP_MS, wait_ms=ANSWER_MS)


async def _signals(params: StartParams, context: Context) -> dict[str, object]:
    """``heartbeat`` with what is to be shown, where the host shows it and there is something."""
    if params.source == MIDWAY or params.session.client is None:
        return {}
    none: Ticked | None = None
    ticked = await Run(SIGNALS_MS).stage(
        Stage(
            name="heartbeat",
            work=partial(context.services.heartbeat.at_start, params.session.client),
            otherwise=none,
            limit_ms=SIGNALS_MS,
        )
    )
    if ticked is None or ticked.act_id is None or not ticked.block:
        return {}
    return {"heartbeat": {"context": ticked.block, "act_id": ticked.act_id}}


METHOD = Method("session.start", StartParams, handle)
