"""What a heading or a file name says about speaker and date. Pure."""

import datetime
import re
from dataclasses import dataclass

MAX_SPEAKER_CHARS = 80

_ZONE = r"(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?"
_DATE = rf"(?P<day>\d{{4}}-\d{{2}}-\d{{2}})(?:[T ](?P<time>\d{{2}}:\d{{2}}){_ZONE})?"
_SPEAKER = re.compile(rf"(?P<name>[^\s,，].*?)\s*[,，]\s*{_DATE}\Z")
_LEADING = re.compile(rf"{_DATE}(?![\w-]|:\d)[\s,，:：|–—-]*(?P<rest>.*)\Z")
_TRAILING = re.compile(rf"(?P<rest>.*?)[\s(（\[|–—:：,，-]+{_DATE}[)）\]]?\Z")
_FILE_NAME = re.compile(r"(?P<day>\d{4}-\d{2}-\d{2})(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadingSense:
    """``rest`` is the heading without its date; '' for a bare date. ``leading``: date first."""

    rest: str
    speaker: str | None = None
    date: str | None = None
    leading: bool = False


def read_heading(text: str, *, level: int) -> HeadingSense:
    """``## NAME, YYYY-MM-DD`` (a time may follow) is a speaker; a date at either end is a date.

    Only level 2 names speakers: a deeper heading is part of what one said, and a top one names
    the file. A date that is none, as 2024-02-31, leaves the heading as it is.
    """
    match = _SPEAKER.match(text) if level == 2 else None
    if match and len(match["name"]) <= MAX_SPEAKER_CHARS and (date := _iso(match)):
        return HeadingSense(rest=match["name"], speaker=match["name"], date=date)
    match = _LEADING.match(text)
    if match and (date := _iso(match)):
        return HeadingSense(rest=match["rest"].strip(), date=date, leading=True)
    match = _TRAILING.match(text)
    if match and (date := _iso(match)):
        return HeadingSense(rest=match["rest"].strip(), date=date)
    return HeadingSense(rest=text)


def date_of_name(path: str) -> str | None:
    """The date a file's name begins with, as ``2024-05-01-standup.md``; else None."""
    match = _FILE_NAME.match(path.rsplit("/", 1)[-1])
    return _iso(match) if match else None


def date_of_text(text: str) -> str | None:
    """The date, and the time if there is one, that ``text`` begins with; else None.

    ``2026-05-11``, ``2026-05-11T09:30:00Z``, also with a comment behind it.
    """
    match = _LEADING.match(text)
    return _iso(match) if match else None


def _iso(match: re.Match[str]) -> str | None:
    day = match["day"]
    try:
        datetime.date.fromisoformat(day)
    except ValueError:
        return None
    time = match.groupdict().get("time")
    return f"{day}T{time}" if time else day
