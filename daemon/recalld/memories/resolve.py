"""Whether a new memory reports that a plan or an activity is done. Pure.

Conservative: a plan left open costs one reminder, a plan closed by mistake is forgotten. So the
report has to say "done" in a word that fits what was planned, of the same thing and of nothing
else, without a no, a not yet, a question or a condition. What was resolved can be made active
again.
"""

import re
from collections.abc import Iterator

from recalld.memories import done_words as words
from recalld.memories.decay import is_scheduled
from recalld.memories.model import Memory, MemoryState, MemoryType
from recalld.memories.scale import REPORTED, Scale
from recalld.text.language import CJK_CLASS, has_cjk, is_cjk
from recalld.text.tokens import query_tokens, stem

REPORTS = frozenset({MemoryType.EVENT, MemoryType.CONTEXT})
PLANS = frozenset({MemoryType.PLAN, MemoryType.ACTIVITY})
# Longer texts speak of more than one thing.
MAX_CHARS = 400
# Of the words of a plan, so many must be in a report that has no others.
COVERED = 0.6
COVERED_CJK = 0.5

_WORD = re.compile(r"[A-Za-z]+")
_BLOCKED_EN = re.compile(rf"(?<![\w-])(?:{words.BLOCKED_EN})(?![\w-])|n't\b|\d\s*%", re.IGNORECASE)
_BLOCKED_ZH = re.compile(words.BLOCKED_ZH)
_QUESTION = re.compile(rf"[?？]|^{words.QUESTION_EN}|{words.QUESTION_ZH}", re.IGNORECASE)
_DEADLINE = re.compile(
    r"[,;]?\s+(?:before|by|until|within|no later than)\s.*$|^[^，,]{0,12}(?:之前|以前|前)[要得]?",
    re.IGNORECASE | re.DOTALL,
)
# How it was done, and where that can be read.
_MANNER = re.compile(
    r"[,;]?\s+(?:by\s+\w+ing|with|via|using|thanks to|in (?:pr|commit|version|branch|v\d|#))\b.*$"
    r"|\s*[(（][^()（）]*[)）]",
    re.IGNORECASE | re.DOTALL,
)
_NUMBER = re.compile(r"\d+(?:[.:-]\d+)*")
_NAME = re.compile(r"(?<=[\w,，;] )[A-Z][\w-]*|\b[A-Z]{2,}\b|\b\w*[a-z][A-Z]\w*|\b\w+[_./]\w+\b")
_CJK_RUN = re.compile(f"[{CJK_CLASS}]+")
_LIGHT_ZH = re.compile("|".join(words.LIGHT_ZH))
_ASIDES = frozenset(stem(word) for word in words.ASIDE_EN)
_BASES_ZH = tuple(verb for base, _ in words.CHINESE for verb in base if len(verb) > 1)


def may_resolve(report: Memory, plan: Memory) -> bool:
    """Whether a report of its kind could close ``plan``, whatever the two say."""
    return (
        report.type in REPORTS
        and report.state is MemoryState.ACTIVE
        and plan.type in PLANS
        and plan.state is MemoryState.ACTIVE
        and plan.owner == report.owner
        and plan.created_at <= report.created_at
        and not is_scheduled(plan)
    )


def reports_done(report: str, plan: str, cosine: float, scale: Scale) -> bool:
    """Whether ``report`` says that ``plan`` is done. ``cosine`` is the engine's."""
    if max(len(report), len(plan)) > MAX_CHARS or scale.common(cosine) < REPORTED:
        return False
    if any(sign.search(report) for sign in (_BLOCKED_EN, _BLOCKED_ZH, _QUESTION)):
        return False
    aim = _DEADLINE.sub("", plan).strip() or plan
    done = _MANNER.sub("", report).strip() or report
    if not _names_and_numbers(aim) <= _names_and_numbers(report):
        return False
    readings = _readings_zh if has_cjk(done) else _readings_en
    return any(_same_thing(said, meant) for said, meant in readings(done, aim))


def _readings_en(report: str, plan: str) -> Iterator[tuple[str, str]]:
    """What is said to be done and what was to be done, each without its verb."""
    first = next((m for m in _WORD.finditer(plan) if _groups_of(m.group())), None)
    verb = "" if first is None else first.group().casefold()
    fitting = words.FINISHED_EN.union(*(done for base, done in words.ENGLISH if verb in base))
    rest, count = (
        re.subn(_WORD, lambda m: "" if m.group().casefold() in fitting else m.group(), report),
        sum(word.casefold() in fitting for word in _WORD.findall(report)),
    )
    if count:
        meant = plan if first is None else plan[: first.start()] + plan[first.end() :]
        yield rest[0], meant


def _groups_of(word: str) -> bool:
    return any(word.casefold() in base for base, _ in words.ENGLISH)


def _readings_zh(report: str, plan: str) -> Iterator[tuple[str, str]]:
    """As in English; a verb may stand anywhere, and be a noun, so there are several."""
    for base, done in words.CHINESE:
        for verb in sorted(base & {v for v in base if v in plan}, key=len, reverse=True):
            for said in _without_done(report, done):
                yield said, plan.replace(verb, "\n", 1)
    for finished in words.FINISHED_ZH:
        if finished in report:
            said = re.sub(f"(?:已经|已經|已)?{finished}了?", "\n", report)
            yield said, plan
            for base, _ in words.CHINESE:
                yield from ((said, plan.replace(verb, "\n", 1)) for verb in base if verb in plan)


def _without_done(report: str, done: frozenset[str]) -> Iterator[str]:
    for verb in sorted(done, key=lambda word: (-len(word), word)):
        ended = len(verb) > 1 and verb[-1] in "完好到清"
        pattern = (
            rf"{verb}(?:完|好|掉|成|到)?了"
            + (f"|{verb}" if ended else "")
            + rf"|(?:已经|已經|已|都)(?={verb}|[^，。；,;]{{0,8}}?{verb}){verb}?"
        )
        if re.search(pattern, report):
            yield re.sub(f"{pattern}|{verb}", "\n", report)


def _same_thing(said: str, meant: str) -> bool:
    """Whether the report is about what was planned, and about nothing else."""
    wanted, found = _things(meant), _things(said)
    missing = wanted - found
    if not wanted or not found or found - wanted:
        return False
    if any(_groups_of(word) for word in missing) or any(v in missing for v in _BASES_ZH):
        return False
    share = COVERED_CJK if is_cjk(meant) else COVERED
    return len(wanted & found) >= share * len(wanted)


def _names_and_numbers(text: str) -> frozenset[str]:
    names = (name.casefold() for name in _NAME.findall(text))
    return frozenset({*_NUMBER.findall(text), *names})


def _things(text: str) -> frozenset[str]:
    """The stems and, in CJK, the pairs of characters that name things."""
    latin = (token for token in query_tokens(_CJK_RUN.sub(" ", text)) if not token.isdigit())
    runs = _CJK_RUN.findall(_LIGHT_ZH.sub("\n", text))
    pairs = {run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))}
    return frozenset({token for token in latin if token not in _ASIDES} | pairs)
