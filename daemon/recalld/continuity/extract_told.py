"""The fields of a checkpoint that say where work stands, out of exchanges. Pure."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from recalld.continuity import extract_told_en, extract_told_zh, over
from recalld.continuity.decisions import merged, turns
from recalld.continuity.hearing import Exchange, Hearing
from recalld.continuity.likeness import content
from recalld.continuity.model import Checkpoint, Turn
from recalld.continuity.placeholders import is_placeholder
from recalld.continuity.progress import reported_done
from recalld.continuity.statements import Topic, statements
from recalld.continuity.told import (
    MIN_WORDS,
    Plan,
    Told,
    is_bare,
    tell,
    weigh,
    words_of,
)
from recalld.continuity.wording import asks, plain
from recalld.text.language import is_cjk

# "Use X" is a choice in a short message, and part of a description in a long one.
MAX_CHOOSING_SENTENCES = 6
# The sentence behind a report goes on with it where it tells as much.
MIN_JOINED_WEIGHT = 2
MAX_BEHIND_PLAN = 2
# Longer texts are cut.
MAX_CHARS = 200
MAX_CJK_CHARS = 100
# What comes next is said again; before that it may be over.
LAST_TURNS = 8

_PLANS = tuple(Plan)
# Work told behind these shows that it went on from there.
_PASSING = frozenset({Plan.PLANNED, Plan.LISTED})
_DECIDED_MARKS = (*extract_told_en.DECIDED_MARKS, *extract_told_zh.DECIDED_MARKS)


def is_short(text: str) -> bool:
    """Whether a field can hold it whole."""
    return len(text) <= max_chars(text)


def max_chars(text: str) -> int:
    """How much of a text a field holds."""
    return MAX_CJK_CHARS if is_cjk(text) else MAX_CHARS


def step(hearing: Hearing) -> str:
    """What the last answer that reports anything says of the work, in at most two sentences.

    Of its reports the first of the most weight; where it has none and answers no question, its
    first plain statement: a vague step is better than an old one.
    """
    for place in reversed(range(len(hearing.said))):
        told, asked = hearing.told(place), hearing.explains(place)
        found = _reported(told, asked=asked)
        if not found and not asked:
            one = hearing.said[place]
            found = next((each.statement.text for each in told if _states_to(each, one)), "")
        if found:
            return _told_alone(found)
    return ""


def _reported(told: Sequence[Told], *, asked: bool) -> str:
    """The first report of the most weight with the one in front of it, else the one behind.

    Where plans stand between reports ("now let me run the tests"), of those behind the last one.
    """
    weights = _without_ticked(told, [weigh(one, asked=asked) for one in told])
    start, end = _last_run(told, weights)
    best = max(weights[start:end], default=0)
    if best == 0:
        return ""
    at = _first_of_list(weights.index(best, start), told, weights)
    for first in (at - 1, at):
        if first >= start and _go_together(told[first : first + 2], weights[first : first + 2]):
            one, other = told[first : first + 2]
            gap = " " if other.statement.gap else ""
            return f"{one.report}{gap}{other.report}"
    others = (told[place].report for place in range(start, end) if weights[place] and place != at)
    return (is_bare(told[at]) and next(others, "")) or told[at].report


def _without_ticked(told: Sequence[Told], weights: Sequence[int]) -> Sequence[int]:
    """The weights without the ticked items of a list that has open ones, where more is said.

    Such a list is told again with every answer, and its ticks were told before.
    """
    items = [one.statement.ticked if one.statement.item else None for one in told]
    if False not in items or not any(
        weight or over.states(one)
        for one, weight, ticked in zip(told, weights, items, strict=True)
        if ticked is None
    ):
        return weights
    return [0 if ticked else weight for weight, ticked in zip(weights, items, strict=True)]


def _last_run(told: Sequence[Told], weights: Sequence[int]) -> tuple[int, int]:
    """The last statements between two plans that report something; all where none do."""
    end = len(told)
    for place in range(len(told) - 1, -1, -1):
        if told[place].plan is Plan.PLANNED:
            if max(weights[place:end], default=0) >= MIN_JOINED_WEIGHT:
                return place, end
            end = place
    return 0, end if max(weights[:end], default=0) else len(told)


def _first_of_list(at: int, told: Sequence[Told], weights: Sequence[int]) -> int:
    """The first of the items around a report that report something."""
    while (
        at > 0
        and weights[at - 1] >= MIN_JOINED_WEIGHT
        and told[at].statement.item
        and told[at - 1].statement.item
        and told[at].statement.line - told[at - 1].statement.line == 1
    ):
        at -= 1
    return at


def _go_together(told: Sequence[Told], weights: Sequence[int]) -> bool:
    """Whether there are two, and the second goes on behind the first, which is whole."""
    if len(told) < 2:
        return False
    one, other = told
    same_line = one.statement.line == other.statement.line
    same_group = one.statement.group == other.statement.group
    fits = is_short(f"{one.report} {other.report}")
    whole = len(one.report) == len(one.statement.text) and len(content(other.report)) >= MIN_WORDS
    plain = over.states(one) and weights[1] >= MIN_JOINED_WEIGHT
    enough = min(weights) >= MIN_JOINED_WEIGHT or is_bare(one) or plain
    return same_line and same_group and fits and whole and enough


def _states_to(one: Told, exchange: Exchange) -> bool:
    """Whether it says something to somebody who talks of work, not of the weather."""
    user = exchange.user
    if (
        not over.states(one)
        or over.is_command(user)
        or words_of(user).thanks.match(user) is not None
    ):
        return False
    if over.lets_go_on(user, "") or over.asks_for_work(user) or any(map(_rules, exchange.asked)):
        return True
    return not content(user).isdisjoint(content(one.report))


def _rules(sentence: str) -> bool:
    """Whether the user decides something, calls it off, or says that it is there."""
    words, said = words_of(sentence), plain(sentence)
    found = words.cancelled.search(said) or words.decided.search(said) or words.chosen.match(said)
    found = found or words.arrived.search(said)
    return found is not None


def _told_alone(text: str) -> str:
    """The report without what is polite in front of it and what leads on behind it."""
    words = words_of(text)
    polite = words.polite.match(text)
    rest = text if polite is None else text[polite.end() :]
    text = rest if len(content(rest)) >= MIN_WORDS else text
    return words.leading.sub("", text.rstrip(":：")) if text.endswith((":", "：")) else text


def next_action(hearing: Hearing) -> str:
    """What the last answer that names a next step names, unless it is told as done since."""
    last = len(hearing.said) - 1
    for place in range(last, max(-1, last - LAST_TURNS), -1):
        planned = _planned(hearing.told(place))
        if planned is not None:
            return "" if over.is_over(planned, hearing, place) else planned
    return ""


def _planned(told: Sequence[Told]) -> str | None:
    """The surest and, of equals, the last plan that is not told as done behind it; None: none.

    Of a list its first open item. A mere plan counts where little is told behind it.
    """
    plans = [(at, one) for at, one in enumerate(told) if one.planned]
    for plan in _PLANS:
        of_kind = [(at, one) for at, one in plans if one.plan is plan]
        for at, one in _heads(of_kind):
            after = told[at + 1 :]
            if not (plan in _PASSING and _is_passed(after)) and not _is_told_done(
                one.planned, after
            ):
                return one.planned
    return None


def _is_passed(after: Sequence[Told]) -> bool:
    """Whether so much is told behind a plan that it was the way there."""
    said = [one for one in after if one.report]
    return len(said) > MAX_BEHIND_PLAN or any(
        weigh(one, asked=False) >= MIN_JOINED_WEIGHT for one in said
    )


def _heads(plans: Sequence[tuple[int, Told]]) -> list[tuple[int, Told]]:
    """One a list or label, the last first: its first item that is open, else its first words."""
    groups: dict[tuple[int, int], list[tuple[int, Told]]] = {}
    for at, one in plans:
        statement = one.statement
        alone = 0 if statement.group or statement.item else at + 1
        groups.setdefault((statement.group, alone), []).append((at, one))
    heads = []
    for group in groups.values():
        open_items = [
            each for each in group if each[1].statement.item and not each[1].statement.ticked
        ]
        words = [
            each for each in group if not each[1].statement.item and not each[1].statement.leads
        ]
        listed = any(each[1].statement.item for each in group)
        heads += (open_items if listed else words)[:1]
    return sorted((each for each in heads if _says_enough(each[1])), key=lambda each: -each[0])


def _says_enough(one: Told) -> bool:
    if one.plan in {Plan.OPEN, Plan.LISTED}:
        return True
    named = one.statement.topic is Topic.NEXT or one.plan is Plan.NAMED
    least = 1 if named or is_cjk(one.planned) else MIN_WORDS
    return len(content(one.planned)) >= least or is_placeholder(one.planned)


def _is_told_done(planned: str, after: Iterable[Told]) -> bool:
    text = "\n".join(one.statement.text for one in after)
    if not text:
        return False
    turn = Turn(user="", assistant=text, at=datetime.min.replace(tzinfo=UTC))
    return reported_done(Checkpoint(next_action=planned), [turn]) is not None


def decisions(old: tuple[str, ...], hearing: Hearing, *, objective: str) -> tuple[str, ...]:
    """What either side decided, upon what was decided before; the objective itself is none."""
    kept, marked = old, frozenset(hearing.marked(_DECIDED_MARKS))
    for place, one in enumerate(hearing.said):
        new = [text for text in _of_user(one, kept) if text != objective]
        if place in marked:
            new += _of_agent(hearing.told(place))
        kept = merged(kept, new) if new else kept
    return kept


def _of_agent(told: Iterable[Told]) -> list[str]:
    """Decisions of an answer; of a list under a heading its items alone."""
    found = [one for one in told if one.decided and _is_choice(one.decided)]
    listed = {one.statement.group for one in found if one.statement.item and one.statement.group}
    return [one.decided for one in found if one.statement.item or one.statement.group not in listed]


def _of_user(one: Exchange, kept: tuple[str, ...]) -> list[str]:
    """A user decides by saying so, by choosing, and by taking back what was decided."""
    found = []
    short = len(one.asked) <= MAX_CHOOSING_SENTENCES
    for statement in statements("\n".join(one.asked)):
        words, told = words_of(statement.plain), tell(statement)
        if told.decided:
            found.append(told.decided if statement.topic else statement.text)
        elif asks(statement.text) or words.undecided.search(statement.plain):
            continue
        elif (short and words.chosen.match(statement.plain)) or turns(statement.text, kept):
            found.append(statement.text)
    return [text for text in found if _is_choice(text)]


def _is_choice(text: str) -> bool:
    return len(content(text)) >= MIN_WORDS and not is_placeholder(text)
