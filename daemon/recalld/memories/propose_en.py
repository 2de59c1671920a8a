"""What an English sentence says that is worth remembering. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recalld.memories import words_en as words
from recalld.memories.heard import Kind, Language, one_of
from recalld.text.tokens import query_tokens

# With fewer words a sentence says nothing by itself: "we decided", "I like it".
MIN_WORDS = 2
MIN_WORDS_AGENT = 3
# What points elsewhere says something only beside other words.
MIN_WORDS_POINTING = 4

_ASKS = re.compile(r"\?[\s\"'”’)]*$")
_BLOCKED = re.compile(words.BLOCKED)
_BLOCKED_AGENT = re.compile(words.BLOCKED_AGENT)
_TROUBLE = re.compile(words.TROUBLE)
_MENDED = re.compile(words.MENDED)
# What came of it was not all good.
_YET = re.compile(r"\b(?:still|but|however|although|though|except)\b")
_OTHERS = re.compile(words.OTHERS)
_POINTING = re.compile(words.POINTING)
_FUTURE = re.compile(words.FUTURE)
_LEAD = re.compile(f"{words.LEAD}|{words.WHEN_LEAD}")
_WHEN = re.compile(words.WHEN)
_LABEL = re.compile(words.LABEL)
_CLAUSE_END = re.compile(
    r"(?P<colon>:)\s+|[,;]\s+|\s+[—–-]+\s+|\s*—\s*|\s+(?:and|but|so|then)\s+(?=(?:i|we)\b)"
)

_LABELLED = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in zip(
        words.LABELLED, (Kind.DECISION, Kind.PLAN, Kind.PREFERENCE), strict=True
    )
)
_PREFERRED, _PREFERRED_ALONE = one_of(words.PREFERRED), one_of(words.PREFERRED_ALONE)
_DECIDED, _PLANNED = one_of(words.DECIDED), one_of(words.PLANNED)
_PLANNED_ALONE, _PLANNED_WHEN = one_of(words.PLANNED_ALONE), one_of(words.PLANNED_WHEN)
_DONE, _DONE_ALONE = one_of(words.DONE), one_of(words.DONE_ALONE)
_DECIDED_AGENT = one_of(words.DECIDED_AGENT)
_DONE_AGENT, _DONE_AGENT_ALONE = one_of(words.DONE_AGENT), one_of(words.DONE_AGENT_ALONE)
_DONE_AGENT_FIRST = one_of(words.DONE_AGENT_FIRST)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause without what leads to it, and ``rest``: it with all that follows. ``opens``:
    nothing but such leads stands before it. ``when``: a moment to come goes with it."""

    text: str
    rest: str
    opens: bool
    when: bool


def _of_user(masked: str, brief: bool) -> Kind | None:  # noqa: FBT001
    said = masked.lower()
    if _ASKS.search(said) or _BLOCKED.search(said):
        return None
    labelled = _labelled(_led(said)) if brief else None
    if labelled is not None:
        return labelled
    return next(
        (
            kind
            for clause in _clauses(said)
            if _says_enough(clause.rest)
            and (kind := _user(clause, said, alone=clause.opens and brief))
        ),
        None,
    )


def _user(clause: _Clause, said: str, *, alone: bool) -> Kind | None:
    text = clause.text
    if _PREFERRED.match(text) or (alone and _PREFERRED_ALONE.match(text)):
        return Kind.PREFERENCE
    if clause.when and _PLANNED_WHEN.match(text):
        return Kind.PLAN
    if _DECIDED.match(text):
        return Kind.DECISION
    if _PLANNED.match(text) or (alone and _PLANNED_ALONE.match(text)):
        return Kind.PLAN
    done = _DONE.match(text) or (alone and _is_ours(said) and _DONE_ALONE.match(text))
    return Kind.OUTCOME if done and _went_well(said) else None


def _of_agent(masked: str) -> Kind | None:
    said = masked.lower()
    if any(sign.search(said) for sign in (_ASKS, _BLOCKED, _BLOCKED_AGENT)):
        return None
    if _did(masked, said):
        return Kind.OUTCOME
    return next(
        (
            kind
            for clause in _clauses(said)
            if _says_enough(clause.rest, MIN_WORDS_AGENT) and (kind := _agent(clause, said))
        ),
        None,
    )


def _agent(clause: _Clause, said: str) -> Kind | None:
    if _DECIDED_AGENT.match(clause.text):
        return Kind.DECISION
    done = _DONE_AGENT.match(clause.text) or (
        clause.opens and _is_ours(said) and _DONE_AGENT_ALONE.match(clause.text)
    )
    return Kind.OUTCOME if done and _went_well(said) else None


def _did(masked: str, said: str) -> bool:
    """Whether it begins with what was done, without saying by whom."""
    begins = masked[:1].isupper() and _DONE_AGENT_FIRST.match(said) is not None
    return begins and _says_enough(said, MIN_WORDS_AGENT) and _went_well(said)


def _went_well(said: str) -> bool:
    if _YET.search(said):
        return False
    return _TROUBLE.search(said) is None or _MENDED.search(said) is not None


def _is_ours(said: str) -> bool:
    return _OTHERS.search(said) is None


def _says_enough(said: str, at_least: int = MIN_WORDS) -> bool:
    count = len(query_tokens(said))
    return count >= (MIN_WORDS_POINTING if _POINTING.search(said) else at_least)


def _labelled(said: str) -> Kind | None:
    return next((kind for pattern, kind in _LABELLED if pattern.match(said)), None)


def _clauses(said: str) -> Iterator[_Clause]:
    """Those that one's own words may be in: what follows a name and a colon is another's."""
    start, opens, before = 0, True, ""
    for end in (*_CLAUSE_END.finditer(said), None):
        raw = said[start : len(said) if end is None else end.start()]
        led = _led(raw)
        if led:
            when = _FUTURE.search(before + raw) is not None
            yield _Clause(led, led + said[start + len(raw) :], opens, when)
        if end is None or (end["colon"] and not _LABEL.fullmatch(led)):
            return
        opens = opens and (not led or bool(end["colon"]) or _WHEN.match(led) is not None)
        before = f"{before}{raw} " if opens else ""
        start = end.end()


def _led(clause: str) -> str:
    """Without what leads to the statement."""
    while found := _LEAD.match(clause):
        clause = clause[found.end() :]
    return clause


ENGLISH = Language(of_user=_of_user, of_agent=_of_agent)
