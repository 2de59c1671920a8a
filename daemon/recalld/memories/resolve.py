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
from recalld.text.language import CJK_CLASS, has_cjk
from recalld.text.tokens import query_tokens, stem

REPORTS = frozenset({MemoryType.EVENT, MemoryType.CONTEXT})
PLANS = frozenset({MemoryType.PLAN, MemoryType.ACTIVITY})
# Longer texts speak of more than one thing.
MAX_CHARS = 400

_WORD = re.compile(r"[A-Za-z]+")
_BLOCKED_EN = re.compile(rf"(?<![\w-])(?:{words.BLOCKED_EN})(?![\w-])|n't\b|\d\s*%", re.IGNORECASE)
_BLOCKED_ZH = re.compile(words.BLOCKED_ZH)
_QUESTION = re.compile(rf"[?？]|^{words.QUESTION_EN}|{words.QUESTION_ZH}", re.IGNORECASE)
# Until when and what for: a report may repeat it or not.
_PURPOSE = re.compile(
    r"[,;]?\s+(?:before|by|until|within|no later than|for)\s.*$"
    r"|^[^，,]{0,12}(?:之前|以前|前)[要得]?",
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
_CJK_OR_NOT = re.compile(f"[{CJK_CLASS}]+|[^{CJK_CLASS}]+")
# What is done to which depends on the order.
_DIRECTION = re.compile(
    r"\b(?:from|to|into|onto|over|instead|than|against)\b|[从從比]", re.IGNORECASE
)
_LIGHT_ZH = re.compile("|".join(words.LIGHT_ZH))
_ASIDES = frozenset(stem(word) for word in words.ASIDE_EN)


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
    done = report if _MANNER.search(plan) else _MANNER.sub("", report).strip() or report
    aims = dict.fromkeys((plan, _PURPOSE.sub("", plan).strip() or plan))
    return any(_closes(done, aim) for aim in aims)


def _closes(report: str, plan: str) -> bool:
    if not _names_and_numbers(plan) <= _names_and_numbers(report):
        return False
    readings = _readings_zh if has_cjk(report) else _readings_en
    return any(_same_thing(said, meant) for said, meant in readings(report, plan))


def _readings_en(report: str, plan: str) -> Iterator[tuple[str, str]]:
    """What is said to be done and what was to be done, each without its verb."""
    first = next((m for m in _WORD.finditer(plan) if _groups_of(m.group())), None)
    verb = "" if first is None else first.group().casefold()
    fitting = words.FINISHED_EN.union(*(done for base, done in words.ENGLISH if verb in base))
    said, count = _without_words(report, fitting)
    if count:
        yield said, plan if first is None else plan[: first.start()] + plan[first.end() :]


def _without_words(text: str, gone: frozenset[str]) -> tuple[str, int]:
    """The text without these words, and how many there were."""
    found = [match for match in _WORD.finditer(text) if match.group().casefold() in gone]
    for match in reversed(found):
        text = text[: match.start()] + text[match.end() :]
    return text, len(found)


def _groups_of(word: str) -> bool:
    return any(word.casefold() in base for base, _ in words.ENGLISH)


def _readings_zh(report: str, plan: str) -> Iterator[tuple[str, str]]:
    """As in English; a verb may stand anywhere, and be a noun, so there are several."""
    for base, done in words.CHINESE:
        for verb in sorted(base, key=lambda word: (-len(word), word)):
            for said in _without_done(report, done) if verb in plan else ():
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
            + rf"|(?:已经|已經|已|都)(?=[^，。；,;]{{0,16}}?{verb})"
        )
        if re.search(pattern, report):
            yield re.sub(f"{pattern}|{verb}", "\n", report)


def _same_thing(said: str, meant: str) -> bool:
    """Whether both name the same things: one more or less is another matter, or a part of it."""
    wanted, found = _things(meant), _things(said)
    if _DIRECTION.search(meant):
        return bool(wanted) and wanted == found
    return bool(wanted) and set(wanted) == set(found)


def _names_and_numbers(text: str) -> frozenset[str]:
    names = (name.casefold() for name in _NAME.findall(text))
    return frozenset({*_NUMBER.findall(text), *names})


def _things(text: str) -> tuple[str, ...]:
    """The stems and, in CJK, the pairs of characters that name things, in order, each once."""
    found: dict[str, None] = {}
    for part in _CJK_OR_NOT.findall(_LIGHT_ZH.sub("\n", text)):
        if _CJK_RUN.match(part):
            found |= {part[at : at + 2]: None for at in range(max(1, len(part) - 1))}
        else:
            tokens = query_tokens(part)
            found |= {t: None for t in tokens if not t.isdigit() and t not in _ASIDES}
    return tuple(found)
