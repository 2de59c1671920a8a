"""Memories and snapshots with what a test does not care about filled in."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from recalld.heartbeat.model import Nearest, Snapshot
from recalld.memories.model import Memory, MemoryState, MemoryType, Origin, Similar

# A Wednesday.
NOW = datetime(2026, 6, 10, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
# The least that a time can differ by.
INSTANT = timedelta(microseconds=1)


def a_memory(name: str, content: str = "Ship the importer", **changes: Any) -> Memory:
    """An active plan of the default owner, a day old and not used since."""
    usual = Memory(
        id=name,
        owner="default",
        content=content,
        type=MemoryType.PLAN,
        state=MemoryState.ACTIVE,
        importance=0.5,
        tags=(),
        session="s1",
        agent="main",
        created_at=NOW - DAY,
        updated_at=NOW - DAY,
        expires_at=None,
        origin=Origin.USER,
        accessed_at=NOW - DAY,
    )
    return replace(usual, **changes)


def a_snapshot(*memories: Memory, **changes: Any) -> Snapshot:
    """Of the default owner at ``NOW`` in UTC."""
    usual = Snapshot(
        owner="default",
        now=NOW,
        zone=ZoneInfo("UTC"),
        memories={memory.id: memory for memory in memories},
        store_size=len(memories),
    )
    return replace(usual, **changes)


def near(found: Mapping[str, tuple[tuple[Memory, float], ...]]) -> Nearest:
    """A search that finds what the test says, best first."""

    def nearest(memory: Memory) -> tuple[Similar, ...]:
        ranked = sorted(found.get(memory.id, ()), key=lambda pair: (-pair[1], pair[0].id))
        return tuple(
            Similar(memory=other, similarity=cosine, score=cosine) for other, cosine in ranked
        )

    return nearest
