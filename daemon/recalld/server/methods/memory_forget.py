"""``memory.forget``: remove memories and their words, and say what was removed and what was not."""

from recalld.errors import BadRequest, Refused
from recalld.memories.model import Receipt
from recalld.server.memories import MemoryId, Query
from recalld.server.method import Context, Method
from recalld.server.params import Key, Params

PLACES = (
    *("memories", "vectors", "occurrences", "answers"),
    *("events", "heartbeats", "proposals"),
)


class ForgetParams(Params, frozen=True, kw_only=True):
    """``id``, or ``query`` and ``confirm``: the owner's own memories, of any state, that hold the
    query or all of its words."""

    id: MemoryId | None = None
    query: Query | None = None
    confirm: bool = False
    owner: Key = "default"


async def handle(params: ForgetParams, context: Context) -> object:
    memories = context.services.memories
    if (params.id is None) == (params.query is None):
        raise BadRequest("params.id", "name either id, or query and confirm")
    if params.id is not None:
        return _receipt(await memories.forget([params.id]))
    found = await memories.matching(params.owner, params.query or "")
    if not params.confirm:
        raise Refused(f"confirm is missing: true forgets {len(found)} memories that hold this")
    return _receipt(await memories.forget([memory.id for memory in found]))


def _receipt(receipt: Receipt) -> dict[str, object]:
    """What was removed where, each place named also where it was nothing; what lies out of
    reach."""
    removed = dict.fromkeys(PLACES, 0) | receipt.removed
    return {"ids": receipt.ids, "removed": removed, "out_of_reach": receipt.beyond}


METHOD = Method("memory.forget", ForgetParams, handle)
