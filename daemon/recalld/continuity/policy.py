"""The knobs of continuity."""

from typing import Annotated

from msgspec import Meta

from recalld.recall.policy import Policy


class ContinuityPolicy(Policy, frozen=True, kw_only=True):
    """The ``[continuity]`` table."""

    enabled: bool = True
    # Its own budget, beside the recall block's; under 150 a full checkpoint loses its blockers.
    snapshot_tokens: Annotated[int, Meta(ge=150, le=300)] = 300
    # End-of-run safety checkpoints, made of the turns without a model.
    safety_write: bool = True
    # Copies in memory/session_archive/; the oldest go first.
    archive_count: Annotated[int, Meta(ge=1, le=10_000)] = 20
    # Copies older than this lie in its cold/ folder.
    cold_after_days: Annotated[int, Meta(ge=1, le=36_500)] = 30
    # Texts that hold one of these (any case) never become an objective, beside the built-in list.
    ignore_patterns: tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...] = ()
