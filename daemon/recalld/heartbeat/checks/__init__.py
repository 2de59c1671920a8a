"""The checks, in the order their signals are told. A check is one file and one entry here."""

from recalld.heartbeat.checks import (
    blocker,
    conflicts,
    continuity,
    deadlines,
    decaying,
    failing_tests,
    git,
    goal_progress,
    knowledge_gaps,
    memory_velocity,
    patterns,
    pending_work,
    positive_deltas,
    relationship,
    scheduled,
    sentiment,
    stale_monitors,
)
from recalld.heartbeat.model import Check

CHECKS: tuple[Check, ...] = (
    scheduled.CHECK,
    deadlines.CHECK,
    conflicts.CHECK,
    continuity.CHECK,
    stale_monitors.CHECK,
    memory_velocity.CHECK,
    failing_tests.CHECK,
    blocker.CHECK,
    pending_work.CHECK,
    goal_progress.CHECK,
    knowledge_gaps.CHECK,
    positive_deltas.CHECK,
    git.CHECK,
    decaying.CHECK,
    sentiment.CHECK,
    relationship.CHECK,
    patterns.CHECK,
)
