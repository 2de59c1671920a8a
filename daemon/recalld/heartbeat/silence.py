"""Who has not been mentioned for how long. Pure."""

from collections.abc import Mapping
from datetime import timedelta

from recalld.heartbeat.finding import DAY
from recalld.heartbeat.model import Snapshot
from recalld.memories.model import Memory

SILENT = timedelta(days=7)
# Of so many silent ones plans are searched: those silent for the shortest time.
MAX_LOOKED_AT = 10


def last_mentions(snapshot: Snapshot) -> dict[str, Memory]:
    """The newest memory that mentions each entity, by its name; of several at once the last id."""
    newest: dict[str, Memory] = {}
    if snapshot.entities:
        for memory in snapshot.said:
            for name in snapshot.entities.get(memory.id, ()):
                newest[name] = memory
    return newest


def silent(snapshot: Snapshot) -> list[tuple[str, Memory]]:
    """Who was silent for a week or more, with what mentioned them last; the newest first."""
    quiet = [
        (name, memory)
        for name, memory in last_mentions(snapshot).items()
        if snapshot.now - memory.created_at >= SILENT
    ]
    quiet.sort(key=lambda pair: pair[0])
    return sorted(quiet, key=lambda pair: pair[1].created_at, reverse=True)


def looked_at(snapshot: Snapshot) -> list[tuple[str, Memory]]:
    return silent(snapshot)[:MAX_LOOKED_AT]


def silent_days(snapshot: Snapshot) -> Mapping[str, float]:
    """Days since each entity was mentioned, by its name."""
    return {
        name: (snapshot.now - memory.created_at) / DAY
        for name, memory in last_mentions(snapshot).items()
    }
