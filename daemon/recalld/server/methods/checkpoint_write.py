"""``checkpoint.write``: say what is being worked on; what is given replaces, the rest stays."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from recalld.errors import BadRequest
from recalld.server.method import Context, Method
from recalld.server.params import AbsolutePath, Key, Params

# A fourth decision is refused by no reader, and a hundredth helps none.
MAX_DECISIONS = 100

Words = str | UnsetType | None
Decisions = Annotated[tuple[str, ...], Meta(max_length=MAX_DECISIONS)] | UnsetType | None


class SixFields(Params, frozen=True, kw_only=True):
    """What a checkpoint says. Null and an empty text clear a field."""

    objective: Words = UNSET
    current_step: Words = UNSET
    key_decisions: Decisions = UNSET
    next_action: Words = UNSET
    blockers: Words = UNSET
    unsurfaced_results: Words = UNSET

    @property
    def given(self) -> dict[str, object]:
        """The fields that are named, by name."""
        texts = {
            "objective": self.objective,
            "current_step": self.current_step,
            "next_action": self.next_action,
            "blockers": self.blockers,
            "unsurfaced_results": self.unsurfaced_results,
        }
        given: dict[str, object] = {
            name: text or "" for name, text in texts.items() if text is not UNSET
        }
        if self.key_decisions is not UNSET:
            given["key_decisions"] = self.key_decisions or ()
        return given


class WriteParams(SixFields, frozen=True, kw_only=True):
    """The fields, beside the others or gathered in ``fields``.

    ``session``: the key of the session that writes.
    """

    workspace: AbsolutePath | None = None
    session: Key | None = None
    fields: SixFields | None = None

    @property
    def changes(self) -> dict[str, object]:
        """The fields that are given, by name. Raise ``BadRequest`` for one given twice."""
        gathered = {} if self.fields is None else self.fields.given
        for name in gathered.keys() & self.given.keys():
            raise BadRequest(f"params.fields.{name}", f"is given twice; params.{name} is there")
        return {**self.given, **gathered}


async def handle(params: WriteParams, context: Context) -> object:
    services = context.services
    place = await services.places.named(params.workspace)
    return await services.checkpoints.write(place.root, params.changes, session=params.session)


METHOD = Method("checkpoint.write", WriteParams, handle)
