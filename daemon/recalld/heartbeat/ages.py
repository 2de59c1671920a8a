"""How long ago something was, in words. Pure."""

from datetime import datetime, timedelta

_MINUTE = timedelta(minutes=1)
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)
_WEEK = timedelta(weeks=1)
_MONTH = timedelta(days=365.25 / 12)
_YEAR = timedelta(days=365)

# Up to, but not with, an age: what it is counted in. Years are what is left.
_UNITS = (
    (_HOUR, _MINUTE, "minute"),
    (_DAY, _HOUR, "hour"),
    (14 * _DAY, _DAY, "day"),
    (9 * _WEEK, _WEEK, "week"),
    (_YEAR, _MONTH, "month"),
)


def age(then: datetime, now: datetime) -> str:
    """``just now`` below a minute and for what is yet to come; whole units, rounded down, after.

    Minutes to an hour, hours to a day, days to a fortnight, weeks to nine, months to a year.
    Both times are aware; their zones do not matter.
    """
    passed = now - then
    if passed < _MINUTE:
        return "just now"
    size, unit = next(
        ((size, unit) for limit, size, unit in _UNITS if passed < limit), (_YEAR, "year")
    )
    count = passed // size
    return f"{count} {unit}{'' if count == 1 else 's'} ago"
