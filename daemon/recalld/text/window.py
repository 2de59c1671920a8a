"""The time a question speaks of, from its own day: yesterday, 三天前, in early May 2023. Pure."""

import calendar
import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from recalld.text.dates import PartialDate, dates_in

_NUMERALS = {numeral: number for number, numeral in enumerate("一二三四五六七八九十", start=1)}
_NUMERALS |= {"两": 2, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_NUMERALS |= {"eight": 8, "nine": 9, "ten": 10, "a": 1, "an": 1, "couple": 2, "few": 3}
_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten"
_CJK_COUNT = r"\d{1,3}|[一二两三四五六七八九十]"
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_UNIT_DAYS |= {"天": 1, "周": 7, "星期": 7, "月": 30, "年": 365}

# Longer words first where one holds another. What matched is cut out before the next is tried.
_DAYS_BACK = (
    (r"大前天", 3),
    (r"\bthe day before yesterday\b|前天|前日", 2),
    (r"\byesterday\b|\blast night\b|昨[天日晚夜]", 1),
    (r"\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|今[天日早晚]", 0),
)
_PATTERNS = tuple((re.compile(words, re.IGNORECASE), back) for words, back in _DAYS_BACK)
_AGO = re.compile(
    rf"\b(?:a )?(?P<count>\d{{1,3}}|{_WORDS}|an?|couple|few) (?:of )?"
    rf"(?P<unit>day|week|month|year)s? ago\b"
    rf"|(?P<cjk>{_CJK_COUNT})\s*个?(?P<cjkunit>天|周|星期|月|年)[之以]?前",
    re.IGNORECASE,
)
_PAST = re.compile(
    rf"\b(?:past|last) (?:(?P<count>\d{{1,3}}|{_WORDS}|few|couple of) )?"
    rf"(?P<unit>day|week|month)s\b"
    rf"|(?:最近|过去)(?P<cjk>{_CJK_COUNT})\s*个?(?P<cjkunit>天|周|星期|月)",
    re.IGNORECASE,
)
_LAST_WEEK = re.compile(r"\blast week\b|上(?:个)?(?:周|星期|礼拜)", re.IGNORECASE)
_THIS_WEEK = re.compile(r"\bthis week\b|这(?:个)?(?:周|星期|礼拜)|本周", re.IGNORECASE)
_LAST_MONTH = re.compile(r"\blast month\b|上个?月", re.IGNORECASE)
_THIS_MONTH = re.compile(r"\bthis month\b|这个?月|本月", re.IGNORECASE)
_LAST_YEAR = re.compile(r"\blast year\b|去年", re.IGNORECASE)
_OPENING = re.compile(
    r"\b(?:first|very first) (?:chat|conversation|talk|session)\b|第一次(?:对话|聊天|交流|聊)",
    re.IGNORECASE,
)
_SEASON = re.compile(
    r"\b(?P<season>spring|summer|autumn|fall|winter)(?: of)?,? (?P<year>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_SEASON_MONTHS = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11)}
_YEAR = re.compile(r"\b(?:in|during|of|since|by) (?P<year>(?:19|20)\d\d)\b", re.IGNORECASE)
_EARLY = re.compile(r"(?:\bearly|\b(?:beginning|start) of)\W*\Z", re.IGNORECASE)
_MIDDLE = re.compile(r"(?:\bmid|\bmiddle of)\W*\Z", re.IGNORECASE)
_LATE = re.compile(r"(?:\blate|\bend of)\W*\Z", re.IGNORECASE)
_BEFORE_CHARS = 16
# A leap year stands for every year.
_ANY_YEAR = 2000
# Counted in weeks or longer, a day is not meant to the day: 10 weeks ago is 8 to 12.
_LOOSENESS = 5


class Window(NamedTuple):
    """From the first day to the last, both included.

    ``yearly``: a day without its year, which is every year's; first and last are those of 2000.
    ``opening``: the first day there is, whatever day that was; first and last say nothing.
    """

    first: date
    last: date
    yearly: bool = False
    opening: bool = False

    def hold(self, day: date) -> bool:
        return self.away(day) == 0

    def away(self, day: date) -> int:
        """Days between ``day`` and the window, 0 inside; to the nearest year's where yearly."""
        if not self.yearly:
            return _away(self.first, self.last, day)
        years = (day.year + step for step in (-1, 0, 1) if 1 <= day.year + step <= date.max.year)
        return min(
            _away(_in_year(self.first, year), _in_year(self.last, year), day) for year in years
        )


def window_of(text: str, today: date | None) -> Window | None:
    """The time ``text`` names: by date, else from ``today`` on, else the opening; None: none.

    ``today`` is the day of whoever asks, in their own zone; None: nothing is relative. Of
    several relative days, from the earliest to the latest. A week begins on Monday. What lies
    before year 1 is not named.
    """
    dated = _dated(text)
    if dated is not None:
        return dated
    if today is not None and (relative := _relative(text, today)) is not None:
        return relative
    if _OPENING.search(text):
        return Window(date.min, date.min, opening=True)
    return None


def _dated(text: str) -> Window | None:
    for found in dates_in(text):
        window = _window(found, text[max(0, found.start - _BEFORE_CHARS) : found.start])
        if window is not None:
            return window
    season = _SEASON.search(text)
    if season is not None:
        return _season(season["season"].lower(), int(season["year"]))
    year = _YEAR.search(text)
    if year is not None:
        return Window(date(int(year["year"]), 1, 1), date(int(year["year"]), 12, 31))
    return None


def _window(found: PartialDate, before: str) -> Window | None:
    """None where the parts make no day."""
    year, month, day = found.year, found.month, found.day
    if month is None:
        if year is None or not 1 <= year <= date.max.year:
            return None
        return Window(date(year, 1, 1), date(year, 12, 31))
    try:
        if day is not None:
            exact = date(year or _ANY_YEAR, month, day)
            return Window(exact, exact, yearly=year is None)
        low, high = 1, calendar.monthrange(year or _ANY_YEAR, month)[1]
        if _EARLY.search(before):
            high = 12
        elif _MIDDLE.search(before):
            low, high = 8, 23
        elif _LATE.search(before):
            low = 18
        first = date(year or _ANY_YEAR, month, low)
        return Window(first, first.replace(day=high), yearly=year is None)
    except ValueError:  # 30 February; year 0
        return None


def _season(name: str, year: int) -> Window:
    if name == "winter":
        return Window(date(year, 12, 1), date(year + 1, 3, 1) - timedelta(days=1))
    first, last = _SEASON_MONTHS[name]
    end = date(year, last, calendar.monthrange(year, last)[1])
    return Window(date(year, first, 1), end)


def _relative(text: str, today: date) -> Window | None:
    spans = list(_spans(text, today))
    if not spans:
        return None
    try:
        first = today - timedelta(days=max(start for start, _ in spans))
        return Window(first, today - timedelta(days=min(end for _, end in spans)))
    except OverflowError:
        return None


def _spans(text: str, today: date) -> Iterator[tuple[int, int]]:
    """Days back, the first and the last, of every relative time in ``text``."""
    left = _AGO.sub(" ", text)
    for found in _AGO.finditer(text):
        yield _ago(found)
    for found in _PAST.finditer(left):
        unit = (found["unit"] or found["cjkunit"]).lower()
        yield _number(found["count"] or found["cjk"] or "few") * _UNIT_DAYS[unit], 0
    left = _PAST.sub(" ", left)
    weekday, day, of_year = today.weekday(), today.day, today.timetuple().tm_yday
    for pattern, span in (
        (_LAST_WEEK, (weekday + 7, weekday + 1)),
        (_THIS_WEEK, (weekday, 0)),
        (_LAST_MONTH, (day - 1 + _days_before(today.year, today.month), day)),
        (_THIS_MONTH, (day - 1, 0)),
        (_LAST_YEAR, (of_year - 1 + 365 + calendar.isleap(today.year - 1), of_year)),
    ):
        if pattern.search(left):
            yield span
    for pattern, back in _PATTERNS:
        left, times = pattern.subn(" ", left)
        if times:
            yield back, back


def _ago(found: re.Match[str]) -> tuple[int, int]:
    unit = (found["unit"] or found["cjkunit"]).lower()
    back = _number(found["count"] or found["cjk"]) * _UNIT_DAYS[unit]
    loose = 0 if _UNIT_DAYS[unit] == 1 else max(1, back // _LOOSENESS)
    return back + loose, back - loose


def _days_before(year: int, month: int) -> int:
    """How many days the month before has."""
    before = month - 1 or 12
    return calendar.monthrange(year if month > 1 else max(1, year - 1), before)[1]


def _number(numeral: str) -> int:
    word = numeral.lower().removesuffix(" of")
    return _NUMERALS.get(word) or int(word)


def _away(first: date, last: date, day: date) -> int:
    return max((first - day).days, (day - last).days, 0)


def _in_year(day: date, year: int) -> date:
    try:
        return day.replace(year=year)
    except ValueError:  # 29 February
        return date(year, 2, 28)
