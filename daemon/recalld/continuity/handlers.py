"""A workspace's checkpoint as a person or an agent asks for it by name: read, write, go back."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread

from recalld.continuity import checkpoint as form
from recalld.continuity import guard
from recalld.continuity.bounded import insist
from recalld.continuity.difference import difference
from recalld.continuity.disk import Copy
from recalld.continuity.model import Checkpoint, ChildResult, KeptVersion, Origin, Ruling, Version
from recalld.continuity.shape import TEXTS, Fields, written
from recalld.continuity.surfacing.flow import Surfacing
from recalld.continuity.surfacing.results import Lines
from recalld.continuity.world import Desks, World
from recalld.continuity.writer import Desk, Seen, news_of, shown
from recalld.errors import NotFound, Refused
from recalld.text.clean import strip_own_blocks
from recalld.text.redact import redact

T = TypeVar("T")

LIMIT_MS = 4_000
# What the guard's words mean to whoever is refused.
WHY = {
    "poison": "objective: it only reports a failed login, limit or server; say what the work is",
}
DISABLED = "continuity.enabled is false: nothing is written"


class Checkpoints:
    """What is written here is written by hand: it wins over anything a machine made."""

    def __init__(self, world: World, desks: Desks, surfacing: Surfacing) -> None:
        self._world = world
        self._desks = desks
        self._surfacing = surfacing

    async def read(self, root: str) -> Fields:
        """The file as it is now; empty fields where there is none. ``Unavailable``, ``Refused``."""
        seen = await self._insist("read", self._desks.of(root).look)
        return await shown(seen, now=self._world.now())

    async def write(
        self, root: str, changes: Mapping[str, object], *, session: str | None
    ) -> Fields:
        """The fields after ``changes``, on the disk. ``Refused`` by the guard or the file."""

        def changed(old: Checkpoint) -> Checkpoint:
            return replace(old, **changes)  # type: ignore[arg-type]

        return await self._write(root, changed, session, by_hand="unsurfaced_results" in changes)

    async def restore(self, root: str, name: str) -> Fields:
        """The fields of that version, written again. ``NotFound`` unless ``history`` lists it."""
        found = await self._insist("version", partial(self._named, root, name))

        def changed(old: Checkpoint) -> Checkpoint:
            return replace(found, extra=found.extra or old.extra)

        return await self._write(root, changed, None, by_hand=False)

    async def history(self, root: str, *, limit: int) -> list[Mapping[str, object]]:
        """The newest first, each with what changed since the one before it.

        What is kept twice, as a version and as an archived copy, is listed once, by the older.
        """
        found = await self._insist("history", partial(self._versions, root, 2 * limit + 1))
        rows = []
        for place, version in enumerate(found):
            first = place + 1 == len(found)
            before = Checkpoint() if first else found[place + 1].checkpoint
            changed = difference(before, version.checkpoint)
            if changed or first:
                rows.append(_row(version, changed))
        return rows[:limit]

    async def _write(
        self,
        root: str,
        changed: Callable[[Checkpoint], Checkpoint],
        session: str | None,
        *,
        by_hand: bool,
    ) -> Fields:
        """``by_hand``: the last section was given too, so a line missing there was told."""
        if not self._world.policy().enabled:
            raise Refused(DISABLED)
        desk, now = self._desks.of(root), self._world.now()
        told: list[ChildResult] = []

        async def judge(seen: Seen) -> Ruling:
            ruled = partial(_ruling, seen, changed(seen.checkpoint), now)
            ruling = await anyio.to_thread.run_sync(ruled, abandon_on_cancel=True)
            lines = self._surfacing.lines(desk, seen)
            told.clear()
            if ruling.write is None:
                return ruling
            if by_hand:
                told.extend(lines.told_by_hand(ruling.write.unsurfaced_results, desk.lines))
            left = tuple(child for child in lines.waiting if child not in told)
            left_lines = Lines(waiting=left, known=lines.known)
            return replace(ruling, write=left_lines.put(ruling.write))

        async def work() -> Fields:
            async with desk.lock:
                change = await desk.change(judge, origin=Origin.HAND, at=now, session_key=session)
                if change.refused:
                    raise Refused(WHY.get(change.why, change.why))
                self._surfacing.taken_out(desk, tuple(told))
            news = await news_of(change, root, session_key=session, now=now)
            if news is not None:
                self._world.tell(news)
            return await shown(change.seen, now=now)

        return await self._insist("write", work)

    async def _versions(self, root: str, limit: int) -> Sequence[Version]:
        """Versions and archived copies, the newest ``limit``, newest first."""
        desk = self._desks.of(root)
        kept = await self._world.versions.versions(root, limit=limit)
        copies = (await desk.bench.copies())[:limit]
        found: list[KeptVersion | Copy] = [*kept, *copies]
        newest = sorted(found, key=lambda each: each.at, reverse=True)[:limit]
        read = [await self._read_out(desk, each) for each in newest]
        return [version for version in read if version is not None]

    async def _read_out(self, desk: Desk, found: KeptVersion | Copy) -> Version | None:
        """None for a copy that cannot be read, or is gone meanwhile: it cannot be restored."""
        if isinstance(found, KeptVersion):
            read = await _parsed(found.text)
            return Version(
                name=found.name, at=found.at, origin=found.origin, cold=False, checkpoint=read
            )
        try:
            sheet = await desk.bench.read_copy(found.name)
        except (NotFound, Refused):
            self._world.counters.add("continuity.copy_unreadable")
            return None
        seen = await desk.seen(sheet)
        return Version(
            name=found.name,
            at=found.at,
            origin=seen.origin,
            cold=found.cold,
            checkpoint=sheet.parsed.checkpoint,
        )

    async def _named(self, root: str, name: str) -> Checkpoint:
        desk = self._desks.of(root)
        for copy in await desk.bench.copies():
            if name in (copy.name, copy.path):
                return (await desk.bench.read_copy(copy.name)).parsed.checkpoint
        version = await self._world.versions.version(root, name)
        return await _parsed(version.text)

    async def _insist(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        return await insist(name, work, limit_ms=LIMIT_MS, counters=self._world.counters)


def _ruling(seen: Seen, new: Checkpoint, now: datetime) -> Ruling:
    return guard.rule(
        seen.parsed,
        replace(_clean(new), updated_at=now),
        old_origin=seen.origin,
        new_origin=Origin.HAND,
    )


async def _parsed(text: str) -> Checkpoint:
    parsed = await anyio.to_thread.run_sync(form.parse, text, abandon_on_cancel=True)
    return parsed.checkpoint


def _clean(checkpoint: Checkpoint) -> Checkpoint:
    """Without blocks of ours, which would come back as news, and without secrets."""
    texts: dict[str, Any] = {name: _cleaned(getattr(checkpoint, name)) for name in TEXTS}
    decisions = tuple(map(_cleaned, checkpoint.key_decisions))
    return replace(checkpoint, **texts, key_decisions=decisions)


def _cleaned(text: str) -> str:
    return redact(strip_own_blocks(text)).text


def _row(version: Version, changed: Sequence[str]) -> Mapping[str, object]:
    return {
        "name": version.name,
        "at": written(version.at),
        "origin": version.origin.value,
        "cold": version.cold,
        "objective": redact(version.checkpoint.objective).text,
        "changed": [redact(line).text for line in changed],
    }
