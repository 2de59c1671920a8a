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
from recalld.index.transcripts.blocks import Block, is_same, live_branch, next_block
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
from recalld.index.transcripts.paths import SeenTranscript, session_of, stored_path
from recalld.index.transcripts.reading import Branch, Restart, Taken, take
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
            block = await self._kit.step(partial(next_block, self._seen.path, progress, host))
            if block is None:
                return caught
            outcome = await self._taken(block, progress)
            if isinstance(outcome, Restart):
                progress, keep = await self._restarted(outcome, host)
                due = True
                continue
            if block.split.position == progress.place.position and not due:
                await self._touch(known, block.stamp)
                return caught
            progress = await self._write(block, outcome, keep)
            keep, due = progress.place, False
            caught = Caught.GREW if caught is Caught.UNCHANGED else caught
            if block.split.position >= block.stamp.size:
                return caught

    async def _resumed(self, known: KnownTranscript | None, *, anew: bool) -> Progress | None:
        """Where the last look ended; None where the file has to be read from its beginning."""
        if known is None:
            return None
        self._file_id = known.file_id
        same = not anew and await self._kit.step(partial(is_same, self._seen.path, known))
        return known.progress if same else None

    async def _taken(self, block: Block, progress: Progress) -> Taken | Restart:
        identities = [line.identity for line in block.parse.parsed if line.identity]
        copied = await self._kit.store.taken(
            self._workspace.id,
            identities,
            file_id=self._file_id,
            up_to_line=progress.place.line,
        )
        work = partial(
            take,
            block.parse.parsed,
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
            self._branch = await self._kit.step(partial(live_branch, self._seen.path, host))
        return changed(restart.progress, place=restart.at, inside=False), restart.at

    async def _write(self, block: Block, taken: Taken, keep: Place) -> Progress:
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
        progress = _advanced(block, taken, keep, made, session)
        self._file_id = await self._kit.store.write(
            self._workspace.id,
            Written(
                path=self._path,
                stamp=block.stamp,
                progress=progress,
                keep=keep,
                chunks=made.chunks,
                identities=taken.identities,
                tail=tail,
                next_of_tail=made.first_own,
            ),
        )
        self._count(block, taken)
        return progress

    def _count(self, block: Block, taken: Taken) -> None:
        counts: Mapping[str, int] = {
            "transcripts.turns": len(taken.turns),
            "transcripts.bad_lines": block.parse.bad,
            "transcripts.huge_lines": block.split.huge,
            **{f"transcripts.not_speech.{_plain(kind)}": n for kind, n in taken.kinds.items()},
        }
        for name, n in counts.items():
            if n:
                self._kit.counters.add(name, n)

    async def _touch(self, known: KnownTranscript | None, stamp: Stamp) -> None:
        if known is not None and known.stamp != stamp:
            await self._kit.store.rename(known.file_id, path=self._path, stamp=stamp)


def _advanced(block: Block, taken: Taken, keep: Place, made: Records, session: str) -> Progress:
    now = taken.progress
    if taken.turns:
        opened = changed(now.opened, ordinal=keep.ordinal + made.firsts[-1])
        now = changed(now, opened=opened)
    return changed(
        now,
        place=Place(
            position=block.split.position,
            line=block.split.line,
            ordinal=keep.ordinal + len(made.chunks),
        ),
        inside=block.split.inside,
        mark=block.mark,
        session=session,
        bad=now.bad + block.parse.bad,
        huge=now.huge + block.split.huge,
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
