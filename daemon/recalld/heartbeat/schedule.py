"""The daemon's own ticks: when to look, and how what is said reaches the user."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import anyio
import structlog

from recalld.budget import Outcome, Run, Stage
from recalld.errors import Corrupt
from recalld.heartbeat.command import Delivery, deliver
from recalld.heartbeat.flow import HeartbeatService
from recalld.heartbeat.model import TickAsked
from recalld.heartbeat.policy import HeartbeatPolicy
from recalld.heartbeat.ports import World

T = TypeVar("T")

OWNER = "default"
# While it is off, and after a tick that could not be made.
LOOK_AGAIN_S = 60.0
TICK_MS = 60_000
REMEMBER_MS = 10_000
# A message that does not get through is tried again at once this often; then the tick that finds
# it still worth saying says it again, ever more slowly.
ATTEMPTS = 3
PAUSES_S = (1.0, 5.0)

_log = structlog.get_logger("recalld.heartbeat")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduler:
    """Ticks while ``heartbeat.scheduled`` is on. ``environ`` is what the command runs with."""

    service: HeartbeatService
    world: World
    environ: Callable[[], Mapping[str, str]]
    owner: str = OWNER

    async def run(self) -> None:
        """Until cancelled. A tick that fails is counted, and the next one is made."""
        await self._guarded(self.service.remember, None, limit_ms=REMEMBER_MS)
        while True:
            policy = self.world.policy()
            pause_s = LOOK_AGAIN_S
            if policy.scheduled:
                pause_s = await self.beat(policy)
            await anyio.sleep(pause_s)

    async def beat(self, policy: HeartbeatPolicy) -> float:
        """One tick and what comes of it; the seconds to the next. No tick while nobody would be
        told: what is prepared for nobody would be kept from who asks next."""
        if not policy.delivery.command and not self.world.is_heard():
            self.world.counters.add("heartbeat.unheard")
            return LOOK_AGAIN_S

        async def work() -> float:
            asked = TickAsked(
                owner=self.owner, analyze=policy.analyze, delivers=bool(policy.delivery.command)
            )
            ticked = await self.service.tick(asked)
            if ticked.act_id is not None and ticked.message:
                await self._bring(policy, ticked.act_id, ticked.message)
            return await self.service.next_in_s(
                ticked, owner=self.owner, base_s=policy.base_interval_s
            )

        limit_ms = TICK_MS + ATTEMPTS * 1_000 * policy.delivery.timeout_s
        return await self._guarded(work, LOOK_AGAIN_S, limit_ms=limit_ms)

    async def _guarded(self, work: Callable[[], Awaitable[T]], otherwise: T, *, limit_ms: int) -> T:
        """A store that fails, or is broken, costs this once and not the daemon."""
        run = Run(limit_ms)
        stage = Stage(name="tick", work=work, otherwise=otherwise, limit_ms=limit_ms)
        with suppress(Corrupt):
            done = await run.stage(stage)
            if run.ledger[-1].outcome is Outcome.OK:
                return done
        self.world.counters.add("heartbeat.ticks_failed")
        return otherwise

    async def _bring(self, policy: HeartbeatPolicy, act_id: str, message: str) -> None:
        """By the command, where there is one. Subscribers were told already; whoever of them
        shows it says so itself."""
        if not policy.delivery.command:
            return
        done = Delivery(ok=False)
        for attempt in range(ATTEMPTS):
            done = await deliver(
                policy.delivery, message=message, owner=self.owner, environ=self.environ()
            )
            if done.ok:
                break
            _log.warning("heartbeat.not_delivered", reason=done.reason, attempt=attempt + 1)
            if attempt < len(PAUSES_S):
                await anyio.sleep(PAUSES_S[attempt])
        await self.service.delivered(act_id, ok=done.ok, error=done.reason or None)
