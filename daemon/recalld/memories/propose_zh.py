"""What a Chinese sentence says that is worth remembering. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recalld.memories import words_zh as words
from recalld.memories.heard import Kind, Language, one_of
from recalld.text.language import CJK_CLASS
from recalld.text.tokens import query_tokens

# With less a sentence says nothing by itself; a word in Latin letters counts for three.
MIN_CHARS = 6
MIN_CHARS_AGENT = 8
MIN_CHARS_POINTING = 12
LATIN_CHARS = 3

_ASKS = re.compile(r"[?？][\s\"'”’)）」』]*$")
_BLOCKED = re.compile(words.BLOCKED)
_BLOCKED_AGENT = re.compile(words.BLOCKED_AGENT)
_TROUBLE = re.compile(words.TROUBLE)
_MENDED = re.compile(words.MENDED)
# What came of it was not all good.
_YET = re.compile(r"仍|但|不过|可是|可惜|然而|除了|又坏")
_OTHERS = re.compile(words.OTHERS)
_POINTING = re.compile(words.POINTING)
_FUTURE = re.compile(words.FUTURE)
_LEAD = re.compile(words.LEAD)
_LABEL = re.compile(words.LABEL)
_CLAUSE_END = re.compile(r"(?P<colon>[:：])|[，,；;]|——|—")
_CJK = re.compile(f"[{CJK_CLASS}]")
_CJK_RUN = re.compile(f"[{CJK_CLASS}]+")

_LABELLED = (
    (re.compile(words.LABELLED_DECIDED), Kind.DECISION),
    (re.compile(words.LABELLED_PLANNED), Kind.PLAN),
    (re.compile(words.LABELLED_PREFERRED), Kind.PREFERENCE),
)
_WE = re.compile(words.WE)
_SUBJECT = f"{words.WE}{words.ADVERBS}"
_TOPICAL = f"{words.TOPIC}{_SUBJECT}"
_NOBODY = words.ADVERBS

_DECIDED = (one_of(words.DECIDED, before=_TOPICAL), one_of(words.DECIDED, before=_NOBODY))
_PLANNED = (one_of(words.PLANNED, before=_TOPICAL), one_of(words.PLANNED, before=_NOBODY))
_DECIDED_USER = one_of(words.DECIDED_USER)
_PLANNED_ALONE = one_of(words.PLANNED_ALONE)
_PLANNED_WHEN = one_of(words.PLANNED_WHEN, before=_SUBJECT)
_PLANNED_WHEN_ALONE = one_of(words.PLANNED_WHEN_ALONE)
_REMIND, _ALWAYS_SO = re.compile(words.REMIND), re.compile(words.ALWAYS_SO)
_DECIDED_THEN = one_of((words.DECIDED_THEN,), before=f"(?:{words.WE})?{words.ADVERBS}")
_PREFERRED = one_of(words.PREFERRED, before=_SUBJECT)
_PREFERRED_ALONE = one_of(words.PREFERRED_ALONE)
_DONE, _DONE_ALONE = one_of(words.DONE, before=f"{words.TOPIC}{words.WE}"), one_of(words.DONE_ALONE)
_DECIDED_AGENT = one_of(words.DECIDED_AGENT, before=_SUBJECT)
_DONE_AGENT = one_of(words.DONE_AGENT, before=words.WE)
_DONE_AGENT_ALONE = one_of(words.DONE_AGENT_ALONE)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause without what leads to it. ``free``: no other subject was named before it, so one
    that names none speaks of the speaker. ``when``: it begins with a moment to come. ``last``:
    nothing follows."""

    text: str
    free: bool
    when: bool
    last: bool


def _of_user(masked: str, brief: bool) -> Kind | None:  # noqa: FBT001
    said = words.simplified(masked)
    if _ASKS.search(said) or _BLOCKED.search(said) or not _says_enough(said):
        return None
    whole = _whole(said) if brief else None
    if whole is not None:
        return whole
    return next(
        (kind for clause in _clauses(said) if (kind := _user(clause, said, brief=brief))), None
    )


def _user(clause: _Clause, said: str, *, brief: bool) -> Kind | None:
    text, alone = clause.text, brief and clause.free and _is_ours(clause.text)
    if _PREFERRED.match(text) or (alone and _PREFERRED_ALONE.match(text)):
        return Kind.PREFERENCE
    if _decides(clause, alone=alone):
        return Kind.DECISION
    if _plans(clause, said, alone=alone):
        return Kind.PLAN
    done = _DONE.match(text) or (alone and _DONE_ALONE.match(text))
    return Kind.OUTCOME if done and _went_well(said) else None


def _decides(clause: _Clause, *, alone: bool) -> bool:
    text = clause.text
    if _DECIDED[0].match(text) or (clause.free and _DECIDED_THEN.fullmatch(text)):
        return not (clause.last and _DECIDED_THEN.fullmatch(text))
    return alone and any(each.match(text) for each in (_DECIDED[1], _DECIDED_USER))


def _plans(clause: _Clause, said: str, *, alone: bool) -> bool:
    text = clause.text
    if _PLANNED[0].match(text) or (_PLANNED_WHEN.match(text) and _FUTURE.search(said)):
        return True
    if not alone:
        return False
    timed = clause.when and _PLANNED_WHEN_ALONE.match(text) is not None
    return timed or any(each.match(text) for each in (_PLANNED[1], _PLANNED_ALONE))


def _of_agent(masked: str) -> Kind | None:
    said = words.simplified(masked)
    if any(sign.search(said) for sign in (_ASKS, _BLOCKED, _BLOCKED_AGENT)):
        return None
    if not _says_enough(said, MIN_CHARS_AGENT):
        return None
    return next((kind for clause in _clauses(said) if (kind := _agent(clause, said))), None)


def _agent(clause: _Clause, said: str) -> Kind | None:
    if _DECIDED_AGENT.match(clause.text):
        return Kind.DECISION
    alone = clause.free and _is_ours(clause.text)
    done = _DONE_AGENT.match(clause.text) or (alone and _DONE_AGENT_ALONE.match(clause.text))
    return Kind.OUTCOME if done and _went_well(said) else None


def _went_well(said: str) -> bool:
    if _YET.search(said):
        return False
    return _TROUBLE.search(said) is None or _MENDED.search(said) is not None


def _is_ours(text: str) -> bool:
    return _OTHERS.search(text) is None


def _says_enough(said: str, at_least: int = MIN_CHARS) -> bool:
    latin = query_tokens(_CJK_RUN.sub(" ", said))
    count = len(_CJK.findall(said)) + LATIN_CHARS * len(latin)
    return count >= (MIN_CHARS_POINTING if _POINTING.search(said) else at_least)


def _whole(said: str) -> Kind | None:
    """What it says as a whole, whatever its clauses say."""
    if _REMIND.search(said):
        return Kind.PLAN
    if _ALWAYS_SO.search(said):
        return Kind.PREFERENCE
    led = _led(said)
    return next((kind for pattern, kind in _LABELLED if pattern.match(led)), None)


def _clauses(said: str) -> Iterator[_Clause]:
    """Those that one's own words may be in: what follows a name and a colon is another's."""
    start, free = 0, True
    for end in (*_CLAUSE_END.finditer(said), None):
        text = said[start : len(said) if end is None else end.start()].strip()
        led = _led(text)
        if led:
            when = _FUTURE.search(text[: len(text) - len(led)]) is not None
            yield _Clause(led, free, when, end is None)
        if end is None or (end["colon"] and not _LABEL.fullmatch(text)):
            return
        free = free and (not led or bool(end["colon"]) or _speaks_of_us(led))
        start = end.end()


def _speaks_of_us(clause: str) -> bool:
    return any(each.match(clause) for each in (_WE, _DECIDED_THEN))


def _led(clause: str) -> str:
    """Without what leads to the statement."""
    while found := _LEAD.match(clause):
        clause = clause[found.end() :]
    return clause.rstrip("。.!！ ")


CHINESE = Language(of_user=_of_user, of_agent=_of_agent)
