"""One workspace's checkpoint: read anew each time, judged, written, and kept as a version."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import anyio
import anyio.to_thread

from recalld.continuity import checkpoint as form
from recalld.continuity.bounded import DISK, STORE
from recalld.continuity.disk import FILE, Draft, Sheet, Workbench, draft_of
from recalld.continuity.making import QUIET
from recalld.continuity.model import Checkpoint, NewVersion, Origin, Parsed, Ruling
from recalld.continuity.ports import Versions
from recalld.continuity.record import LIMIT_MS, Record
from recalld.continuity.shape import Fields, Told, fields_of
from recalld.continuity.surfacing.results import labels_in
from recalld.counters import Counters
from recalld.errors import Refused, Unavailable

# Somebody edits between our look and our write; who does so every time wins.
TRIES = 4
# Sessions at work in one folder of which it is remembered what they said.
SESSIONS = 64
# A file that long is searched for secrets within a millisecond or two.
INLINE_CHARS = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The file as it was looked at, None when there is none, and who wrote it.

    ``certain`` False: the store could not say who, so that it is taken for a hand's.
    """

    sheet: Sheet | None
    origin: Origin
    certain: bool = True

    def require_certain(self) -> None:
        """Raise ``Unavailable`` where who wrote it decides, and the store could not say."""
        if not self.certain:
            raise Unavailable(STORE, f"does not say who wrote {FILE}")

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
        self._record = Record(self.root, versions, counters=counters)
        self._counters = counters
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
            newest = await self._record.newest()
            if newest is not None:
                parse = partial(form.parse, newest.text)
                parsed = await anyio.to_thread.run_sync(parse, abandon_on_cancel=True)
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

    async def look(self, *, limit_ms: int = LIMIT_MS) -> Seen:
        """As ``read``, and who wrote it."""
        return await self.seen(await self.read(), limit_ms=limit_ms)

    async def seen(self, sheet: Sheet | None, *, limit_ms: int = LIMIT_MS) -> Seen:
        """``HAND`` wrote what nobody here did."""
        if sheet is None:
            return Seen(sheet=None, origin=Origin.MACHINE)
        origin = await self._record.origin_of(sheet.sha, limit_ms=limit_ms)
        return Seen(sheet=sheet, origin=origin or Origin.HAND, certain=origin is not None)

    async def change(
        self, judge: Judge, *, origin: Origin | None, at: datetime, session_key: str | None
    ) -> Change:
        """What ``judge`` rules of the file as it is now, on the disk when this returns.

        ``origin`` None: whoever wrote what is there. Raise ``Refused`` for a file that cannot be
        read, ``Unavailable`` where the disk fails, or the store that is to say who wrote it; a
        file that may not be replaced is ``refused``.
        """
        for _ in range(TRIES):
            seen = await self.look()
            await self._keep_hand_edit(seen)
            ruling = await judge(seen)
            if ruling.write is None:
                refused = ruling.why not in QUIET
                self._counters.add("continuity.refused" if refused else "continuity.unchanged")
                return Change(seen=seen, wrote=False, why=ruling.why, refused=refused)
            if origin is None:
                seen.require_certain()
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
        name = await self._record.keep(version)
        try:
            sha = await self.bench.write(new, expected_sha=expected)
        except Unavailable as fault:
            # The version stays: a disk that fails at the very end has the new file.
            self.write_problem = str(fault)
            raise
        if sha is None:
            await self._record.forget(name)
            return None
        self.write_problem = None
        self._note_lines(parsed.checkpoint)
        self._note_author(session_key, origin, parsed.checkpoint)
        await self._record.wrote(name, sha=sha, origin=origin, checkpoint=parsed.checkpoint)
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
        sheet = seen.sheet
        if sheet is not None and seen.origin is Origin.HAND and seen.certain:
            version = NewVersion(
                text=sheet.text, sha=sheet.sha, origin=Origin.HAND, at=sheet.modified_at
            )
            await self._record.keep_hand_edit(version)


async def news_of(
    change: Change, root: str, *, session_key: str | None, now: datetime
) -> Told | None:
    """What listeners are told of it; None where nothing happened."""
    if not change.wrote and not change.refused:
        return None
    return Told(
        at=now,
        root=root,
        session_key=session_key,
        what="written" if change.wrote else "refused",
        detail=change.why,
        checkpoint=await shown(change.seen, now=now),
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
