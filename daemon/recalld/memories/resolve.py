"""Whether a new memory reports that a plan or an activity is done. Pure.

Conservative: a plan left open costs one reminder, a plan closed by mistake is forgotten. So the
report has to say "done" in a word that fits what was planned, of the same thing and of nothing
else, without a no, a not yet, a question or a condition. What was resolved can be made active
again.
"""

import re
from collections.abc import Iterator, Sequence

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
# Who did it, in front of what it was done to.
_WHO = re.compile(
    r"^\w+ (?:has |have )?"
    rf"(?:(?:{words.TO_PEOPLE_EN})(?!\w)"
    r"|[a-z]+ (?=(?:the|a|an|our|my|his|her|their|all|[A-Z]\w*|\w+'s)(?!\w)))"
)
_PLAIN_WORD = re.compile(r"[\w-]+")
_BLOCKED_EN = re.compile(rf"(?<![\w-])(?:{words.BLOCKED_EN})(?![\w-])|n't\b|\d\s*%", re.IGNORECASE)
_BLOCKED_ZH = re.compile(words.BLOCKED_ZH)
_QUESTION = re.compile(rf"[?？]|^{words.QUESTION_EN}|{words.QUESTION_ZH}", re.IGNORECASE)
# Until when and what for: a report may repeat it or not.
_PURPOSE = re.compile(
    r"[,;]?\s+(?:before|by|until|within|no later than|for)\s.*$"
    r"|^[^，,]{0,12}(?:之前|以前|前)[要得]?",
    re.IGNORECASE | re.DOTALL,
)
# A lookbehind is of one length.
_NOT_TAKEN = "".join(rf"(?<!{word})" for word in words.TAKEN_EN.split("|"))
# How it was done, by whom, and where that can be read.
_MANNER = re.compile(
    rf"{_NOT_TAKEN}[,;]?\s+by\s+(?!{words.DAY_EN})(?-i:[A-Z]\w+)\s*[.!]?$"
    r"|[,;]?\s+(?:by\s+\w+ing|with|via|using|thanks to|in (?:pr|commit|version|branch|v\d|#))\b.*$"
    r"|\s*[(（][^()（）]*[)）]",
    re.IGNORECASE | re.DOTALL,
)
# What follows a report is another matter, and leaves it a report.
_FIRST = re.compile(r"^[^,;:，；：]+(?=[,;:，；：])")
_NUMBER = re.compile(r"\d+(?:[.:-]\d+)*")
_NAME = re.compile(r"(?<=[\w,，;] )[A-Z][\w-]*|\b[A-Z]{2,}\b|\b\w*[a-z][A-Z]\w*|\b\w+[_./]\w+\b")
_CJK_RUN = re.compile(f"[{CJK_CLASS}]+")
_CJK_OR_NOT = re.compile(f"[{CJK_CLASS}]+|[^{CJK_CLASS}]+")
# What is done to which depends on the order.
_DIRECTION = re.compile(
    r"\b(?:from|to|into|onto|over|instead|than|against)\b|[从從比]", re.IGNORECASE
)
_DAY = re.compile(rf"\b(?:{words.DAY_EN})\b|(?:周|星期|礼拜|禮拜)[一二三四五六日天]", re.IGNORECASE)
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
    said = _without_trouble(report, plan)
    if any(sign.search(said) for sign in (_BLOCKED_EN, _BLOCKED_ZH, _QUESTION)):
        return False
    if days_of(report) and not days_of(plan) <= days_of(report):
        return False
    done = report if _MANNER.search(plan) else _MANNER.sub("", report).strip() or report
    first = _FIRST.match(done)
    reports = dict.fromkeys((done, done if first is None else first.group().strip()))
    aims = dict.fromkeys((plan, _PURPOSE.sub("", plan).strip() or plan))
    return any(_closes(each, aim) for each in reports for aim in aims)


def days_of(text: str) -> frozenset[str]:
    """The days of the week it names, each in one spelling."""
    return frozenset(_day(match.group()) for match in _DAY.finditer(text))


def meant(report: str, plans: Sequence[Memory]) -> tuple[Memory, ...]:
    """Of the plans that ``report`` reports done, those it must mean.

    It need not say on which day that was to be; where plans of several days are left then, it may
    mean any of them, and closes none.
    """
    days = {plan.id: days_of(plan.content) for plan in plans}
    if days_of(report) or len({named for named in days.values() if named}) < 2:
        return tuple(plans)
    return tuple(plan for plan in plans if not days[plan.id])


def _day(name: str) -> str:
    return name[:3].casefold() if name.isascii() else name[-1].replace("天", "日")


def _without_trouble(report: str, plan: str) -> str:
    """The report without the words of trouble that the plan has: what failed may be mended."""
    for word in (*words.TROUBLE_EN, *words.TROUBLE_ZH):
        if word in plan.casefold():
            # In front of the particle it is how it came out.
            report = re.sub(rf"(?<![A-Za-z]){word}(?![A-Za-z了])", " ", report, flags=re.I)
    return report


def _closes(report: str, plan: str) -> bool:
    named = {word.casefold() for word in _PLAIN_WORD.findall(_spaced(_WHO.sub("", report)))}
    if not _names_and_numbers(plan) <= named | _names_and_numbers(report):
        return False
    readings = _readings_zh if has_cjk(report) or has_cjk(plan) else _readings_en
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
    """As in English; a verb may stand anywhere, and be a noun, so there are several. Of those who
    mix both, either language may have the verb."""
    for (base, done), english in zip(words.CHINESE, words.ENGLISH, strict=True):
        meant = [plan.replace(verb, "\n", 1) for verb in _longest_first(base) if verb in plan]
        verb = _one_of(english[0])
        meant += [re.sub(verb, "\n", plan, count=1)] if re.search(verb, plan) else []
        if meant:
            for said in (*_without_done(report, done), *_without_english(report, english)):
                yield from ((said, each) for each in meant)
    for finished in words.FINISHED_ZH:
        if finished in report:
            said = re.sub(f"(?:已经|已經|已)?{finished}了?", "\n", report)
            yield said, plan
            for base, _ in words.CHINESE:
                yield from ((said, plan.replace(verb, "\n", 1)) for verb in base if verb in plan)


def _without_english(report: str, group: words.Group) -> Iterator[str]:
    """An English verb in a Chinese sentence: done by its form, or as a Chinese one is."""
    base, done = group
    pattern = (
        rf"{_one_of(done - base)}\s*了?|{_one_of(base)}\s*(?:完|好|掉)?\s*了"
        rf"|(?:已经|已經|已|都)\s*{_one_of(base)}"
    )
    if re.search(pattern, report):
        yield re.sub(pattern, "\n", report)


def _one_of(verbs: frozenset[str]) -> str:
    return rf"(?i:(?<![A-Za-z])(?:{'|'.join(_longest_first(verbs))})(?![A-Za-z]))"


def _longest_first(verbs: frozenset[str]) -> list[str]:
    return sorted(verbs, key=lambda word: (-len(word), word))


def _without_done(report: str, done: frozenset[str]) -> Iterator[str]:
    for verb in _longest_first(done):
        ended = len(verb) > 1 and verb[-1] in "完好到清"
        pattern = (
            rf"{verb}(?:完|好|掉|成|到)?了"
            + (f"|{verb}" if ended else "")
            + (rf"|{verb}(?=[^，。；,;]{{1,16}}了\s*[。.!！]?\s*\Z)" if len(verb) > 1 else "")
            + rf"|(?:已经|已經|已|都)(?=[^，。；,;]{{0,16}}?{verb})"
        )
        if re.search(pattern, report):
            yield re.sub(f"{pattern}|{verb}", "\n", report)


def _same_thing(said: str, meant: str) -> bool:
    """Whether both name the same things: one more or less is another matter, or a part of it."""
    wanted, found = _things(meant), _things(said)
    if not wanted and not found:
        # A ticket or a pull request is named by its number alone; that was compared.
        return _NUMBER.search(meant) is not None
    if _DIRECTION.search(meant):
        return bool(wanted) and wanted == found
    return bool(wanted) and set(wanted) == set(found)


def _names_and_numbers(text: str) -> frozenset[str]:
    spaced = _DAY.sub(" ", _spaced(text))
    names = (name.casefold() for name in _NAME.findall(spaced))
    return frozenset({*_NUMBER.findall(spaced), *names})


def _spaced(text: str) -> str:
    """Chinese is written up to the very letter of a name or a number."""
    return _CJK_RUN.sub("，", text) if has_cjk(text) else text


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
