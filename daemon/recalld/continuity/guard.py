"""Whether a new checkpoint may take the place of the one in the file. Pure.

What an agent or a person wrote wins; a machine's never says less than what it replaces.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from recalld.continuity.checkpoint import FIELDS, canonical
from recalld.continuity.decisions import MAX_DECISIONS, merged
from recalld.continuity.likeness import content, same_step, same_work
from recalld.continuity.model import Checkpoint, Done, Origin, Parsed, Ruling
from recalld.continuity.poison import reports_failure

# Of another piece of work a machine must know this much before it replaces one.
MIN_FIELDS = 2
MIN_CONTENT = 3


def rule(  # noqa: PLR0913  what is known of either side, keyword only
    old: Parsed | None,
    new: Checkpoint,
    *,
    old_origin: Origin,
    new_origin: Origin,
    finished: Done | None = None,
    settled: Collection[str] = (),
) -> Ruling:
    """What to write of ``new`` where the file holds ``old`` (None: no file), or why nothing.

    ``why`` is ``poison`` for an objective that reports a failed login, limit or server, whoever
    wrote it; ``hand`` for what an agent or a person wrote, which else is written as it is, and
    for a machine's text over theirs; ``nothing``: a machine has nothing to say; ``less``: it
    says less than the file; ``same``: it changes nothing; ``unsurfaced``, ``created`` and
    ``machine``: written.

    Over active work of a hand a machine changes unsurfaced results alone: as they are in ``new``
    where nothing else differs, else added. Over its own it keeps every field that it has
    nothing new for, also of ``extra``, but those of ``settled``: what they say is over. A next
    action that was ``finished`` does not come back, whoever has it. A decision goes that a new
    one takes back. ``updated_at`` is the new one's, but the old one's
    where only unsurfaced results changed: the rest is as old as it was.
    """
    before = Checkpoint() if old is None else old.checkpoint
    new = canonical(new)
    new = replace(new, extra=new.extra or before.extra)
    if is_poison(new.objective):
        return Ruling(write=None, why="poison")
    if new_origin is Origin.HAND:
        return Ruling(write=new, why="hand")
    if old is None:
        return Ruling(write=_few_decisions(new), why="created")
    if is_poison(before.objective):
        before = replace(before, objective="")
    over = _Over(finished=finished, settled=settled)
    return _machine(before, new, old_origin, over)


def is_poison(text: str, extra: tuple[str, ...] = ()) -> bool:
    """Whether the text must never be an objective: it only reports that something failed, or it
    holds one of ``extra``, in any case. Blank patterns are none.
    """
    folded = text.casefold()
    ignored = any(pattern.casefold() in folded for pattern in extra if pattern.strip())
    return ignored or reports_failure(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Over:
    """What of the old checkpoint later lines report to be over."""

    finished: Done | None
    settled: Collection[str]


def _machine(before: Checkpoint, new: Checkpoint, origin: Origin, over: _Over) -> Ruling:
    if _without_results(before) == _without_results(new):
        return _results(before, new.unsurfaced_results, otherwise="same")
    added = _joined(before.unsurfaced_results, new.unsurfaced_results)
    if before.active and origin is Origin.HAND:
        return _results(before, added, otherwise="hand")
    if not new.active:
        return _results(before, added, otherwise="less" if before.active else "nothing")
    same = before.active and same_work(before.objective, new.objective)
    if over.finished is not None and same and _revives(before, new):
        new = replace(new, next_action="")
    if before.active and not same and _says_little(new):
        return _results(before, added, otherwise="less")
    new = _few_decisions(new)
    written = new if before.active and not same else _filled(before, new, origin, over)
    return Ruling(write=replace(written, unsurfaced_results=added), why="machine")


def _results(before: Checkpoint, results: str, *, otherwise: str) -> Ruling:
    """A write of unsurfaced results alone, if they changed."""
    if results == before.unsurfaced_results:
        return Ruling(write=None, why=otherwise)
    return Ruling(write=replace(before, unsurfaced_results=results), why="unsurfaced")


def _without_results(checkpoint: Checkpoint) -> Checkpoint:
    return replace(checkpoint, unsurfaced_results="", updated_at=None)


def _joined(old: str, new: str) -> str:
    lines = old.split("\n") if old else []
    return "\n".join([*lines, *(line for line in new.split("\n") if line and line not in lines)])


def _revives(before: Checkpoint, new: Checkpoint) -> bool:
    """Whether the next action is again the one that was reported as done."""
    return bool(new.next_action) and same_step(before.next_action, new.next_action)


def _says_little(new: Checkpoint) -> bool:
    said = sum(1 for key in FIELDS.values() if key != "unsurfaced_results" and getattr(new, key))
    return said < MIN_FIELDS or len(content(new.objective)) < MIN_CONTENT


def _filled(before: Checkpoint, new: Checkpoint, origin: Origin, over: _Over) -> Checkpoint:
    """One piece of work told again: what is new, and of the rest what was known.

    What a hand left without an objective is kept before what a machine found. A reported step
    is not kept as the next one, nor what else is over.
    """
    first, second = (before, new) if origin is Origin.HAND else (new, before)
    kept = {key: getattr(first, key) or getattr(second, key) for key in FIELDS.values()}
    if origin is Origin.MACHINE:
        kept["key_decisions"] = merged(before.key_decisions, new.key_decisions)
    if content(new.objective) < content(before.objective):
        kept["objective"] = before.objective
    gone = {*over.settled, *(() if over.finished is None else ("next_action",))}
    kept.update({key: getattr(new, key) for key in gone})
    return replace(new, **kept)


def _few_decisions(checkpoint: Checkpoint) -> Checkpoint:
    """The latest three."""
    return replace(checkpoint, key_decisions=checkpoint.key_decisions[-MAX_DECISIONS:])
