"""When a next action is over: told as done, given up, ticked off, or simply carried out. Pure."""

import re
from collections.abc import Iterable, Sequence

from recalld.continuity import extract_en, extract_zh
from recalld.continuity.going import going_of
from recalld.continuity.hearing import Exchange, Hearing, exchange
from recalld.continuity.likeness import content, same_step
from recalld.continuity.model import Checkpoint, Done, Turn
from recalld.continuity.placeholders import is_placeholder
from recalld.continuity.progress import (
    MAX_SAID_CHARS,
    MIN_OWN_WORDS,
    reported_done,
    reports_done,
)
from recalld.continuity.statements import Statement, Topic
from recalld.continuity.told import Told, offers, weigh, words_of
from recalld.continuity.wording import MAX_SENTENCE_CHARS, asks, plain, sentences
from recalld.text.language import has_cjk
from recalld.text.quote import shortened

MIN_STATED_WORDS = 2
# Of any Chinese question.
_SMALL = frozenset("了吗没有呢好完成的吧现在")
# Under way at least: a lesser report is none of a step that is done.
MIN_WEIGHT = 2
# Up to as many letters a Chinese message says yes, whatever verb it says it with (补吧).
MAX_YES_CHARS = 5
# "Run it", "try again": with the verb of another step, too.
_SAME_AGAIN = re.compile(r"\W*(?:(?:ok|okay|yes|please)[\s,]+)*(?:try|do|go)\b", re.IGNORECASE)
_TASK = {
    False: re.compile(extract_en.TASK, re.IGNORECASE),
    True: re.compile(extract_zh.TASK),
}
_TROUBLE = {
    False: re.compile(extract_en.TROUBLE, re.IGNORECASE),
    True: re.compile(extract_zh.TROUBLE),
}
_COMMAND = re.compile(r"\s*/[\w:-]+\s*")
_PROPOSES = re.compile(r"吧\W*$|\bthen\W*$")
_LETTERS = re.compile(r"\w")


def is_over(planned: str, hearing: Hearing, place: int) -> bool:
    """Whether what the exchange at ``place`` planned is over by the end."""
    later = range(place + 1, len(hearing.said))
    if is_placeholder(planned) or _is_settled(planned, hearing, later):
        return True
    step = Checkpoint(next_action=planned, updated_at=hearing.said[place].turn.at)
    return reported_done(step, [hearing.said[at].turn for at in later]) is not None


def settled(checkpoint: Checkpoint, turns: Sequence[Turn]) -> bool:
    """Whether turns later than ``updated_at`` settle the next action without telling it as done.

    It was an offer, and the user said something to it; it was said that it need not be done; it
    is ticked in a list; or the user said yes, and the answer reports work that is at its end and
    names nothing in the way: what was to be done was done, in other words.
    """
    if not checkpoint.next_action:
        return False
    later = _later(checkpoint, turns)
    return _is_settled(checkpoint.next_action, Hearing(later), range(len(later)))


def carried_out(checkpoint: Checkpoint, turns: Sequence[Turn]) -> Done | None:
    """The first of the later turns that carried out the next action, as ``settled``.

    The turns may be of other work, so the report has words of the action: two, where it has three.
    """
    wanted = content(checkpoint.next_action)
    hearing = Hearing(_later(checkpoint, turns))
    for place, one in enumerate(hearing.said if wanted else ()):
        if not _is_carried_out(checkpoint.next_action, hearing, place):
            continue
        for told in hearing.told(place):
            if _tells(told, wanted):
                return Done(at=one.turn.at, said=shortened(told.report, MAX_SAID_CHARS))
    return None


def _later(checkpoint: Checkpoint, turns: Sequence[Turn]) -> list[Exchange]:
    since = checkpoint.updated_at
    return [
        exchange(turn)
        for turn in sorted(turns, key=lambda turn: turn.at)
        if since is None or turn.at > since
    ]


def _is_settled(planned: str, hearing: Hearing, places: Iterable[int]) -> bool:
    an_offer = offers(planned)
    for place in places:
        one = hearing.said[place]
        if an_offer and _answers(one):
            return True
        if any(_cancels(said, planned) or _ticks(said, planned) for said in one.statements()):
            return True
        if _drops(one, planned) or _is_carried_out(planned, hearing, place):
            return True
    return False


def _answers(one: Exchange) -> bool:
    thanks = words_of(one.user).thanks.match(one.user) is not None
    return bool(one.user) and not one.only_asks and not thanks


def _cancels(statement: Statement, planned: str) -> bool:
    """Whether it says of something with most of the words of what is planned that it goes."""
    words = content(planned)
    if asks(statement.text) or statement.topic in {Topic.NEXT, Topic.DONE}:
        return False
    cancelled = words_of(statement.plain).cancelled.search(statement.plain) is not None
    return cancelled and 2 * len(words & content(statement.text)) >= max(2, len(words))


def _ticks(statement: Statement, planned: str) -> bool:
    return bool(
        statement.item
        and statement.ticked
        and (statement.text.strip() == planned or same_step(statement.text, planned))
    )


def _drops(one: Exchange, planned: str) -> bool:
    """Whether a clause of the user says that something goes, and names nothing but the plan."""
    for sentence in one.asked:
        words, said = words_of(sentence), plain(sentence)
        if asks(sentence):
            continue
        for clause in (said[slice(*each)] for each in words.clauses(said)):
            found = words.cancelled.search(clause)
            if found is None:
                continue
            rest = content(clause[: found.start()] + " " + clause[found.end() :])
            if rest <= content(planned):
                return True
    return False


def _is_carried_out(planned: str, hearing: Hearing, place: int) -> bool:
    one = hearing.said[place]
    if not one.answer:
        return False
    told = hearing.told(place)
    if _asks_whether(one.user, planned):
        return bool(told) and not _is_unfinished(told[0]) and reports_done(told[0].report)
    if hearing.explains(place) or any(each.blocked for each in told):
        return False
    reports = [each for each in told if weigh(each, asked=False) >= MIN_WEIGHT]
    said = reports or [each for each in told if states(each)]
    if not said or _is_unfinished(said[-1]):
        return False
    if _is_about(planned, one.user, said):
        return True
    return lets_go_on(one.user, planned) and not _is_answered(one.user, planned, said)


def _is_about(planned: str, user: str, reports: Iterable[Told]) -> bool:
    """Whether the user says something of what is planned, and one of the reports tells it."""
    wanted = content(planned)
    if len(user) > MAX_SENTENCE_CHARS or wanted.isdisjoint(content(user)):
        return False
    if asks(user) or going_of(user).holds.search(plain(user)) is not None:
        return False
    return any(_tells(each, wanted) for each in reports)


def _is_answered(user: str, planned: str, reports: Iterable[Told]) -> bool:
    """Whether the reports are of something that the user named beside what is planned.

    "The logo is blurry" is no yes; who chooses how to do it ("as CSV then") says yes.
    """
    words, said = words_of(user), plain(user)
    if words.chosen.match(said) is not None or _PROPOSES.search(user) is not None:
        return False
    others = content(user) - content(planned)
    return any(not others.isdisjoint(content(each.report)) for each in reports)


def _tells(told: Told, wanted: frozenset[str]) -> bool:
    """Whether it has words of what is wanted: two, where that has three."""
    return 2 * len(wanted & content(told.report)) >= min(3, len(wanted))


def _asks_whether(user: str, planned: str) -> bool:
    """Whether the user asks in a few words whether just that was done (切了吗)."""
    if not asks(user) or len(user) > MAX_SENTENCE_CHARS:
        return False
    own = content(user)
    if len(own) >= MIN_OWN_WORDS + has_cjk(user):
        return False
    letters = {letter for letter in user if has_cjk(letter)} - _SMALL
    return bool(own & content(planned)) or not letters.isdisjoint(planned)


def lets_go_on(user: str, planned: str) -> bool:
    """Whether the user lets the agent do what is planned: says yes, or asks for that itself."""
    if len(user) > MAX_SENTENCE_CHARS or is_command(user):
        return False
    said = plain(user)
    if not user.strip() or asks(user) or going_of(user).holds.search(said) is not None:
        return False
    own, wanted = content(user), content(planned)
    if own & wanted and 2 * len(own & wanted) >= min(len(own), len(wanted)):
        return True
    trouble = _TROUBLE[has_cjk(user)].match(said) is not None
    if trouble or len(own) >= MIN_OWN_WORDS + has_cjk(user):
        return False
    short = has_cjk(user) and len(_LETTERS.findall(user)) <= MAX_YES_CHARS
    new = _TASK[has_cjk(user)].match(said) is not None and _SAME_AGAIN.match(said) is None
    return short or not new


def states(one: Told) -> bool:
    """Whether it says something, plainly, of whatever it is."""
    statement, words = one.statement, words_of(one.statement.plain)
    told = one.planned or one.decided or one.blocked
    marked = statement.heading or statement.item or statement.leads
    if told or marked or asks(statement.text) or statement.topic not in {None, Topic.STATUS}:
        return False
    talk = (words.filler, words.looked, words.order, words.conditional)
    polite = words.polite.match(statement.plain)
    begin = 0 if polite is None else polite.end()
    if any(way.match(statement.plain, begin) for way in talk):
        return False
    said = words.supposed.search(statement.plain) is None
    return said and len(content(statement.text)) >= MIN_STATED_WORDS


def is_command(user: str) -> bool:
    """Whether it is for the host ("/login"), and says nothing of the work."""
    return _COMMAND.fullmatch(user) is not None


def asks_for_work(user: str) -> bool:
    """Whether a sentence of the user says what is to be done, or what is wrong."""
    return any(
        _TASK[has_cjk(one)].match(plain(one)) or _TROUBLE[has_cjk(one)].match(plain(one))
        for one in sentences(user)
    )


def _is_unfinished(told: Told) -> bool:
    said = told.statement.plain
    return going_of(said).unfinished.search(said, 0, len(told.report)) is not None
