"""Continuity over this daemon's store and workspaces, told to whoever listens."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import anyio

from recalld.continuity.disk import Workbench
from recalld.continuity.flow import ContinuityService
from recalld.continuity.handlers import Checkpoints
from recalld.continuity.policy import ContinuityPolicy
from recalld.continuity.shape import Told
from recalld.continuity.world import World
from recalld.counters import Counters
from recalld.recall.internal import is_internal_session, is_system_event
from recalld.server.health import Condition
from recalld.server.hub import Event, EventKind, Hub
from recalld.store.bridge import Database
from recalld.store.checkpoints import CheckpointStore
from recalld.store.turns import TurnLog

# A host says in the first words that it is the author.
MAX_HEAD_CHARS = 16_384
# Of the way out: what was acknowledged last becomes a checkpoint now, else at the next start.
FINISH_S = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What of the daemon continuity lives in; ``bench`` is the disk of a workspace."""

    database: Database
    policy: Callable[[], ContinuityPolicy]
    roots: Callable[[], Collection[str]]
    now: Callable[[], datetime]
    counters: Counters
    hub: Hub
    bench: Callable[[str], Workbench]


class Continuing:
    """The parts of continuity. ``run`` works behind the answers."""

    def __init__(self, around: Surroundings) -> None:
        versions = CheckpointStore(around.database)
        world = World(
            versions=versions,
            promises=versions,
            turns=TurnLog(around.database),
            policy=around.policy,
            roots=around.roots,
            is_no_user=is_no_user,
            now=around.now,
            counters=around.counters,
            tell=partial(_tell, around.hub),
            bench=around.bench,
        )
        self.sessions = ContinuityService(world)
        self.checkpoints = Checkpoints(world, self.sessions.desks, self.sessions.surfacing)
        self._world = world

    async def load(self) -> None:
        """Know what is owed from before the start; what the store cannot say is asked later."""
        await self.sessions.surfacing.load()

    async def run(self) -> None:
        await self.sessions.safety.run()

    async def finish(self) -> None:
        """Make what is due within ``FINISH_S``."""
        with anyio.move_on_after(FINISH_S):
            await self.sessions.safety.finish()

    async def condition(self) -> Condition:
        """Degraded where a file last failed or refused, or turns wait for their checkpoint."""
        safety, surfacing = self.sessions.safety, self.sessions.surfacing
        degraded = list(self.sessions.desks.problems())
        if safety.behind:
            degraded.append(f"turns of {safety.behind} sessions are in no checkpoint yet")
        return Condition(
            degraded=tuple(degraded),
            facts={
                "enabled": self._world.policy().enabled,
                "sessions_behind": safety.behind,
                "unsurfaced_results": surfacing.owed.total,
                "up_to_date": safety.idle and not surfacing.late,
            },
        )


def is_no_user(key: str, text: str) -> bool:
    """Whether a host is the author: an internal session, or a text that no user wrote."""
    return is_internal_session(key) or is_system_event(text[:MAX_HEAD_CHARS])


def _tell(hub: Hub, told: Told) -> None:
    data = {
        "what": told.what,
        "workspace": told.root,
        "session": told.session_key,
        "detail": told.detail,
        "checkpoint": told.checkpoint,
    }
    hub.publish(Event(kind=EventKind.CHECKPOINT, at=told.at, data=data, workspace=told.root))
