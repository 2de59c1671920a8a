"""The versions of one workspace's checkpoint, as well as the store takes them. Pure.

Nothing here prevents a write of the file: what the store refuses is counted, tried once more
before the next version, and costs no more than its limit.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from recalld.continuity.bounded import attempt
from recalld.continuity.model import Checkpoint, KeptVersion, NewVersion, Origin
from recalld.continuity.ports import Versions
from recalld.counters import Counters

T = TypeVar("T")

LIMIT_MS = 500


class Record:
    """What was written here, and by whom."""

    def __init__(self, root: str, versions: Versions, *, counters: Counters) -> None:
        self._root = root
        self._versions = versions
        self._counters = counters
        self._wrote: tuple[str, Origin] | None = None
        self._unkept: NewVersion | None = None
        self._newest: tuple[str, Checkpoint] | None = None

    async def origin_of(self, sha: str, *, limit_ms: int = LIMIT_MS) -> Origin | None:
        """``HAND`` for bytes that nobody here wrote; None while the store cannot say."""
        if self._wrote is not None and self._wrote[0] == sha:
            return self._wrote[1]
        unknown: Origin | None = None
        asked = partial(self._versions.origin_of, self._root, sha)
        return await self._attempt("origin", asked, unknown, limit_ms=limit_ms)

    async def newest(self) -> KeptVersion | None:
        none: Sequence[KeptVersion] = ()
        asked = partial(self._versions.versions, self._root, limit=1)
        return next(iter(await self._attempt("version", asked, none)), None)

    async def keep(self, version: NewVersion) -> str | None:
        """Its name; None where it is kept already, or cannot be kept now."""
        if self._unkept is not None:
            late, self._unkept = self._unkept, None
            await self._add(late)
        return await self._add(version)

    async def keep_hand_edit(self, version: NewVersion) -> None:
        """What a person or an agent wrote into the file can be restored, too."""
        if self._wrote is not None and self._wrote[0] == version.sha:
            return
        await self.keep(version)
        if self._unkept is None:
            self._wrote, self._newest = (version.sha, Origin.HAND), None

    async def forget(self, name: str | None) -> None:
        """A version whose file was not written after all, or that says nothing of its own."""
        if name is not None:
            drop = partial(self._versions.drop_version, self._root, name)
            await self._attempt("version", drop, None)

    async def wrote(
        self, name: str | None, *, sha: str, origin: Origin, checkpoint: Checkpoint
    ) -> None:
        """The file has ``sha`` now, and the version ``name``.

        A machine's version of the same words at another time goes: such a history would push
        out what was different.
        """
        self._wrote = (sha, origin)
        newest, self._newest = self._newest, None
        if name is not None and origin is Origin.MACHINE:
            said = replace(checkpoint, updated_at=None)
            self._newest = (name, said)
            if newest is not None and newest[1] == said:
                await self.forget(newest[0])

    async def _add(self, version: NewVersion) -> str | None:
        missing: str | None = ""
        add = partial(self._versions.add_version, self._root, version)
        name = await self._attempt("version", add, missing)
        if name == missing:
            self._unkept = version
            return None
        return name

    async def _attempt(
        self,
        name: str,
        work: Callable[[], Awaitable[T]],
        otherwise: T,
        *,
        limit_ms: int = LIMIT_MS,
    ) -> T:
        return await attempt(
            name, work, otherwise=otherwise, limit_ms=limit_ms, counters=self._counters
        )
