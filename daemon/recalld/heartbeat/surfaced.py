"""What was shown a short while ago is not shown again. Pure."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from recalld.heartbeat.model import Snapshot
from recalld.memories.model import Memory

SURFACED = timedelta(hours=1)


def is_surfaced(snapshot: Snapshot, memory: Memory, within: timedelta = SURFACED) -> bool:
    """Whether it was shown less than ``within`` ago; a time to come, after a clock that was set
    back, is none."""
    shown = snapshot.surfaced.get(memory.id)
    return shown is not None and _is_within(snapshot, shown, within)


def _is_within(snapshot: Snapshot, shown: datetime, within: timedelta) -> bool:
    return timedelta(0) <= snapshot.now - shown < within


def strict(snapshot: Snapshot, memories: Iterable[Memory]) -> Iterator[Memory]:
    """Those that were not shown within the hour."""
    # Little was shown, and many are asked about.
    shown = {key for key, at in snapshot.surfaced.items() if _is_within(snapshot, at, SURFACED)}
    return (one for one in memories if one.id not in shown) if shown else iter(memories)


def soft(snapshot: Snapshot, memories: Iterable[Memory]) -> list[Memory]:
    """The same, unless that leaves none: then all of them."""
    every = list(memories)
    return list(strict(snapshot, every)) or every
