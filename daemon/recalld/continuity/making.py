"""From kept turns to what a checkpoint should say. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from recalld.continuity import extract, guard, progress
from recalld.continuity.model import Checkpoint, Done, Origin, Parsed, Ruling, Turn
from recalld.continuity.surfacing.results import Lines
from recalld.store.model import KeptTurn
from recalld.text.clean import clean_prompt

NOTHING_SAID = "nothing_said"
# Where these are why nothing is written, nothing was kept out either.
QUIET = frozenset({NOTHING_SAID, "nothing", "same"})
# What is said in a turn beyond this is code and listings, and the newest words stand at the end.
MAX_SIDE_CHARS = 16_384


class _Said(msgspec.Struct):
    """What is read of a kept turn."""

    user: str = ""
    assistant: str = ""
    success: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Old:
    """The file before: None where there is none. ``modified_at``: when its bytes were written.

    ``base``: what the session's turns go on from, which is the file's checkpoint or its own.
    """

    parsed: Parsed | None
    base: Checkpoint | None
    origin: Origin
    modified_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """Turns of users, oldest first. ``is_no_user`` says of which text a host is the author."""

    kept: Sequence[KeptTurn]
    is_no_user: Callable[[str, str], bool]

    def since(self, moment: datetime | None) -> list[Turn]:
        """Those said in a later second than ``moment``; the file knows whole seconds only."""
        return [
            turn
            for kept in self.kept
            if moment is None or kept.at.replace(microsecond=0) > moment
            if (turn := self._turn(kept)) is not None
        ]

    def received_since(self, moment: datetime | None) -> list[Turn]:
        kept = [each for each in self.kept if moment is None or each.received_at > moment]
        return replace(self, kept=kept).since(None)

    def _turn(self, kept: KeptTurn) -> Turn | None:
        try:
            said = msgspec.json.decode(kept.payload, type=_Said)
        except msgspec.DecodeError:
            return None
        if self.is_no_user(kept.session_key, said.user):
            return None
        user, assistant = clean_prompt(said.user), said.assistant
        return Turn(
            user=user[:MAX_SIDE_CHARS],
            assistant=assistant[-MAX_SIDE_CHARS:],
            at=kept.at,
            success=said.success,
        )


def ruling_of(
    old: Old,
    heard: Heard,
    *,
    ignore: tuple[str, ...],
    lines: Lines,
    again: bool,
) -> Ruling:
    """What to write after these turns; where nothing was said, an empty file if there is none.

    A hand edit knows what was said before it. ``again``: the turns may have been made into this
    checkpoint before, so those that it is as old as count no more.
    """
    before = None if old.parsed is None else old.parsed.checkpoint
    if old.origin is Origin.HAND:
        turns = heard.received_since(old.modified_at)
    else:
        turns = heard.since(before.updated_at if before is not None and again else None)
    new = extract.from_turns(old.base, turns, ignore=ignore) if turns else None
    if new is None:
        empty = lines.put(Checkpoint()) if old.parsed is None else None
        return Ruling(write=empty, why=NOTHING_SAID)
    finished = None if before is None else progress.reported_done(before, turns)
    ruling = guard.rule(
        old.parsed, new, old_origin=old.origin, new_origin=Origin.MACHINE, finished=finished
    )
    if ruling.write is None:
        return ruling
    return replace(ruling, write=lines.put(ruling.write))


def finished(checkpoint: Checkpoint, heard: Heard, *, modified_at: datetime) -> Done | None:
    """Whether turns later than the checkpoint report its work as done."""
    turns = heard.since(checkpoint.updated_at or modified_at)
    return progress.reported_done(checkpoint, turns) if turns else None
