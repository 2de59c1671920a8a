"""``memory.list``: an owner's memories, newest first, by the page."""

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
from recalld.server.params import Key, Moment, Params


class ListParams(Params, frozen=True, kw_only=True):
    """Filters, all of which must hold. Without ``states``: what is not archived or deleted.

    ``tags``: all of them. ``since`` and ``until`` are about ``created_at``, the latter is not in.
    ``query``: of the owner's own, those that hold it or all of its words, as ``memory.forget``
    means them. ``cursor`` is the one of the page before.
    """

    owner: Key | None = None
    types: Words | None = None
    states: Words | None = None
    tags: Annotated[tuple[str, ...], Meta(max_length=32)] | None = None
    session: Key | None = None
    since: Moment | None = None
    until: Moment | None = None
    exclude_ids: MemoryIds | None = None
    query: Query | None = None
    limit: Limit = 50
    cursor: Annotated[str, Meta(max_length=512)] | None = None

    @property
    def wanted(self) -> Wanted:
        """Raise ``BadRequest`` for a type or state that there is not."""
        return Wanted(
            types=types_of(self.types),
            states=states_of(self.states),
            tags=frozenset(self.tags or ()),
            session=self.session,
            since=self.since,
            until=self.until,
            exclude_ids=frozenset(self.exclude_ids or ()),
        )


async def handle(params: ListParams, context: Context) -> object:
    page = await context.services.memories.list(
        OWNER if params.owner is None else params.owner,
        params.wanted,
        query=params.query,
        limit=params.limit,
        cursor=params.cursor,
    )
    return {"memories": [shape_of(memory) for memory in page.memories], "cursor": page.cursor}


METHOD = Method("memory.list", ListParams, handle)
