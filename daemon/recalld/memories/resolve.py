"""Whether a new memory reports that a plan or an activity is done. Pure.

Conservative: a plan left open costs one reminder, a plan closed by mistake is forgotten. So the
report has to say "done" in words that fit what was planned, of the same thing, without a no, a
not yet, a question or another subject. What was resolved can be made active again.
"""

import re

from recalld.memories import done_words as words
from recalld.memories.model import Memory, MemoryState, MemoryType
from recalld.memories.scale import REPORTED, Scale
from recalld.text.language import CJK_CLASS, has_cjk, is_cjk
from recalld.text.tokens import query_tokens, stem

REPORTS = frozenset({MemoryType.EVENT, MemoryType.CONTEXT})
OPEN_ENDED = frozenset({MemoryType.PLAN, MemoryType.ACTIVITY})
# Of the words of a plan, so many must be in a report that speaks of nothing else.
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
_NUMBER = re.compile(r"\d+(?:[.:-]\d+)*")
_NAME = re.compile(r"(?<=[\w,，;] )[A-Z][\w-]*|\b[A-Z]{2,}\b|\b\w*[a-z][A-Z]\w*|\b\w+[_./]\w+\b")
_ZH_DONE_AFTER = "(?:完|好|掉|成|到)?了"
_CJK_ONLY = re.compile(f"[{CJK_CLASS}]+")


def may_resolve(report: Memory, plan: Memory) -> bool:
    """Whether a report of its kind could close ``plan``, whatever the two say."""
    return (
        report.type in REPORTS
        and report.state is MemoryState.ACTIVE
        and plan.type in OPEN_ENDED
        and plan.state is MemoryState.ACTIVE
        and plan.owner == report.owner
        and plan.created_at <= report.created_at
        and not any(tag.casefold().startswith("cron:") for tag in plan.tags)
    )


def reports_done(report: str, plan: str, cosine: float, scale: Scale) -> bool:
    """Whether ``report`` says that ``plan`` is done. ``cosine`` is the engine's."""
    if scale.common(cosine) < REPORTED or _says_otherwise(report):
        return False
    aim = _DEADLINE.sub("", plan).strip() or plan
    fits = _fits_zh if has_cjk(report) else _fits_en
    return fits(report, aim) and _same_thing(report, aim)


def _says_otherwise(report: str) -> bool:
    blocked = _BLOCKED_EN.search(report) or _BLOCKED_ZH.search(report)
    return blocked is not None or _QUESTION.search(report) is not None


def _fits_en(report: str, plan: str) -> bool:
    said = {word.casefold() for word in _WORD.findall(report)}
    meant = [word.casefold() for word in _WORD.findall(plan)]
    if said & words.FINISHED_EN:
        return True
    first = next((w for w in meant if any(w in base for base, _ in words.ENGLISH)), None)
    if first is None:
        return False
    return any(first in base and said & done for base, done in words.ENGLISH)


def _fits_zh(report: str, plan: str) -> bool:
    if any(word in report for word in words.FINISHED_ZH):
        return True
    found = [(plan.find(b), -len(b), base, done) for base, done in words.CHINESE for b in base]
    first = min(((at, size, done) for at, size, _, done in found if at >= 0), default=None, key=_by)
    if first is None:
        return False
    return any(_done_zh(report, verb) for verb in first[2])


def _by(found: tuple[int, int, frozenset[str]]) -> tuple[int, int]:
    return found[0], found[1]


def _done_zh(report: str, verb: str) -> bool:
    ended = verb[-1] in "完好到" and len(verb) > 1
    after = rf"{verb}{_ZH_DONE_AFTER}" + (f"|{verb}" if ended else "")
    before = rf"(?:已经|已經|已|都)[^，。；,;]{{0,8}}?{verb}"
    return re.search(f"{after}|{before}", report) is not None


def _same_thing(report: str, plan: str) -> bool:
    """Whether the report is about what was planned: its names, its numbers, its words."""
    numbers = set(_NUMBER.findall(plan))
    names = {name.casefold() for name in _NAME.findall(plan)}
    if not numbers <= set(_NUMBER.findall(report)):
        return False
    if not all(name in report.casefold() for name in names):
        return False
    wanted, said = _things(plan), _things(report)
    missing, extra = wanted - said, said - wanted
    if not wanted or (missing and extra):
        return False
    share = COVERED_CJK if is_cjk(plan) else COVERED
    return len(wanted & said) >= share * len(wanted)


def _things(text: str) -> frozenset[str]:
    """The stems and pairs of characters that name things: no verbs of doing, no asides."""
    latin = {
        token
        for token in query_tokens(_CJK_ONLY.sub(" ", text))
        if token not in _VERB_STEMS and not token.isdigit()
    }
    return frozenset(latin | _cjk_pairs(text))


def _cjk_pairs(text: str) -> set[str]:
    plain = _ZH_VERBS.sub("\n", text)
    return {run[at : at + 2] for run in _CJK_ONLY.findall(plain) for at in range(len(run) - 1)}


_VERB_STEMS = frozenset(
    stem(word)
    for group in words.ENGLISH
    for word in (*group[0], *group[1], *words.FINISHED_EN, *words.ASIDE_EN)
)
_ZH_LIGHT = (
    "问题",
    "已经",
    "已經",
    "今天",
    "昨天",
    "周",
    "把",
    "给",
    "的",
    "了",
    "已",
    "都",
    "我们",
    "新",
)
_ZH_VERBS = re.compile(
    "|".join(
        sorted(
            {
                *(v + t for g in words.CHINESE for v in {*g[0], *g[1]} for t in ("", "好", "完")),
                *words.FINISHED_ZH,
                *_ZH_LIGHT,
            },
            key=lambda word: (-len(word), word),
        )
    )
)
