"""What a statement tells of the work: done, next, decided, in the way. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import StrEnum
from types import ModuleType

from recalld.continuity import extract_told_en, extract_told_zh
from recalld.continuity.likeness import content
from recalld.continuity.progress import reports_done
from recalld.continuity.statements import Statement, Topic
from recalld.continuity.wording import asks
from recalld.continuity.wording import plain as plain_of
from recalld.text.language import has_cjk

MIN_WORDS = 2


class Plan(StrEnum):
    """How surely something is told to come next, the surest first."""

    NAMED = "named"
    OPEN = "open"
    OFFERED = "offered"
    PLANNED = "planned"
    LISTED = "listed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One statement by what it tells; "" where it does not. Each is a piece of its ``text``.

    ``report`` is what may tell of the work done, to be weighed; ``plan`` says how ``planned``
    is told.
    """

    statement: Statement
    report: str = ""
    planned: str = ""
    plan: Plan | None = None
    decided: str = ""
    blocked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The patterns of a language."""

    next: re.Pattern[str]
    plan: re.Pattern[str]
    offer: re.Pattern[str]
    decided: re.Pattern[str]
    chosen: re.Pattern[str]
    undecided: re.Pattern[str]
    blocked: re.Pattern[str]
    unblocked: re.Pattern[str]
    stuck: re.Pattern[str]
    arrived: re.Pattern[str]
    cleared: re.Pattern[str]
    not_cleared: re.Pattern[str]
    for_user: re.Pattern[str]
    underway: re.Pattern[str]
    finding: re.Pattern[str]
    looked: re.Pattern[str]
    told: re.Pattern[str]
    bare: re.Pattern[str]
    supposed: re.Pattern[str]
    conditional: re.Pattern[str]
    filler: re.Pattern[str]
    polite: re.Pattern[str]
    clause: re.Pattern[str]
    order: re.Pattern[str]
    leading: re.Pattern[str]
    pending: re.Pattern[str]
    cancelled: re.Pattern[str]
    nothing_blocks: re.Pattern[str]
    machinery: re.Pattern[str]
    thanks: re.Pattern[str]
    asks_work: re.Pattern[str]
    marks: tuple[str, ...]

    @classmethod
    def of(cls, module: ModuleType) -> "Words":
        patterns = {
            f.name: getattr(module, f.name.upper()) for f in fields(cls) if f.name != "marks"
        }
        compiled = {name: re.compile(way, re.IGNORECASE) for name, way in patterns.items()}
        return cls(
            marks=(*module.PLAN_MARKS, *module.BLOCKED_MARKS, *module.DECIDED_MARKS), **compiled
        )

    def may_be_more(self, plain: str) -> bool:
        """Whether a sentence may be more than a report; a look, not a reading."""
        lower = plain.lower()
        return any(mark in lower for mark in self.marks)

    def clauses(self, plain: str) -> Iterator[tuple[int, int]]:
        """Where the clauses of a sentence begin and end."""
        begin = 0
        for found in self.clause.finditer(plain):
            if found.start() > begin:
                yield begin, found.start()
            begin = found.end()
        if begin < len(plain):
            yield begin, len(plain)


_ENGLISH = Words.of(extract_told_en)
_CHINESE = Words.of(extract_told_zh)
_ENDS = " \t:：,，;；.。"
# "1) this 2) that" on one line: the first is next.
_FIRST_OF_LINE = re.compile(r"\(?(?:1[.)）]|①)\s*(?P<first>.+?)[,，;；]?\s*(?:\(?2[.)）]|②).*")
_TAIL = re.compile(r",? next$", re.IGNORECASE)


def words_of(text: str) -> Words:
    """By script alone: one Chinese character makes it Chinese."""
    return _CHINESE if has_cjk(text) else _ENGLISH


def tell(one: Statement) -> Told:
    """What a statement tells. Questions tell nothing but an offer."""
    words = words_of(one.plain)
    if asks(one.text):
        offered = words.offer.match(one.plain) is not None
        return (
            Told(statement=one, planned=one.text, plan=Plan.OFFERED)
            if offered
            else Told(statement=one)
        )
    match one.topic:
        case Topic.NEXT:
            told = Told(statement=one, planned=_without_lead(one, words), plan=Plan.NAMED)
        case Topic.DECIDED:
            none = one.leads or words.pending.fullmatch(one.plain) is not None
            told = Told(statement=one, decided="" if none else one.text)
        case Topic.BLOCKED:
            told = Told(statement=one, blocked="" if one.leads else one.text)
        case Topic.PLAN if one.item and not one.leads:
            told = Told(statement=one, planned=_bare(one.text), plan=Plan.LISTED)
        case _ if one.item and one.ticked is False:
            told = Told(statement=one, planned=_bare(one.text), plan=Plan.OPEN)
        case _:
            told = _by_clauses(one, words)
    return told


def weigh(told: Told, *, asked: bool) -> int:
    """How much the report says: 0 nothing, 1 looked around or named in a heading, 2 under way,
    3 done or found out, 4 said to be the state.

    ``asked``: it answers a question, so only what it says of acts of the agent counts.
    """
    one = told.statement
    plain = one.plain[: len(told.report)]
    words = words_of(one.plain)
    if is_bare(told):
        return 3
    if not plain or any(way.match(plain) for way in (words.filler, words.conditional)):
        return 0
    if len(content(told.report)) < MIN_WORDS:
        return 0
    clauses = (plain[slice(*clause)] for clause in words.clauses(plain))
    weight = max((_clause_weight(clause, words, asked=asked) for clause in clauses), default=0)
    return _weight_at(one, weight)


def _weight_at(one: Statement, weight: int) -> int:
    """The weight of a report where it stands."""
    if one.heading:
        return min(weight, 1)
    if one.topic is Topic.STATUS and not one.item:
        return 4 if weight > 1 else 2
    if one.ticked and not one.item:
        return max(weight, 3)
    return max(weight, 2 if one.topic is Topic.DONE else int(one.ticked or False))


def is_bare(told: Told) -> bool:
    """Whether it says that something is done and not what."""
    return words_of(told.report).bare.fullmatch(told.report) is not None


def offers(text: str) -> bool:
    """Whether a step is what an agent asked to be allowed."""
    return asks(text) and words_of(text).offer.match(plain_of(text)) is not None


def _by_clauses(one: Statement, words: Words) -> Told:
    if one.heading or not words.may_be_more(one.plain):
        return Told(statement=one, report=one.text)
    found: dict[str, str] = {}
    plan: Plan | None = None
    for piece in _pieces(one.plain, words):
        text = one.text[piece.start : piece.end].rstrip(" ,，;；")
        if not text:
            continue
        if isinstance(piece.kind, Plan):
            plan = plan or piece.kind
            found.setdefault("planned", _bare(text))
        else:
            found.setdefault(piece.kind, text)
    return Told(statement=one, plan=plan, **found)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Clauses of one kind; ``start`` is where the words behind its lead begin."""

    kind: str | Plan
    start: int
    end: int


def _pieces(plain: str, words: Words) -> Iterator[_Piece]:
    """Runs of clauses: a clause that is of no kind of its own goes on with the one in front."""
    kind: str | Plan = "report"
    start = at = 0
    for begin, end in words.clauses(plain):
        told = _kind(plain, begin, end, words)
        if told is not None and (told[0] != kind or begin == 0):
            if begin > start:
                yield _Piece(kind, start, at)
            kind, start = told
        at = end
    yield _Piece(kind, start, len(plain))


def _kind(plain: str, begin: int, end: int, words: Words) -> tuple[str | Plan, int] | None:
    """What a clause is but a report, and where its own words begin."""
    supposed = begin > 0 and _is_supposed(plain[:begin], words)
    named = _begins_plan(words.next, plain, begin)
    if named is not None and not supposed:
        return Plan.NAMED, named
    if begin == 0 and words.offer.match(plain) is not None:
        return Plan.OFFERED, begin
    if (blocked := words.blocked.search(plain, begin, end)) is not None:
        before = plain[begin : blocked.start()]
        over = words.unblocked.search(plain, begin, end) or reports_done(before)
        if not (over or words.machinery.search(plain, begin, end) or _is_supposed(before, words)):
            stuck = words.stuck.match(plain, begin)
            return "blocked", begin if stuck is None else stuck.end()
    decided = words.decided.search(plain, begin, end)
    if decided is not None and words.undecided.search(plain, 0, decided.end()) is None:
        return "decided", begin
    planned = _begins_plan(words.plan, plain, begin)
    if planned is not None and not supposed:
        return Plan.PLANNED, planned
    return None


def _is_supposed(before: str, words: Words) -> bool:
    return bool(words.supposed.search(before) or words.conditional.match(before))


def _begins_plan(pattern: re.Pattern[str], plain: str, begin: int) -> int | None:
    """Where what is planned begins, if the clause plans."""
    found = pattern.match(plain, begin)
    return None if found is None else found.start(found.lastgroup or 0)


def _clause_weight(clause: str, words: Words, *, asked: bool) -> int:
    if words.supposed.search(clause) or (asked and not words.told.search(clause)):
        return 0
    if words.looked.match(clause):
        return 1
    if words.finding.search(clause) or reports_done(clause):
        return 3
    return 2 if words.underway.search(clause) and not words.order.match(clause) else 0


def _without_lead(one: Statement, words: Words) -> str:
    """A step without "I will" in front of it."""
    for pattern in (words.next, words.plan):
        found = pattern.match(one.plain)
        if found is not None and found.lastgroup is not None:
            return _bare(one.text[slice(*found.span(found.lastgroup))])
    return _bare(one.text)


def _bare(text: str) -> str:
    first = _FIRST_OF_LINE.match(text)
    return _TAIL.sub("", (text if first is None else first["first"]).strip(_ENDS))
