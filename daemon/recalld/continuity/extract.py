"""A checkpoint made of what was said, without a model: what is not said stays empty. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from types import ModuleType

from recalld.continuity import extract_en, extract_zh
from recalld.continuity.checkpoint import canonical
from recalld.continuity.guard import is_poison
from recalld.continuity.likeness import content, same_work
from recalld.continuity.model import Checkpoint, Turn
from recalld.continuity.placeholders import is_placeholder
from recalld.continuity.progress import reported_done, reports_done
from recalld.continuity.questions import asks_to_resume
from recalld.continuity.wording import asks, plain, sentences
from recalld.text.clean import clean_prompt, strip_own_blocks
from recalld.text.language import has_cjk, is_cjk
from recalld.text.quote import shortened
from recalld.text.redact import redact

MAX_CHARS = 200
MAX_CJK_CHARS = 100
MAX_DECISIONS = 3
# Fewer words than these name no work: "fix it", 改一下.
MIN_TASK_WORDS = 3
MIN_WORDS = 2
# A request with fewer is more about the work at hand; in Chinese, pairs of characters.
MIN_NEW_TASK_WORDS = 5
MIN_NEW_TASK_PAIRS = 8
# With more, a request says what it wants, though it holds "this" or "it" too.
MAX_POINTING_WORDS = 5
# Words shared with what was just said, by which a request goes on with it.
SHARED_WORDS = 2
# What is next and in the way is said at the end; before that it may be over.
LAST_TURNS = 3
STEP_SENTENCES = 2
# "Use X" is a choice in a short message, and part of a description in a long one.
MAX_CHOOSING_SENTENCES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    task: re.Pattern[str]
    request: re.Pattern[str]
    trouble: re.Pattern[str]
    follow_up: re.Pattern[str]
    points_back: re.Pattern[str]
    next: re.Pattern[str]
    decided: re.Pattern[str]
    chosen: re.Pattern[str]
    undecided: re.Pattern[str]
    blocked: re.Pattern[str]
    unblocked: re.Pattern[str]
    underway: re.Pattern[str]
    filler: re.Pattern[str]

    @classmethod
    def of(cls, module: ModuleType) -> "_Words":
        patterns = {field.name: getattr(module, field.name.upper()) for field in fields(cls)}
        return cls(**{name: re.compile(way, re.IGNORECASE) for name, way in patterns.items()})


_ENGLISH = _Words.of(extract_en)
_CHINESE = _Words.of(extract_zh)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A turn as sentences. ``report`` is empty after a failed run; ``tasks`` are requests."""

    turn: Turn
    user: tuple[str, ...]
    report: tuple[str, ...]
    tasks: tuple[str, ...]


def from_turns(
    old: Checkpoint | None, turns: Sequence[Turn], *, ignore: tuple[str, ...] = ()
) -> Checkpoint | None:
    """What the turns, in order of time, say of the work; None where they say nothing of it.

    The objective is the last request for work of some substance, in the user's words, or the
    old one where what came after only goes on with it; where nothing else was asked for, the
    first trouble told ("the build fails on Windows"). Step, next action and blockers are what
    the last answers say, decisions (the latest three) what either side says; of failed runs the
    request alone counts, and is what is next. "Continue", short messages, questions, failures
    of logins and texts that hold one of ``ignore`` name no work. Unsurfaced results and
    ``extra`` are the old ones: what an answer told was seen. Fields are short, single lines
    without secrets; ``updated_at`` is the last turn's time.
    """
    said = [_read(turn, ignore) for turn in sorted(turns, key=lambda turn: turn.at)]
    if not said:
        return None
    before = old if old is not None and old.active else None
    objective, since = _objective(before, said)
    if not objective or is_poison(objective, ignore):
        return None
    same = before is not None and objective == before.objective
    recent = said[since:]
    new = Checkpoint(
        objective=objective,
        current_step=_step(recent),
        key_decisions=_decisions(before.key_decisions if same and before else (), recent),
        next_action=_next_action(recent),
        blockers=_blockers(recent),
    )
    if same and before is not None and _adds_nothing(before, new):
        return None
    told = replace(
        new,
        unsurfaced_results="" if old is None else old.unsurfaced_results,
        extra="" if old is None else old.extra,
        updated_at=said[-1].turn.at,
    )
    return canonical(told)


def _adds_nothing(before: Checkpoint, new: Checkpoint) -> bool:
    told = new.current_step or new.next_action or new.blockers
    return not told and new.key_decisions == before.key_decisions


def _read(turn: Turn, ignore: tuple[str, ...]) -> _Said:
    user = clean_prompt(turn.user)
    heard = not (is_poison(user, ignore) or asks_to_resume(user) is not None)
    asked = tuple(sentences(user)) if heard else ()
    answered = turn.success and not is_poison(turn.assistant, ignore)
    return _Said(
        turn=turn,
        user=asked,
        report=tuple(sentences(strip_own_blocks(turn.assistant))) if answered else (),
        tasks=tuple(filter(_is_task, asked)),
    )


def _words(sentence: str) -> _Words:
    return _CHINESE if has_cjk(sentence) else _ENGLISH


def _is_task(sentence: str) -> bool:
    words, said = _words(sentence), plain(sentence)
    pattern = words.request if asks(sentence) else words.task
    if pattern.match(said) is None or words.decided.match(said) or words.chosen.match(said):
        return False
    return len(content(sentence)) >= MIN_TASK_WORDS and not is_placeholder(sentence)


def _is_trouble(sentence: str) -> bool:
    found = _words(sentence).trouble.match(plain(sentence))
    return found is not None and len(content(sentence)) >= MIN_TASK_WORDS


def _objective(before: Checkpoint | None, said: Sequence[_Said]) -> tuple[str, int]:
    """The objective, and from which turn on it is the one."""
    objective = "" if before is None else before.objective
    since, last_answer = 0, ""
    for place, one in enumerate(said):
        task = next(iter(one.tasks), "")
        if not objective and not task:
            task = next(filter(_is_trouble, one.user), "")
        if task and not _goes_on(task, objective, last_answer):
            objective, since = _short(task), place
        last_answer = " ".join(one.report)
    return objective, since


def _goes_on(task: str, objective: str, last_answer: str) -> bool:
    """Whether the request is more about the work at hand, also where that has no name yet."""
    words = content(task)
    if len(words) <= MAX_POINTING_WORDS and _words(task).points_back.match(plain(task)):
        return True
    if not objective:
        return False
    enough = MIN_NEW_TASK_PAIRS if is_cjk(task) else MIN_NEW_TASK_WORDS
    if len(words) < enough or same_work(task, objective):
        return True
    if _words(task).follow_up.match(plain(task)) is not None:
        return True
    return len(words & (content(last_answer) | content(objective))) >= SHARED_WORDS


def _step(said: Sequence[_Said]) -> str:
    """What the last answer that reports anything reports, in at most two sentences."""
    for one in reversed(said):
        reports = [sentence for sentence in one.report if _reports(sentence)]
        first = next((n for n, sentence in enumerate(reports) if reports_done(sentence)), 0)
        if reports:
            return _short(" ".join(reports[first : first + STEP_SENTENCES]))
    return ""


def _reports(sentence: str) -> bool:
    words, said = _words(sentence), plain(sentence)
    if asks(sentence) or len(content(sentence)) < MIN_WORDS:
        return False
    if any(pattern.match(said) for pattern in (words.filler, words.next, words.decided)):
        return False
    if _blocks(sentence):
        return False
    return reports_done(sentence) or words.underway.search(said) is not None


def _next_action(said: Sequence[_Said]) -> str:
    last = said[-1]
    if not last.report and last.tasks:
        return _short(last.tasks[0])
    for place in range(len(said) - 1, max(-1, len(said) - 1 - LAST_TURNS), -1):
        planned = _planned(said[place].report)
        if planned:
            step = Checkpoint(next_action=planned, updated_at=said[place].turn.at)
            later = [one.turn for one in said[place + 1 :]]
            return "" if reported_done(step, later) is not None else planned
    return ""


def _planned(report: Sequence[str]) -> str:
    """The last step that is named as next and not told as done behind that.

    "I will" names one only where nothing is reported behind it: else it was the way there.
    """
    for place in range(len(report) - 1, -1, -1):
        found = _words(report[place]).next.match(plain(report[place]))
        if found is None:
            continue
        after = report[place + 1 :]
        if found.lastgroup == "plan" and any(map(_reports, after)):
            continue
        start, end = found.span(found.lastgroup or 0)
        planned = report[place][start:end].strip(" :：,，.。") or next(iter(after), "")
        if len(content(planned)) >= MIN_WORDS and not _is_told_done(planned, after):
            return _short(planned)
    return ""


def _is_told_done(planned: str, after: Sequence[str]) -> bool:
    turn = Turn(user="", assistant="\n".join(after), at=datetime.min.replace(tzinfo=UTC))
    return reported_done(Checkpoint(next_action=planned), [turn]) is not None


def _decisions(old: tuple[str, ...], said: Sequence[_Said]) -> tuple[str, ...]:
    """The latest; what only says again what was decided is no new one."""
    decisions = list(old)
    for one in said:
        chooses = len(one.user) <= MAX_CHOOSING_SENTENCES
        new = [sentence for sentence in one.user if _decides(sentence, chooses=chooses)]
        new += [sentence for sentence in one.report if _decides(sentence, chooses=False)]
        for sentence in new:
            if not any(content(sentence) <= content(decision) for decision in decisions):
                decisions.append(_short(sentence))
    return tuple(decisions[-MAX_DECISIONS:])


def _decides(sentence: str, *, chooses: bool) -> bool:
    words, said = _words(sentence), plain(sentence)
    chosen = chooses and words.chosen.match(said) is not None
    return (
        (chosen or words.decided.match(said) is not None)
        and words.undecided.search(said) is None
        and not asks(sentence)
        and len(content(sentence)) >= MIN_WORDS
    )


def _blockers(said: Sequence[_Said]) -> str:
    told = (sentence for one in reversed(said[-LAST_TURNS:]) for sentence in _both(one))
    return _short(next(filter(_blocks, told), ""))


def _both(said: _Said) -> Iterable[str]:
    return (*said.user, *said.report)


def _blocks(sentence: str) -> bool:
    words, said = _words(sentence), plain(sentence)
    return (
        words.blocked.match(said) is not None
        and words.unblocked.search(said) is None
        and not asks(sentence)
        and len(content(sentence)) >= MIN_WORDS
    )


def _short(sentence: str) -> str:
    line = redact(sentence).text
    return shortened(line, MAX_CJK_CHARS if is_cjk(line) else MAX_CHARS)
