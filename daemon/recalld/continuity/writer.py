"""One workspace's checkpoint: read anew each time, judged, written, and kept as a version."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread

from recalld.continuity import checkpoint as form
from recalld.continuity.bounded import DISK, attempt
from recalld.continuity.disk import FILE, Draft, Sheet, Workbench, draft_of
from recalld.continuity.making import QUIET
from recalld.continuity.model import Checkpoint, KeptVersion, NewVersion, Origin, Parsed, Ruling
from recalld.continuity.ports import Versions
from recalld.continuity.shape import Fields, fields_of
from recalld.continuity.surfacing.results import labels_in
from recalld.counters import Counters
from recalld.errors import Refused, Unavailable

T = TypeVar("T")

# Somebody edits between our look and our write; who does so every time wins.
TRIES = 4
# What a version or its origin may cost: without the store the file is written all the same.
STORE_MS = 500
# Sessions at work in one folder of which it is remembered what they said.
SESSIONS = 64
# A file that long is searched for secrets within a millisecond or two.
INLINE_CHARS = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The file as it was looked at, None when there is none, and who wrote it."""

    sheet: Sheet | None
    origin: Origin

    @property
    def parsed(self) -> Parsed | None:
        return None if self.sheet is None else self.sheet.parsed

    @property
    def checkpoint(self) -> Checkpoint:
        return Checkpoint() if self.sheet is None else self.sheet.parsed.checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What became of an intended change: the file as it is now, and why it is so."""

    seen: Seen
    wrote: bool
    why: str
    refused: bool = False


Judge = Callable[[Seen], Awaitable[Ruling]]


class Desk:
    """The checkpoint of one workspace. ``lock`` is to be held around ``change`` and copies.

    Counted: ``continuity.written``, ``.unchanged``, ``.refused``, ``.conflict``.
    """

    def __init__(self, bench: Workbench, versions: Versions, *, counters: Counters) -> None:
        self.root = bench.root
        self.bench = bench
        self.lock = anyio.Lock()
        # Labels of the sub-agents whose lines stood in what was last written here.
        self.lines: frozenset[str] = frozenset()
        self.read_problem: str | None = None
        self.write_problem: str | None = None
        self._versions = versions
        self._counters = counters
        self._wrote: tuple[str, Origin] | None = None
        self._unkept: NewVersion | None = None
        self._newest: tuple[str, Checkpoint] | None = None
        self._learned = False
        # The session whose turns the file was last made of, and what each session's said last.
        self._author: str | None = None
        self._said: OrderedDict[str, Checkpoint] = OrderedDict()

    def base_for(self, session_key: str, seen: Seen) -> Checkpoint | None:
        """What the session's turns go on from: the file, or its own where another took over.

        Two sessions at work in one folder would else put the step of one under the objective of
        the other. A session that has no checkpoint of its own resumes what is there.
        """
        theirs = seen.origin is Origin.MACHINE and self._author not in (None, session_key)
        own = self._said.get(session_key) if theirs else None
        if own is None:
            return None if seen.sheet is None else seen.checkpoint
        now = seen.checkpoint
        return replace(own, unsurfaced_results=now.unsurfaced_results, extra=now.extra)

    async def learn_lines(self) -> None:
        """Know what was last written before this process began."""
        if not self._learned:
            none: Sequence[KeptVersion] = ()
            newest = partial(self._versions.versions, self.root, limit=1)
            for version in await self._of_store(newest, none):
                parsed = await anyio.to_thread.run_sync(
                    form.parse, version.text, abandon_on_cancel=True
                )
                self._note_lines(parsed.checkpoint)
            self._learned = True

    async def read(self) -> Sheet | None:
        """The file as it is now. ``Refused`` and ``Unavailable`` as the disk says."""
        try:
            sheet = await self.bench.read()
        except (Refused, Unavailable) as fault:
            self.read_problem = str(fault)
            raise
        self.read_problem = None
        return sheet

    async def look(self) -> Seen:
        sheet = await self.read()
        return Seen(sheet=sheet, origin=await self.origin_of(sheet))

    async def origin_of(self, sheet: Sheet | None, *, limit_ms: int = STORE_MS) -> Origin:
        """``HAND`` for bytes that nobody here wrote, and while the store cannot say."""
        if sheet is None:
            return Origin.MACHINE
        if self._wrote is not None and self._wrote[0] == sheet.sha:
            return self._wrote[1]
        return await attempt(
            "origin",
            partial(self._versions.origin_of, self.root, sheet.sha),
            otherwise=Origin.HAND,
            limit_ms=limit_ms,
            counters=self._counters,
        )

    async def change(
        self, judge: Judge, *, origin: Origin | None, at: datetime, session_key: str | None
    ) -> Change:
        """What ``judge`` rules of the file as it is now, on the disk when this returns.

        ``origin`` None: whoever wrote what is there. Raise ``Refused`` for a file that cannot be
        read, ``Unavailable`` where the disk fails; a file that may not be replaced is ``refused``.
        """
        for _ in range(TRIES):
            seen = await self.look()
            await self._keep_hand_edit(seen)
            ruling = await judge(seen)
            if ruling.write is None:
                refused = ruling.why not in QUIET
                self._counters.add("continuity.refused" if refused else "continuity.unchanged")
                return Change(seen=seen, wrote=False, why=ruling.why, refused=refused)
            by = (origin or seen.origin, at, session_key)
            try:
                after = await self._put(seen, ruling.write, by)
            except Refused as fault:
                self.write_problem = str(fault)
                self._counters.add("continuity.refused")
                return Change(seen=seen, wrote=False, why=str(fault), refused=True)
            if after is seen:
                self._counters.add("continuity.unchanged")
                return Change(seen=seen, wrote=False, why="unchanged")
            if after is not None:
                self._counters.add("continuity.written")
                return Change(seen=after, wrote=True, why=ruling.why)
            self._counters.add("continuity.conflict")
        raise Unavailable(DISK, f"{FILE}: changes faster than it can be written")

    async def _put(
        self, seen: Seen, new: Checkpoint, by: tuple[Origin, datetime, str | None]
    ) -> Seen | None:
        """The file as it is now; ``seen`` itself where that says the same; None: it changed."""
        draft, parsed = await anyio.to_thread.run_sync(_drafted, new, abandon_on_cancel=True)
        expected = None if seen.sheet is None else seen.sheet.sha
        if draft.sha == expected:
            return seen
        origin, at, session_key = by
        version = NewVersion(
            text=draft.text, sha=draft.sha, origin=origin, at=at, session_key=session_key
        )
        # Before the file: a process killed between the two leaves no file of unknown origin.
        name = await self._kept(version)
        try:
            sha = await self.bench.write(new, expected_sha=expected)
        except Unavailable as fault:
            # The version stays: a disk that fails at the very end has the new file.
            self.write_problem = str(fault)
            raise
        if sha is None:
            await self._forget(name)
            return None
        self.write_problem = None
        self._wrote = (sha, origin)
        self._note_lines(parsed.checkpoint)
        self._note_author(session_key, origin, parsed.checkpoint)
        await self._supersede(name, parsed.checkpoint, origin)
        sheet = Sheet(parsed=parsed, text=draft.text, sha=sha, modified_at=at)
        return Seen(sheet=sheet, origin=origin)

    def _note_lines(self, checkpoint: Checkpoint) -> None:
        self.lines = labels_in(checkpoint.unsurfaced_results)
        self._learned = True

    def _note_author(self, session_key: str | None, origin: Origin, now: Checkpoint) -> None:
        if origin is Origin.HAND:
            self._author = None
        elif session_key is not None:
            self._author = session_key
            self._said[session_key] = now
            self._said.move_to_end(session_key)
            if len(self._said) > SESSIONS:
                self._said.popitem(last=False)

    async def _keep_hand_edit(self, seen: Seen) -> None:
        """What a person or an agent wrote into the file can be restored, too."""
        sheet = seen.sheet
        ours = self._wrote is not None and sheet is not None and self._wrote[0] == sheet.sha
        if sheet is None or ours or seen.origin is not Origin.HAND:
            return
        version = NewVersion(
            text=sheet.text, sha=sheet.sha, origin=Origin.HAND, at=sheet.modified_at
        )
        await self._kept(version)
        if self._unkept is None:
            self._wrote, self._newest = (sheet.sha, Origin.HAND), None

    async def _kept(self, version: NewVersion) -> str | None:
        """The version's name; None where it is kept already, or cannot be kept now."""
        if self._unkept is not None:
            late, self._unkept = self._unkept, None
            await self._add(late)
        return await self._add(version)

    async def _add(self, version: NewVersion) -> str | None:
        missing: str | None = ""
        add = partial(self._versions.add_version, self.root, version)
        name = await self._of_store(add, missing)
        if name == missing:
            self._unkept = version
            return None
        return name

    async def _supersede(self, name: str | None, checkpoint: Checkpoint, origin: Origin) -> None:
        """A history of the same text at other times would push out what was different."""
        said = replace(checkpoint, updated_at=None)
        if self._newest is not None and self._newest[1] == said and origin is Origin.MACHINE:
            await self._forget(self._newest[0])
        self._newest = None if name is None or origin is not Origin.MACHINE else (name, said)

    async def _forget(self, name: str | None) -> None:
        if name is not None:
            drop = partial(self._versions.drop_version, self.root, name)
            await self._of_store(drop, None)

    async def _of_store(self, work: Callable[[], Awaitable[T]], otherwise: T) -> T:
        return await attempt(
            "version", work, otherwise=otherwise, limit_ms=STORE_MS, counters=self._counters
        )


async def shown(seen: Seen, *, now: datetime) -> Fields:
    """The fields as clients receive them; a long file is searched for secrets in a thread."""
    sheet = seen.sheet
    work = partial(
        fields_of,
        seen.checkpoint,
        origin=seen.origin,
        now=now,
        modified_at=None if sheet is None else sheet.modified_at,
    )
    if sheet is None or len(sheet.text) <= INLINE_CHARS:
        return work()
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


def _drafted(checkpoint: Checkpoint) -> tuple[Draft, Parsed]:
    draft = draft_of(checkpoint)
    return draft, form.parse(draft.text)
