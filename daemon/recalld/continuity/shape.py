"""A checkpoint as clients receive it, and what they are told of it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from recalld.continuity.model import Checkpoint, Origin
from recalld.text.redact import redact

PATH = "memory/CURRENT_STATE.md"
TEXTS = ("objective", "current_step", "next_action", "blockers", "unsurfaced_results")

Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Something that happened to a checkpoint, for whoever listens.

    ``what``: written, refused, archived, recovered. ``checkpoint`` None: there is none, or it
    was not looked at. ``detail``: why, or where.
    """

    at: datetime
    root: str
    session_key: str | None
    what: str
    detail: str | None = None
    checkpoint: Fields | None = None


def fields_of(
    checkpoint: Checkpoint, *, origin: Origin, now: datetime, modified_at: datetime | None
) -> Fields:
    """The six fields without secrets, and what is known of them.

    ``age_s`` counts from ``updated_at``, else from when the file was written; None without both;
    never below 0.
    """
    since = checkpoint.updated_at or modified_at
    return {
        **{name: redact(getattr(checkpoint, name)).text for name in TEXTS},
        "key_decisions": [redact(decision).text for decision in checkpoint.key_decisions],
        "updated_at": written(checkpoint.updated_at),
        "path": PATH,
        "active": checkpoint.active,
        "origin": origin.value,
        "age_s": None if since is None else max(0, int((now - since).total_seconds())),
    }


def written(at: datetime | None) -> str | None:
    """RFC 3339 in UTC, whole seconds as in the file."""
    return None if at is None else at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
