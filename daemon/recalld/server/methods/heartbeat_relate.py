"""``heartbeat.relate``: which past decisions and outcomes belong to a memory or to a text."""

from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

from recalld.errors import BadRequest
from recalld.memories.model import Memory, MemoryState, Origin
from recalld.server.heartbeats import related_shape
from recalld.server.memories import MemoryId, Word, type_of
from recalld.server.method import Context, Method
from recalld.server.params import Key, Moment, Params, moment_of
from recalld.text.redact import redact

MAX_CHARS = 65_536


class RelateParams(Params, frozen=True, kw_only=True):
    """``memory_id``, or what a signal would say: content, type, session and when."""

    owner: Key = "default"
    memory_id: MemoryId | None = None
    content: Annotated[str, Meta(min_length=1, max_length=MAX_CHARS)] | None = None
    type: Word | None = None
    session: Key | None = None
    created_at: Moment | None = None
    at: Moment | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 3

    def signal(self, now: datetime) -> Memory:
        """Raise ``BadRequest`` for what is missing."""
        if self.content is None or not self.content.strip():
            raise BadRequest("params.content", "is missing; give it, or memory_id")
        at = moment_of(self.created_at, now=now, key="params.created_at") or now
        return Memory(
            id="",
            owner=self.owner,
            content=redact(self.content).text,
            type=type_of(self.type or "EVENT"),
            state=MemoryState.ACTIVE,
            importance=0.5,
            tags=(),
            session=self.session,
            agent="main",
            created_at=at.astimezone(UTC),
            updated_at=at.astimezone(UTC),
            expires_at=None,
            origin=Origin.USER,
            accessed_at=now,
        )


async def handle(params: RelateParams, context: Context) -> object:
    services = context.services
    now = services.clock()
    at = moment_of(params.at, now=now)
    if params.memory_id is not None and params.content is not None:
        raise BadRequest("params", "takes one of memory_id and content")
    if params.memory_id is not None:
        memory = await services.memories.get(params.memory_id)
    else:
        memory = params.signal(now)
    found = await services.heartbeat.relate(memory, limit=params.limit, at=at)
    return {"related_context": [related_shape(one) for one in found]}


METHOD = Method("heartbeat.relate", RelateParams, handle)
