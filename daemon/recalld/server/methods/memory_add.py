"""``memory.add``: remember something; durable when it answers, and once for each event id."""

from recalld.memories.model import MemoryState, NewMemory
from recalld.server.memories import AGENT, OWNER, Word, shape_of, state_of, type_of
from recalld.server.method import Context, Method
from recalld.server.params import EventId, Key, Moment, Params


class AddParams(Params, frozen=True, kw_only=True):
    """What the memory does not say is what its type usually has. ``session`` is a key.

    Null is as good as nothing, except for what it is.
    """

    content: str
    type: Word
    state: Word | None = None
    owner: Key | None = None
    session: Key | None = None
    agent: Key | None = None
    importance: float | None = None
    tags: tuple[str, ...] | None = None
    expires_at: Moment | None = None
    created_at: Moment | None = None
    event_id: EventId | None = None

    @property
    def new(self) -> NewMemory:
        """Raise ``BadRequest`` for a type or state that there is not."""
        return NewMemory(
            content=self.content,
            type=type_of(self.type),
            state=MemoryState.ACTIVE if self.state is None else state_of(self.state),
            owner=OWNER if self.owner is None else self.owner,
            session=self.session,
            agent=AGENT if self.agent is None else self.agent,
            importance=self.importance,
            tags=self.tags or (),
            expires_at=self.expires_at,
            created_at=self.created_at,
            event_id=self.event_id,
        )


async def handle(params: AddParams, context: Context) -> object:
    added = await context.services.memories.add(params.new)
    answer: dict[str, object] = {
        "memory": shape_of(added.memory),
        "duplicate_of": added.duplicate_of,
    }
    # What the new memory reports done, where it does: whoever planned it wants to know.
    if added.resolved:
        answer["resolved"] = added.resolved
    return {**answer, "duplicate": True} if added.repeated else answer


METHOD = Method("memory.add", AddParams, handle)
