"""What the doctor is given to judge, and what it says of it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from recalld.continuity.model import Checkpoint, Parsed

NOTHING = Parsed(checkpoint=Checkpoint())


class Severity(IntEnum):
    """How bad a finding is; the worst of several is their maximum."""

    OK = 0
    INFO = 1
    WARNING = 2
    CRITICAL = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check found, in one line. ``check`` is the check's name."""

    check: str
    severity: Severity
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """The newest thing a session did; ``seen_in`` says where that was read."""

    at: datetime
    seen_in: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """An archived checkpoint and when it was put there."""

    name: str
    at: datetime
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A file that says what is to be done; ``path`` is relative to the workspace."""

    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What a user said, and all that the agent said until the user spoke again."""

    at: datetime
    user: str
    assistant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A workspace as it was found. ``fault``: why there is no checkpoint to check.

    ``archive`` is newest first; ``unreadable`` names the copies that are not in it for that
    reason. ``activity`` None: none is known.
    """

    now: datetime
    fault: str | None = None
    parsed: Parsed = NOTHING
    modified_at: datetime | None = None
    activity: Activity | None = None
    archive: Sequence[Copy] = ()
    unreadable: Sequence[str] = ()
    plans: Sequence[Plan] = ()
    exchanges: Sequence[Exchange] = ()


def worst(findings: Sequence[Finding]) -> Severity:
    """OK where there are none."""
    return max((finding.severity for finding in findings), default=Severity.OK)
