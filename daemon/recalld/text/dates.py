"""Dates in English and Chinese text, as tokens that do not depend on the language."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

_FULL_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTHS = {name: number for number, name in enumerate(_FULL_NAMES, start=1)}
_MONTHS |= {name[:3]: number for name, number in list(_MONTHS.items())} | {"sept": 9}

_NAME = r"(?P<name>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
# Verbs and names too; alone, without a day or a year, they are no months.
_BARE = r"(?P<name>" + "|".join(sorted(set(_MONTHS) - {"may", "mar"}, key=len, reverse=True)) + ")"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d]){_YEAR}[-/.](?P<month>\d{{1,2}})(?:[-/.](?P<day>\d{{1,2}}))?(?!\d)",
        rf"(?:{_YEAR}\s*年)?\s*(?P<month>\d{{1,2}})\s*月\s*(?:(?P<day>\d{{1,2}})\s*[日号])?",
        rf"\b{_DAY}\s+(?:of\s+)?{_NAME}(?:,?\s*{_YEAR}\b)?",
        rf"\b{_NAME}\s+{_DAY}\b(?:,?\s*{_YEAR}\b)?",
        rf"\b{_NAME},?\s+(?:of\s+)?{_YEAR}\b",
        rf"\b(?:in|since|during|until|by)\s+{_BARE}\b",
        r"(?<!\d)(?P<year>(?:19|20)\d\d)\s*年(?!\s*\d)",
    )
)


class PartialDate(NamedTuple):
    """What a text says of a date. At least one part is known; parts are in calendar range."""

    start: int
    year: int | None
    month: int | None
    day: int | None


def dates_in(text: str) -> Iterator[PartialDate]:
    """Every date in ``text`` by pattern, then by position; one place may match twice."""
    folded = text if text.isascii() else unicodedata.normalize("NFKC", text)
    for pattern in _PATTERNS:
        for match in pattern.finditer(folded):
            found = _read(match)
            if found is not None:
                yield found


def date_tokens(text: str) -> list[str]:
    """Day of the month, month and year as ``zzd0507``, ``zzm05``, ``zzy2023``; each once."""
    tokens: list[str] = []
    for found in dates_in(text):
        if found.month is not None and found.day is not None:
            tokens.append(f"zzd{found.month:02d}{found.day:02d}")
        if found.month is not None:
            tokens.append(f"zzm{found.month:02d}")
        if found.year is not None:
            tokens.append(f"zzy{found.year}")
    return list(dict.fromkeys(tokens))


def _read(match: re.Match[str]) -> PartialDate | None:
    groups = match.groupdict()
    name = groups.get("name")
    month = _MONTHS[name.lower()] if name else _number(groups.get("month"))
    day = _number(groups.get("day"))
    in_range = (month is None or 1 <= month <= 12) and (day is None or 1 <= day <= 31)
    if not in_range:
        return None
    return PartialDate(match.start(), _number(groups.get("year")), month, day)


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None
