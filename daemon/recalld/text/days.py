"""The days a text speaks of from its own day: today, yesterday, 三天前, last week. Pure."""

import re
from datetime import date, timedelta
from typing import NamedTuple

_NUMERALS = {numeral: number for number, numeral in enumerate("一二三四五六七八九十", start=1)}
_NUMERALS |= {"两": 2, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_COUNT = r"(?P<count>\d{1,3}|[一二两三四五六七八九十]|one|two|three|four|five|six|seven)"

# Longer words first where one holds another. What matched is cut out before the next is tried.
_DAYS_BACK = (
    (r"大前天", 3),
    (r"\bthe day before yesterday\b|前天|前日", 2),
    (r"\byesterday\b|\blast night\b|昨[天日晚夜]", 1),
    (r"\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|今[天日早晚]", 0),
)
_PATTERNS = tuple((re.compile(words, re.IGNORECASE), back) for words, back in _DAYS_BACK)
_AGO = re.compile(rf"\b{_COUNT} days? ago\b|{_COUNT.replace('count', 'cjk')}\s*天[之以]?前", re.I)
_LAST_WEEK = re.compile(r"\blast week\b|上(?:个)?(?:周|星期|礼拜)", re.IGNORECASE)


class Days(NamedTuple):
    """From the first day to the last, both included."""

    first: date
    last: date

    def hold(self, day: date) -> bool:
        return self.first <= day <= self.last


def days_of(text: str, today: date) -> Days | None:
    """The days that ``text`` names, from the earliest to the latest; None where it names none.

    ``today`` is the day of whoever says it, in their own zone. A week begins on Monday. What lies
    before year 1 is not named.
    """
    spans: list[tuple[int, int]] = []
    for found in _AGO.finditer(text):
        back = _number(found["count"] or found["cjk"])
        spans.append((back, back))
    left = _AGO.sub(" ", text)
    if _LAST_WEEK.search(left):
        spans.append((today.weekday() + 7, today.weekday() + 1))
    for pattern, back in _PATTERNS:
        left, times = pattern.subn(" ", left)
        if times:
            spans.append((back, back))
    if not spans:
        return None
    try:
        first = today - timedelta(days=max(start for start, _ in spans))
        return Days(first, today - timedelta(days=min(end for _, end in spans)))
    except OverflowError:
        return None


def _number(numeral: str) -> int:
    return _NUMERALS.get(numeral.lower()) or int(numeral)
