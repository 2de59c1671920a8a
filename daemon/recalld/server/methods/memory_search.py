"""``memory.search``: an owner's memories by what they mean, best first; counts as a use."""

from typing import Annotated

from msgspec import Meta

from recalld.memories.model import Wanted
from recalld.server.memories import (
    OWNER,
    Limit,
    MemoryIds,
    Query,
    Words,
    shape_of,
    states_of,
    types_of,
)
from recalld.server.method import Context, Method
from recalld.server.params import Key, Params


class SearchParams(Params, frozen=True, kw_only=True):
    """``min_score`` is the least similarity. Without ``states``: not archived, not deleted."""

    query: Query
    owner: Key | None = None
    limit: Limit = 10
    min_score: Annotated[float, Meta(ge=0.0, le=1.0)] = 0.0
    types: Words | None = None
    states: Words | None = None
    exclude_ids: MemoryIds | None = None


async def handle(params: SearchParams, context: Context) -> object:
    search = await context.services.memories.search(
        OWNER if params.owner is None else params.owner,
        params.query,
        Wanted(
            types=types_of(params.types),
            states=states_of(params.states),
            exclude_ids=frozenset(params.exclude_ids or ()),
        ),
        limit=params.limit,
        min_score=params.min_score,
    )
    results = [
        {"memory": shape_of(each.memory), "similarity": each.similarity, "score": each.score}
        for each in search.found
    ]
    # Where it is so: what is meant but said in other words was not found.
    return {"results": results, "by_words": True} if search.by_words else {"results": results}


METHOD = Method("memory.search", SearchParams, handle)
