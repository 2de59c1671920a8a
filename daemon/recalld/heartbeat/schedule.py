"""The daemon's own ticks: when to look, and how what is said reaches the user."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import anyio
import structlog

from recalld.budget import Run, Stage
from recalld.heartbeat.command import Delivery, deliver
from recalld.heartbeat.flow import HeartbeatService
from recalld.heartbeat.model import TickAsked, Ticked
from recalld.heartbeat.policy import HeartbeatPolicy
from recalld.heartbeat.ports import World

OWNER = "default"
# While it is off, and after a tick that could not be made.
LOOK_AGAIN_S = 60.0
TICK_MS = 60_000
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

    async def run(self) -> None:
        """Until cancelled. A tick that fails is counted, and the next one is made."""
        while True:
            policy = self.world.policy()
            pause_s = LOOK_AGAIN_S
            if policy.scheduled:
                pause_s = await self._beat(policy)
            await anyio.sleep(pause_s)

    async def _beat(self, policy: HeartbeatPolicy) -> float:
        """One tick and what comes of it; the seconds to the next."""

        async def work() -> Ticked | None:
            asked = TickAsked(
                owner=OWNER, analyze=policy.analyze, delivers=bool(policy.delivery.command)
            )
            ticked = await self.service.tick(asked)
            if ticked.act_id is not None and ticked.message:
                await self._bring(policy, ticked.act_id, ticked.message)
            return ticked

        run = Run(TICK_MS + ATTEMPTS * 1_000 * policy.delivery.timeout_s)
        ticked = await run.stage(
            Stage(name="tick", work=work, otherwise=None, limit_ms=run.total_ms)
        )
        if ticked is None:
            self.world.counters.add("heartbeat.ticks_failed")
            return LOOK_AGAIN_S
        return await self.service.next_in_s(ticked, base_s=policy.base_interval_s)

    async def _bring(self, policy: HeartbeatPolicy, act_id: str, message: str) -> None:
        """By the command, where there is one. Subscribers were told already; whoever of them
        shows it says so itself."""
        if not policy.delivery.command:
            return
        done = Delivery(ok=False)
        for attempt in range(ATTEMPTS):
            done = await deliver(
                policy.delivery, message=message, owner=OWNER, environ=self.environ()
            )
            if done.ok:
                break
            _log.warning("heartbeat.not_delivered", reason=done.reason, attempt=attempt + 1)
            if attempt < len(PAUSES_S):
                await anyio.sleep(PAUSES_S[attempt])
        await self.service.delivered(act_id, ok=done.ok, error=done.reason or None)
