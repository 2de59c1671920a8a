"""Continuity over a real store and a real folder, one step at a time."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from recalld.continuity.checkpoint import parse
from recalld.continuity.disk import Workbench
from recalld.continuity.flow import ContinuityService
from recalld.continuity.handlers import Checkpoints
from recalld.continuity.model import Checkpoint
from recalld.continuity.policy import ContinuityPolicy
from recalld.continuity.shape import Told
from recalld.continuity.world import World
from recalld.counters import Counters
from recalld.errors import Unavailable
from recalld.store.bridge import Database
from recalld.store.checkpoints import CheckpointStore
from recalld.store.event_table import NewEvent, stamp
from recalld.store.events import EventLog, open_event_log
from recalld.store.turns import TurnLog
from support.continuing import FILE, TASK
from support.store_world import Clock, open_state

KEY = "agent:main:main"


class Fragile:
    """A store that refuses the methods named in ``broken``."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self.broken: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        if name in self.broken:

            async def refuse(*args: Any, **words: Any) -> Any:
                raise Unavailable("store", f"{name} is refused")

            return refuse
        return getattr(self._real, name)


@dataclass(kw_only=True)
class Scene:
    """What a test may reach. ``anew`` is the same after a restart: only disk and store remain."""

    root: Path
    database: Database
    log: EventLog
    clock: Clock
    bench: Any = Workbench
    counters: Counters = field(default_factory=Counters)
    policy: ContinuityPolicy = field(default_factory=ContinuityPolicy)
    told: list[Told] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.versions = Fragile(CheckpointStore(self.database))
        self.turns = Fragile(TurnLog(self.database))
        world = World(
            versions=self.versions,
            promises=self.versions,
            turns=self.turns,
            policy=lambda: self.policy,
            roots=lambda: (str(self.root),),
            is_no_user=lambda key, text: "cron" in key or text.startswith("[cron"),
            now=self.clock,
            counters=self.counters,
            tell=self.told.append,
            bench=self.bench,
        )
        self.service = ContinuityService(world)
        self.checkpoints = Checkpoints(world, self.service.desks, self.service.surfacing)

    def anew(self, **changes: Any) -> "Scene":
        return replace(self, counters=Counters(), told=[], **changes)

    async def turn(self, user: str, assistant: str, *, key: str = KEY, at: Any = None) -> None:
        """A turn as it is kept, and no round after it."""
        await self.log.append(
            NewEvent(
                event_id=None,
                kind="session.turn",
                session_key=key,
                agent="main",
                workspace=str(self.root),
                at=stamp(at or self.clock()),
                payload=orjson.dumps({"user": user, "assistant": assistant, "success": True}),
            )
        )

    async def work(self) -> None:
        for user, assistant in TASK:
            await self.turn(user, assistant)

    async def round(self) -> None:
        await self.service.safety.finish()

    async def start(self, *, key: str = KEY) -> Any:
        told = await self.service.started(str(self.root), key, source="startup")
        return told.recovery

    async def prompt(self, text: str, *, key: str = KEY) -> Any:
        """As the method does it."""
        if not self.service.wants(str(self.root), key, text):
            return None
        return await self.service.prompted(str(self.root), key, text)

    @property
    def file(self) -> Path:
        return self.root / FILE

    def write(self, text: str) -> None:
        """By hand, now."""
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text(text, encoding="utf-8")
        now_s = self.clock().timestamp()
        os.utime(self.file, (now_s, now_s))

    def read(self) -> Checkpoint:
        return parse(self.file.read_text("utf-8")).checkpoint

    async def names(self) -> list[str]:
        """Of the versions, newest first: who wrote them, and their objective's first word."""
        rows = await self.checkpoints.history(str(self.root), limit=50)
        return [f"{row['origin']} {str(row['objective']).split(' ')[0]}" for row in rows]


@asynccontextmanager
async def open_scene(folder: Path, **options: Any) -> AsyncIterator[Scene]:
    root = folder / "w"
    root.mkdir()
    counters, clock = Counters(), Clock()
    async with (
        open_state(folder / "state.db") as database,
        open_event_log(database, now=clock, counters=counters) as log,
    ):
        yield Scene(root=root, database=database, log=log, clock=clock, **options)
