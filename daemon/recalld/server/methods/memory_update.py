"""``memory.update``: correct a memory; what is given replaces, the rest stays."""

from msgspec import UNSET, UnsetType

from recalld.errors import BadRequest
from recalld.memories.model import Change
from recalld.server.memories import MemoryId, Word, shape_of, state_of, type_of
from recalld.server.method import Context, Method
from recalld.server.params import Moment, Params


class UpdateParams(Params, frozen=True, kw_only=True):
    """At least one of the others beside ``id``. Null takes ``expires_at`` away."""

    id: MemoryId
    content: str | UnsetType = UNSET
    type: Word | UnsetType = UNSET
    state: Word | UnsetType = UNSET
    importance: float | UnsetType = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    expires_at: Moment | UnsetType | None = UNSET

    @property
    def change(self) -> Change:
        """Raise ``BadRequest`` where nothing is to change, or to what there is not."""
        given = [name for name in self.__struct_fields__ if getattr(self, name) is not UNSET]
        if given == ["id"]:
            raise BadRequest("params", f"names none of {', '.join(self.__struct_fields__[1:])}")
        return Change(
            content=None if self.content is UNSET else self.content,
            type=None if self.type is UNSET else type_of(self.type),
            state=None if self.state is UNSET else state_of(self.state),
            importance=None if self.importance is UNSET else self.importance,
            tags=None if self.tags is UNSET else self.tags,
            expires_at=None if self.expires_at is UNSET else self.expires_at,
            no_expiry=self.expires_at is None,
        )


async def handle(params: UpdateParams, context: Context) -> object:
    changed = await context.services.memories.update(params.id, params.change)
    return {"memory": shape_of(changed)}


METHOD = Method("memory.update", UpdateParams, handle)
