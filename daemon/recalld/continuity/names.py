"""Names of archived checkpoints: ``YYYY-MM-DD_HH-MM-SS.md`` in UTC, sorting by time. Pure.

A second copy in one second is ``…_02.md``, and so on; behind ``_99`` comes ``_99_02``. Every
function takes names with or without a folder in front, and looks at the last part alone.
"""

import re
from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta

COLD = "cold"

_FORM = "%Y-%m-%d_%H-%M-%S"
_NAME = re.compile(r"(?P<second>\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d)(?P<more>(?:_\d\d)*)\.md", re.ASCII)
_LAST = 99


def archive_name(at: datetime, taken: Collection[str]) -> str:
    """A name for a copy made at ``at`` that is not ``taken`` and sorts behind those of its second.

    A time without a zone is UTC.
    """
    second = _in_utc(at).strftime(_FORM).rjust(len("2026-01-01_00-00-00"), "0")
    found = (_NAME.fullmatch(_base(name)) for name in taken)
    used = [name["more"] for name in found if name is not None and name["second"] == second]
    return f"{second}{_behind(max(used)) if used else ''}.md"


def parse_name(name: str) -> datetime | None:
    """When the copy of this name was made; None for a name that is not ours."""
    found = _NAME.fullmatch(_base(name))
    if found is None:
        return None
    try:
        return datetime.strptime(found["second"], _FORM).replace(tzinfo=UTC)
    except ValueError:  # 30 February
        return None


def to_drop(names: Iterable[str], keep: int) -> list[str]:
    """All but the newest ``keep`` of the names that are ours, oldest first."""
    ours = sorted((name for name in names if parse_name(name) is not None), key=_order)
    return ours[: max(0, len(ours) - max(0, keep))]


def to_cool(names: Iterable[str], now: datetime, after_days: int) -> list[str]:
    """The names that are ours, older than ``after_days`` and not in ``cold/``, oldest first."""
    limit = _in_utc(now) - timedelta(days=after_days)
    old = (
        name
        for name in names
        if (at := parse_name(name)) is not None and at < limit and not _is_cold(name)
    )
    return sorted(old, key=_order)


def _behind(more: str) -> str:
    """The suffix that comes after ``more``."""
    if not more:
        return "_02"
    count = int(more[-2:])
    return f"{more}_02" if count >= _LAST else f"{more[:-2]}{count + 1:02}"


def _in_utc(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _base(name: str) -> str:
    return name.rpartition("/")[2]


def _is_cold(name: str) -> bool:
    return COLD in name.split("/")[:-1]


def _order(name: str) -> tuple[str, str]:
    """By second, then suffix; where two folders hold one name, by folder."""
    return _base(name).removesuffix(".md"), name
