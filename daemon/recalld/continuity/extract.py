"""A checkpoint made of what was said, without a model: what is not said stays empty. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from types import ModuleType

from recalld.continuity import extract_en, extract_told, extract_zh, obstacles, over
from recalld.continuity.checkpoint import canonical
from recalld.continuity.guard import is_poison
from recalld.continuity.hearing import Exchange, Hearing, exchange
from recalld.continuity.likeness import content, same_work
from recalld.continuity.model import Checkpoint, Turn
from recalld.continuity.placeholders import is_placeholder
from recalld.continuity.told import words_of
from recalld.continuity.wording import asks, plain
from recalld.text.language import has_cjk, is_cjk
from recalld.text.quote import shortened
from recalld.text.redact import redact

# Fewer words than these name no work: "fix it", 改一下.
MIN_TASK_WORDS = 3
# Of a sentence that only may name work, where the answer is about work.
MIN_MATTER_WORDS = 4
MIN_MATTER_PAIRS = 6
# A request with fewer is more about the work at hand; in Chinese, pairs of characters.
MIN_NEW_TASK_WORDS = 5
MIN_NEW_TASK_PAIRS = 8
# With more, a request says what it wants, though it holds "this" or "it" too.
MAX_POINTING_WORDS = 5
# Words shared with what was just said, by which a request goes on with it.
SHARED_WORDS = 2
# Of so many answers it is known what was said last.
LAST_TURNS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    task: re.Pattern[str]
    request: re.Pattern[str]
    trouble: re.Pattern[str]
    follow_up: re.Pattern[str]
    points_back: re.Pattern[str]
    corrects: re.Pattern[str]
    interrupts: re.Pattern[str]
    returns: re.Pattern[str]
    talk: re.Pattern[str]

    @classmethod
    def of(cls, module: ModuleType) -> "_Words":
        patterns = {field.name: getattr(module, field.name.upper()) for field in fields(cls)}
        return cls(**{name: re.compile(way, re.IGNORECASE) for name, way in patterns.items()})


_ENGLISH = _Words.of(extract_en)
_CHINESE = _Words.of(extract_zh)


def from_turns(
    old: Checkpoint | None, turns: Sequence[Turn], *, ignore: tuple[str, ...] = ()
) -> Checkpoint | None:
    """What the turns, in order of time, say of the work; None where they say nothing of it.

    The objective is the last request for work of some substance, in the user's words, or the
    old one where what came after only goes on with it; where nothing else was asked for, the
    first trouble told ("the build fails on Windows"). Step, next action and blockers are what
    the last answers say that say so, without the labels in front ("Next:", 下一步：); a next
    action is gone once it is told as done, blockers once they are told to be away. Decisions
    (the latest three) are what either side says, unless it is taken back. Of failed runs the
    request alone counts, and is what is next. "Continue", short messages, questions, failures
    of logins and texts that hold one of ``ignore`` name no work. Unsurfaced results and
    ``extra`` are the old ones: what an answer told was seen. Fields are short, single lines
    without secrets; ``updated_at`` is the last turn's time.
    """
    said = [exchange(turn, ignore) for turn in sorted(turns, key=lambda turn: turn.at)]
    if not said:
        return None
    before = old if old is not None and old.active else None
    objective, since = _objective(before, said)
    if not objective or is_poison(objective, ignore):
        return None
    same = before is not None and objective == before.objective
    new = _told(objective, before.key_decisions if same and before else (), said[since:])
    if same and before is not None and _adds_nothing(before, new, turns):
        return None
    told = replace(
        new,
        unsurfaced_results="" if old is None else old.unsurfaced_results,
        extra="" if old is None else old.extra,
        updated_at=said[-1].turn.at,
    )
    return canonical(told)


def settled(checkpoint: Checkpoint, turns: Sequence[Turn]) -> frozenset[str]:
    """The fields whose words turns later than ``updated_at`` make void, whatever is new.

    Blockers that are told to be away, and a next action that is settled: given up, ticked off,
    carried out, or an offer that the user answered.
    """
    ruled = {
        "blockers": obstacles.unblocked(checkpoint, turns),
        "next_action": over.settled(checkpoint, turns),
    }
    return frozenset(name for name, is_over in ruled.items() if is_over)


def _told(objective: str, decided: tuple[str, ...], said: Sequence[Exchange]) -> Checkpoint:
    hearing = Hearing(said)
    failed = not said[-1].answer and next(_tasks(said[-1]), "")
    kept = extract_told.decisions(decided, hearing, objective=objective)
    return Checkpoint(
        objective=objective,
        current_step=_short(extract_told.step(hearing)),
        # What stands in the file already stays as it stands there.
        key_decisions=tuple(one if one in decided else _short(one) for one in kept),
        next_action=_short(failed or extract_told.next_action(hearing)),
        blockers=_short(obstacles.blockers(hearing)),
    )


def _adds_nothing(before: Checkpoint, new: Checkpoint, turns: Sequence[Turn]) -> bool:
    told = new.current_step or new.next_action or new.blockers
    if told or new.key_decisions != before.key_decisions:
        return False
    return not settled(before, turns)


def _words(sentence: str) -> _Words:
    return _CHINESE if has_cjk(sentence) else _ENGLISH


def _tasks(one: Exchange, *, first: bool = False) -> Iterator[str]:
    """Sentences that ask for work; the ``first`` one may choose or decide too."""
    found = (sentence for sentence in one.asked if _is_task(sentence))
    return found if first else (sentence for sentence in found if not _decides(sentence))


def _is_task(sentence: str) -> bool:
    words = _words(sentence)
    pattern = words.request if asks(sentence) else words.task
    if pattern.match(plain(sentence)) is None:
        return False
    return len(content(sentence)) >= MIN_TASK_WORDS and not is_placeholder(sentence)


def _decides(sentence: str) -> bool:
    told, said = words_of(sentence), plain(sentence)
    return bool(told.decided.search(said) or told.chosen.match(said))


def _is_trouble(sentence: str) -> bool:
    found = _words(sentence).trouble.match(plain(sentence))
    return found is not None and len(content(sentence)) >= MIN_TASK_WORDS


def _may_be_work(sentence: str) -> bool:
    if asks(sentence) or _words(sentence).talk.match(plain(sentence)) or is_placeholder(sentence):
        return False
    enough = MIN_MATTER_PAIRS if is_cjk(sentence) else MIN_MATTER_WORDS
    return len(content(sentence)) >= enough and not _decides(sentence)


def _objective(before: Checkpoint | None, said: Sequence[Exchange]) -> tuple[str, int]:
    """The objective, and from which exchange on it is the one."""
    hearing = Hearing(said)
    objective = "" if before is None else before.objective
    since = 0
    last = "" if before is None else f"{before.current_step}\n{before.next_action}"
    for place, one in enumerate(said):
        heard = "\n".join(
            [last, *(each.answer for each in said[max(since, place - LAST_TURNS) : place])]
        )
        task = _other_work(one, objective, heard) if objective else ""
        if task:
            objective, since, last = _short(task.rstrip(" :：")), place, one.answer
            continue
        task = next(_tasks(one, first=not objective), "")
        if not objective and not task:
            task = _matter(hearing, place)
        if task and not _goes_on(task, objective, last):
            objective, since = _short(task.rstrip(" :：")), place
        last = one.answer
    return objective, since


def _other_work(one: Exchange, objective: str, heard: str) -> str:
    """What the user says has to be done before the work goes on, or goes back to; "" for none.

    It is about something else than the objective and what was ``heard`` last.
    """
    known = f"{objective}\n{heard}"
    for place, sentence in enumerate(one.asked):
        words, said = _words(sentence), plain(sentence)
        found = words.interrupts.match(said) or words.returns.match(said)
        if found is None or asks(sentence):
            continue
        rest = sentence[found.end() :]
        left = content(rest)
        interrupts = found.re is words.interrupts
        enough = _enough(rest) if interrupts else MIN_TASK_WORDS
        most = SHARED_WORDS if interrupts else 1
        near = len(left & content(objective)) >= most
        if len(left) < enough or near or len(left & content(known)) >= SHARED_WORDS:
            continue
        if not interrupts or _names_work(rest) or any(map(_is_task, one.asked[place + 1 :])):
            return rest
    return ""


def _names_work(text: str) -> bool:
    """Whether one of its clauses asks for work or tells of trouble."""
    if _is_trouble(text):
        return True
    told = words_of(text)
    clauses = (text[slice(*clause)] for clause in told.clauses(plain(text)))
    return any(_words(text).task.match(plain(one)) is not None for one in clauses)


def _enough(text: str) -> int:
    return MIN_NEW_TASK_PAIRS if is_cjk(text) else MIN_NEW_TASK_WORDS


def _matter(hearing: Hearing, place: int) -> str:
    """What an exchange is about that asks for no work in so many words."""
    asked = hearing.said[place].asked
    trouble = next(filter(_is_trouble, asked), "")
    if trouble:
        return trouble
    told = next(filter(_may_be_work, asked), "")
    return told if told and hearing.reports_work(place) else ""


def _goes_on(task: str, objective: str, last: str) -> bool:
    """Whether the request is more about the work at hand, also where that has no name yet.

    ``last``: what was said just before.
    """
    words = content(task)
    if len(words) <= MAX_POINTING_WORDS and _words(task).points_back.match(plain(task)):
        return True
    if not objective:
        return False
    if len(words) < _enough(task) or same_work(task, objective):
        return True
    followed = (_words(task).follow_up, _words(task).corrects)
    if any(pattern.match(plain(task)) is not None for pattern in followed):
        return True
    return len(words & (content(objective) | content(last))) >= SHARED_WORDS


def _short(sentence: str) -> str:
    line = redact(" ".join(sentence.split())).text
    return shortened(line, extract_told.max_chars(line))
