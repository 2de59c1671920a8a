"""What is in the way of the work, and when it is no more. Pure."""

import re
from collections.abc import Iterable, Sequence

from recalld.continuity import extract_told_en, extract_told_zh
from recalld.continuity.hearing import Exchange, Hearing, exchange
from recalld.continuity.likeness import content
from recalld.continuity.model import Checkpoint, Turn
from recalld.continuity.placeholders import is_placeholder
from recalld.continuity.statements import Statement, Topic, statements
from recalld.continuity.told import MIN_WORDS, Told, tell, words_of
from recalld.continuity.wording import asks

MAX_OBSTACLES = 3
# Of the words of what was in the way, in a statement that something works or is done.
SHARE = 0.5

_MARKS = (*extract_told_en.BLOCKED_MARKS, *extract_told_zh.BLOCKED_MARKS)
_PARTS = re.compile(r"; |\n+(?:- )?|；")


def blockers(hearing: Hearing) -> str:
    """What the last exchange that names something in the way names, without what is away since."""
    for place in reversed(tuple(hearing.marked(_MARKS))):
        one = hearing.said[place]
        told = [*map(tell, statements("\n".join(one.asked))), *hearing.told(place)]
        found = _named(told)
        if found is not None:
            later = hearing.said[place + 1 :]
            return _joined([each for each in found if not _is_away(each, later)])
    return ""


def _joined(parts: Sequence[str]) -> str:
    *others, last = parts or [""]
    return "; ".join([*(part.rstrip(".。") for part in others), last])


def unblocked(checkpoint: Checkpoint, turns: Sequence[Turn]) -> bool:
    """Whether turns later than ``updated_at`` say that all that was in the way is no more.

    A part is away where a statement says that it arrived or was settled and has a word of it, or
    that something works and has half of its words; where it waits for the user's word and the
    user said anything since; and all of it where the last turn that names blockers names none.
    """
    if not checkpoint.blockers:
        return False
    since = checkpoint.updated_at
    later = [
        exchange(turn)
        for turn in sorted(turns, key=lambda turn: turn.at)
        if since is None or turn.at > since
    ]
    parts = [part for part in _PARTS.split(checkpoint.blockers) if part.strip()]
    return bool(later) and all(_is_away(part, later) for part in parts)


def _named(told: Iterable[Told]) -> list[str] | None:
    """What is in the way; empty where it is said that nothing is; None: nothing of it is said."""
    found = [one for one in told if one.blocked]
    if not found:
        return None
    listed = {one.statement.group for one in found if one.statement.item and one.statement.group}
    kept = [one for one in found if one.statement.item or one.statement.group not in listed]
    parts = [one.blocked for one in kept if not _is_nothing(one)]
    return list(dict.fromkeys(parts))[:MAX_OBSTACLES]


def _is_nothing(one: Told) -> bool:
    unblocked = words_of(one.statement.plain).unblocked.search(one.statement.plain) is not None
    if unblocked or is_placeholder(one.blocked):
        return True
    return one.statement.topic is None and len(content(one.blocked)) < MIN_WORDS


def _is_away(part: str, later: Sequence[Exchange]) -> bool:
    words = words_of(part)
    waits_for_user = words.for_user.search(part) is not None
    for one in later:
        if waits_for_user and one.user and not one.only_asks:
            return True
        if any(_clears(statement, part) for statement in one.statements()):
            return True
    return False


def _clears(statement: Statement, part: str) -> bool:
    words, plain = words_of(statement.plain), statement.plain
    if statement.topic is Topic.BLOCKED:
        return is_placeholder(statement.text) or words.unblocked.search(plain) is not None
    if asks(statement.text) or statement.topic in {Topic.NEXT, Topic.DECIDED}:
        return False
    if words.nothing_blocks.search(plain) and not words.supposed.search(plain):
        return True
    return any(_settles(plain[slice(*clause)], part) for clause in words.clauses(plain))


def _settles(clause: str, part: str) -> bool:
    words = words_of(clause)
    said = content(clause)
    shared = len(said & content(part))
    if not shared or words.supposed.search(clause):
        return False
    if words.unblocked.search(clause):
        return True
    if words.not_cleared.search(clause):
        return False
    if words.arrived.search(clause):
        return True
    alone = shared >= MIN_WORDS and shared >= len(said) - 1
    enough = alone or shared >= SHARE * len(content(part))
    return enough and words.cleared.search(clause) is not None
