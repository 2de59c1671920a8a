"""One transcript followed: what was added since the last look, to turns, to the index."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Protocol, TypeVar

import anyio.to_thread
from msgspec.structs import replace as changed

from recalld.counters import Counters
from recalld.index.model import Stamp, Workspace
from recalld.index.policy import IndexPolicy
from recalld.index.schedule import Lane
from recalld.index.transcripts import disk, host_of
from recalld.index.transcripts.lines import Split, object_of
from recalld.index.transcripts.model import (
    Host,
    KnownTranscript,
    Place,
    Progress,
    Role,
    Speech,
    Tail,
    Written,
)
from recalld.index.transcripts.paths import SeenTranscript, family_of, session_of, stored_path
from recalld.index.transcripts.reading import (
    Branch,
    Parse,
    Restart,
    Taken,
    live_path,
    parse,
    take,
)
from recalld.index.transcripts.records import Records, records_of
from recalld.text.clean import clean_prompt, strip_own_blocks
from recalld.text.redact import redact

T = TypeVar("T")


class Transcripts(Protocol):
    """Where turns are written. Every method is one transaction."""

    async def known(self) -> tuple[KnownTranscript, ...]: ...

    async def tail(self, file_id: int, *, ordinal: int) -> Tail | None: ...

    async def taken(
        self, workspace_id: int, identities: Sequence[bytes], *, file_id: int, up_to_line: int
    ) -> frozenset[bytes]: ...

    async def write(self, workspace_id: int, written: Written) -> int: ...

    async def rename(self, file_id: int, *, path: str, stamp: Stamp) -> None: ...

    async def remove(self, workspace_id: int, file_id: int) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What every transcript is read with.

    ``heard`` gives a text without what only repeats memory; ``is_no_user`` knows what the host
    says in the user's place.
    """

    store: Transcripts
    policy: IndexPolicy
    counters: Counters
    heard: Callable[[str], str] = str
    is_no_user: Callable[[str], bool] = lambda _: False
    lane: Lane = field(default_factory=Lane)

    async def step(self, work: Callable[[], T]) -> T:
        """``work`` in the one thread. Cancelled, the thread is left to end by itself."""
        if self.lane.free:
            self.lane.begin(work)
        return await anyio.to_thread.run_sync(
            work, abandon_on_cancel=True, limiter=self.lane.limiter
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Whose file it is; ``cwd`` is a real path. ``host`` None: ``why`` nobody knows it."""

    host: Host | None
    cwd: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """A block of lines with the file's stamp; ``mark`` stands before its end."""

    split: Split
    parse: Parse
    stamp: Stamp
    mark: str


def origin_of(path: str) -> Origin | None:
    """By the content of the first lines; None where the file is gone or too short to tell."""
    with disk.reading(path) as reader:
        if reader is None:
            return None
        lines, growing = reader.first_objects()
    host = host_of(lines)
    if host is None:
        return None if growing and not lines else Origin(host=None, why="unknown format")
    cwds = (host.read(line).cwd for line in lines)
    cwd = next((cwd for cwd in cwds if cwd is not None), None)
    real = cwd is not None and cwd.startswith("/") and "\0" not in cwd
    return Origin(host=host, cwd=disk.real_path(cwd) if real and cwd else None)


class Caught(Enum):
    """What a look at a file found. ``rewritten``: what was read before is no longer in it."""

    UNCHANGED = "unchanged"
    GREW = "grew"
    REWRITTEN = "rewritten"


class Following:
    """Brings one file up to date. A cancel leaves the index as of a whole transaction."""

    def __init__(self, kit: Kit, seen: SeenTranscript, workspace: Workspace) -> None:
        self._kit = kit
        self._seen = seen
        self._workspace = workspace
        self._path = stored_path(seen.path, workspace)
        self._branch: Branch | None = None
        self._file_id = 0

    async def catch_up(
        self, known: KnownTranscript | None, host: Host, *, anew: bool = False
    ) -> Caught:
        """A file that is not the one of ``known`` is read anew; ``anew`` reads it in any case."""
        at = await self._resumed(known, anew=anew)
        caught = Caught.UNCHANGED if at is not None or known is None else Caught.REWRITTEN
        if caught is Caught.REWRITTEN:
            self._kit.counters.add("transcripts.rewritten")
        progress = at or Progress(host=host.name)
        keep, due = progress.place, at is None
        while True:
            look = await self._kit.step(partial(self._look, progress, host))
            if look is None:
                return caught
            outcome = await self._taken(look, progress)
            if isinstance(outcome, Restart):
                progress, keep = await self._restarted(outcome, host)
                due = True
                continue
            if look.split.position == progress.place.position and not due:
                await self._touch(known, look.stamp)
                return caught
            progress = await self._write(look, outcome, keep)
            keep, due = progress.place, False
            caught = Caught.GREW if caught is Caught.UNCHANGED else caught
            if look.split.position >= look.stamp.size:
                return caught

    async def _resumed(self, known: KnownTranscript | None, *, anew: bool) -> Progress | None:
        """Where the last look ended; None where the file has to be read from its beginning."""
        if known is None:
            return None
        self._file_id = known.file_id
        same = not anew and await self._kit.step(partial(self._is_same, known))
        return known.progress if same else None

    def _is_same(self, known: KnownTranscript) -> bool:
        """Whether what was read still stands where it stood."""
        progress = known.progress
        with disk.reading(self._seen.path) as reader:
            if reader is None or progress is None:
                return False
            stamp, place = reader.stamp, progress.place
            if stamp.inode != known.stamp.inode or stamp.size < place.position:
                return False
            return reader.mark(place.position) == progress.mark

    def _look(self, progress: Progress, host: Host) -> _Look | None:
        with disk.reading(self._seen.path) as reader:
            if reader is None:
                return None
            # Before reading: what is added meanwhile must not look as if it had been read.
            stamp = reader.stamp
            place = progress.place
            block = reader.block(position=place.position, line=place.line, inside=progress.inside)
            return _Look(
                split=block,
                parse=parse(block.lines, host=host, family=family_of(self._seen.path)),
                stamp=stamp,
                mark=reader.mark(block.position),
            )

    async def _taken(self, look: _Look, progress: Progress) -> Taken | Restart:
        identities = [line.identity for line in look.parse.parsed if line.identity]
        copied = await self._kit.store.taken(
            self._workspace.id,
            identities,
            file_id=self._file_id,
            up_to_line=progress.place.line,
        )
        work = partial(
            take,
            look.parse.parsed,
            progress,
            copied=copied,
            branch=self._branch,
            clean=self._cleaned,
        )
        return await self._kit.step(work)

    def _cleaned(self, speech: Speech) -> str:
        """The speaker's own words, without secrets and without what memory said first."""
        by_user = speech.role is Role.USER
        if by_user and self._kit.is_no_user(speech.text):
            return ""
        own = clean_prompt(speech.text) if by_user else strip_own_blocks(speech.text)
        found = redact(own.replace("\0", " ").replace("\r\n", "\n").replace("\r", " "))
        for kind in found.kinds:
            self._kit.counters.add(f"index.redacted.{kind}")
        said = self._kit.heard(found.text).strip()
        if not said and found.text.strip():
            self._kit.counters.add("transcripts.echo")
        return said

    async def _restarted(self, restart: Restart, host: Host) -> tuple[Progress, Place]:
        self._kit.counters.add("transcripts.read_again")
        if restart.tree:
            self._branch = await self._kit.step(partial(self._live, host))
        return changed(restart.progress, place=restart.at, inside=False), restart.at

    def _live(self, host: Host) -> Branch:
        """The path to the last leaf of the whole file, as it is now."""
        parents: dict[str, str | None] = {}
        leaf, progress = "", Progress(host=host.name)
        with disk.reading(self._seen.path) as reader:
            while reader is not None:
                place = progress.place
                block = reader.block(
                    position=place.position, line=place.line, inside=progress.inside
                )
                for raw in block.lines:
                    line = object_of(raw.data)
                    entry = None if line is None else host.read(line)
                    if entry is not None and entry.branching and entry.uid is not None:
                        parents[entry.uid] = entry.parent
                        leaf = entry.uid
                if block.position == place.position:
                    break
                at = Place(position=block.position, line=block.line)
                progress = changed(progress, place=at, inside=block.inside)
        return Branch(ids=live_path(parents, leaf), until=progress.place.position, leaf=leaf)

    async def _write(self, look: _Look, taken: Taken, keep: Place) -> Progress:
        session = taken.progress.session or session_of(self._seen.path)
        tail = None
        if self._file_id and keep.ordinal:
            tail = await self._kit.store.tail(self._file_id, ordinal=keep.ordinal)
        made = await self._kit.step(
            partial(
                records_of,
                taken.turns,
                session=session,
                prev_own="" if tail is None else tail.own,
                max_chunk_chars=self._kit.policy.max_chunk_chars,
            )
        )
        progress = _advanced(look, taken, keep, made, session)
        self._file_id = await self._kit.store.write(
            self._workspace.id,
            Written(
                path=self._path,
                stamp=look.stamp,
                progress=progress,
                keep=keep,
                chunks=made.chunks,
                identities=taken.identities,
                tail=tail,
                next_of_tail=made.first_own,
            ),
        )
        self._count(look, taken)
        return progress

    def _count(self, look: _Look, taken: Taken) -> None:
        counts: Mapping[str, int] = {
            "transcripts.turns": len(taken.turns),
            "transcripts.bad_lines": look.parse.bad,
            "transcripts.huge_lines": look.split.huge,
            **{f"transcripts.not_speech.{_plain(kind)}": n for kind, n in taken.kinds.items()},
        }
        for name, n in counts.items():
            if n:
                self._kit.counters.add(name, n)

    async def _touch(self, known: KnownTranscript | None, stamp: Stamp) -> None:
        if known is not None and known.stamp != stamp:
            await self._kit.store.rename(known.file_id, path=self._path, stamp=stamp)


def _advanced(look: _Look, taken: Taken, keep: Place, made: Records, session: str) -> Progress:
    now = taken.progress
    if taken.turns:
        opened = changed(now.opened, ordinal=keep.ordinal + made.firsts[-1])
        now = changed(now, opened=opened)
    return changed(
        now,
        place=Place(
            position=look.split.position,
            line=look.split.line,
            ordinal=keep.ordinal + len(made.chunks),
        ),
        inside=look.split.inside,
        mark=look.mark,
        session=session,
        bad=now.bad + look.parse.bad,
        huge=now.huge + look.split.huge,
    )


# Part of a counter's name: what a file says must not make new ones without end.
_KINDS = frozenset(
    [
        *("sidechain", "tool_result", "compact_summary", "meta", "command", "host", "synthetic"),
        *("injected", "draft", "copied", "branch", "summary", "system", "message", "session"),
    ]
)


def _plain(kind: str) -> str:
    return kind if kind in _KINDS else "other"
