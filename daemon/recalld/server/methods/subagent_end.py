"""``subagent.end``: a sub-agent is done; what it left waits until its parent was told."""

from typing import Literal

from recalld.continuity.model import ChildResult
from recalld.server.method import Context, Method
from recalld.server.params import EventParams, Key


class SubagentParams(EventParams, frozen=True, kw_only=True):
    """``session`` is the parent; ``child`` the sub-agent's own key."""

    child: Key
    outcome: Literal["ok", "error", "timeout", "killed", "reset", "deleted"]
    result: str | None = None


async def handle(params: SubagentParams, context: Context) -> object:
    services = context.services
    at = params.when(services.clock())
    services.sessions.see(params.session, at)
    root = await services.places.root_of(params.session, budget_ms=services.total_ms())

    async def work() -> object:
        child = ChildResult(
            child=params.child, outcome=params.outcome, result=params.result or "", at=at
        )
        waiting = await services.continuity.child_ended(root, params.session.key, child)
        return {"unsurfaced": waiting}

    payload = {"child": params.child, "outcome": params.outcome, "result": params.result}
    entry = await services.recorder.entry(METHOD.name, params, at=at, payload=payload)
    return await services.recorder.through(entry, work)


METHOD = Method("subagent.end", SubagentParams, handle)
