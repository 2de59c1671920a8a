"""``checkpoint.write``: say what is being worked on; what is given replaces, the rest stays."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from recalld.server.method import Context, Method
from recalld.server.params import AbsolutePath, Key, Params

# A fourth decision is refused by no reader, and a hundredth helps none.
MAX_DECISIONS = 100

Words = str | UnsetType | None
Decisions = Annotated[tuple[str, ...], Meta(max_length=MAX_DECISIONS)] | UnsetType | None


class WriteParams(Params, frozen=True, kw_only=True):
    """Null and an empty text clear a field. ``session``: the key of the session that writes."""

    workspace: AbsolutePath | None = None
    session: Key | None = None
    objective: Words = UNSET
    current_step: Words = UNSET
    key_decisions: Decisions = UNSET
    next_action: Words = UNSET
    blockers: Words = UNSET
    unsurfaced_results: Words = UNSET

    @property
    def changes(self) -> dict[str, object]:
        """The fields that are given, by name."""
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


async def handle(params: WriteParams, context: Context) -> object:
    services = context.services
    place = await services.places.named(params.workspace)
    return await services.checkpoints.write(place.root, params.changes, session=params.session)


METHOD = Method("checkpoint.write", WriteParams, handle)
