"""``memory.proposals``: what turns proposed to remember and nobody answered yet, newest first."""

from recalld.server.memories import Limit, proposal_of
from recalld.server.method import Context, Method
from recalld.server.params import Key, Params


class ProposalsParams(Params, frozen=True, kw_only=True):
    owner: Key = "default"
    limit: Limit = 50


async def handle(params: ProposalsParams, context: Context) -> object:
    kept = await context.services.memories.proposals(params.owner, limit=params.limit)
    return {"proposals": [proposal_of(each) for each in kept]}


METHOD = Method("memory.proposals", ProposalsParams, handle)
