"""From kept turns to what a checkpoint should say. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from recalld.continuity import extract, guard, over, progress
from recalld.continuity.likeness import same_step
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

    def later_than(self, moment: datetime) -> list[Turn]:
        """Those said in a later second; the file knows whole seconds only."""
        return self._turns(lambda kept: kept.at.replace(microsecond=0) > moment)

    def not_before(self, moment: datetime) -> list[Turn]:
        """Those said in that second or later."""
        return self._turns(lambda kept: kept.at >= moment)

    def received_after(self, moment: datetime) -> list[Turn]:
        return self._turns(lambda kept: kept.received_at > moment)

    def by(self, session_key: str) -> "Heard":
        """What was said in one session."""
        return replace(self, kept=[kept for kept in self.kept if kept.session_key == session_key])

    def made_of(self, empty: Checkpoint, *, ignore: tuple[str, ...]) -> Checkpoint:
        """What a file that names no work is about to say; ``empty`` where these name none."""
        return extract.from_turns(empty, self.all(), ignore=ignore) or empty

    def all(self) -> list[Turn]:
        return self._turns(lambda _: True)

    def _turns(self, wanted: Callable[[KeptTurn], bool]) -> list[Turn]:
        read = (self._turn(kept) for kept in self.kept if wanted(kept))
        return [turn for turn in read if turn is not None]

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

    ``again``: some of the turns may have been made into this checkpoint before.
    """
    before = None if old.parsed is None else old.parsed.checkpoint
    turns = _unused(old, before, heard, again=again)
    new = extract.from_turns(old.base, turns, ignore=ignore) if turns else None
    if new is None:
        empty = lines.put(Checkpoint()) if old.parsed is None else None
        return Ruling(write=empty, why=NOTHING_SAID)
    if old.base is not None and old.base != before:
        # The file is of another session: this one goes on from where it was itself.
        own = _ruled(Parsed(checkpoint=old.base), new, turns, Origin.MACHINE)
        new = new if own.write is None else own.write
    ruling = _ruled(old.parsed, new, turns, old.origin)
    if ruling.write is None:
        return ruling
    return replace(ruling, write=lines.put(ruling.write))


def _ruled(old: Parsed | None, new: Checkpoint, turns: Sequence[Turn], origin: Origin) -> Ruling:
    before = None if old is None else old.checkpoint
    return guard.rule(
        old,
        new,
        old_origin=origin,
        new_origin=Origin.MACHINE,
        finished=None if before is None else _done(before, turns),
        settled=frozenset() if before is None else extract.settled(before, turns),
    )


def _unused(old: Old, before: Checkpoint | None, heard: Heard, *, again: bool) -> list[Turn]:
    """Turns that the file does not know of: a hand knows what was said before it wrote.

    Those of the second that a checkpoint is of are used twice rather than never.
    """
    if old.origin is Origin.HAND and old.modified_at is not None:
        return heard.received_after(old.modified_at)
    if again and before is not None and before.updated_at is not None:
        return heard.not_before(before.updated_at)
    return heard.all()


def finished(checkpoint: Checkpoint, heard: Heard, *, modified_at: datetime) -> Done | None:
    """Whether turns later than the checkpoint report its work as done, or did its next step."""
    turns = heard.later_than(checkpoint.updated_at or modified_at)
    if not turns:
        return None
    return _done(checkpoint, turns) or over.carried_out(checkpoint, turns)


def _done(checkpoint: Checkpoint, turns: Sequence[Turn]) -> Done | None:
    """A report that the next action is done, unless it is named as next again with it or since.

    "Fixed the first of them. Next: fix the rest" may sound like the end of the rest.
    """
    done = progress.reported_done(checkpoint, turns)
    if done is None or not checkpoint.next_action:
        return done
    since = [turn for turn in turns if turn.at >= done.at]
    said = extract.from_turns(checkpoint, since)
    named = "" if said is None else said.next_action
    return None if named and same_step(checkpoint.next_action, named) else done
