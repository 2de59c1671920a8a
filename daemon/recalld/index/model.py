"""Values of the index, and the ports between its parts. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from recalld.search.model import Source

# Part of a workspace's recipe: raise it when the same bytes give other chunks or tokens.
INDEX_VERSION = 1

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A folder that is indexed. ``root`` is a real path; the globs decide a file's source."""

    root: str
    id: int = 0
    memory: tuple[str, ...] = ()
    wiki: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A section of a file or a piece of one. Lines count from 1 by ``\\n``, inclusive.

    ``text`` is shown and embedded; a speaker's heading line is in the range, not in the text.
    ``continues``: a further piece of a section that was too long, so without its heading.
    ``bare``: nothing but a date or a speaker's heading; there is nothing to find in it.
    """

    heading: str
    text: str
    start_line: int
    end_line: int
    speaker: str | None = None
    date: str | None = None
    continues: bool = False
    bare: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file cut up. ``title``: first heading that is neither a speaker's nor a date, else ''."""

    title: str
    date: str | None
    chunks: tuple[Chunk, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexical:
    """What the full-text table is fed with: tokens joined by blanks."""

    own: str
    prev: str
    next: str
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A short window of a chunk's text. ``text_hash`` is blake2b-16 of the window."""

    start_char: int
    end_char: int
    text_hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRecord:
    uid: str
    chunk: Chunk
    is_cjk: bool
    lexical: Lexical
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What tells a changed file from an unchanged one without reading it."""

    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """A file as it is written to the index. ``skipped`` set: there are no chunks, and why."""

    path: str
    source: Source
    sha256: bytes
    stamp: Stamp
    title: str = ""
    date: str | None = None
    session: str | None = None
    head_text: str = ""
    head_hash: bytes = b""
    skipped: str | None = None
    warning: str | None = None
    chunks: tuple[ChunkRecord, ...] = ()
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFile:
    """A file as the index has it."""

    id: int
    path: str
    source: Source
    sha256: bytes
    stamp: Stamp
    skipped: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A known file whose content stayed and whose stamp did not."""

    id: int
    stamp: Stamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What one transaction does to a workspace. ``removed`` are file ids."""

    put: tuple[FileRecord, ...] = ()
    touched: tuple[Touched, ...] = ()
    removed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """``files`` without the skipped ones."""

    files: int = 0
    chunks: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A path that is not indexed, and why. ``path`` is one line of valid text."""

    path: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWorkspace:
    id: int
    root: str
    recipe: str
    reconciled_at: str | None


class IndexStore(Protocol):
    """Where the index is written. Every method is one transaction."""

    async def workspaces(self) -> tuple[StoredWorkspace, ...]: ...

    async def add_workspace(self, root: str) -> int: ...

    async def drop_workspace(self, workspace_id: int) -> None: ...

    async def files(
        self, workspace_id: int, prefixes: tuple[str, ...] | None
    ) -> Mapping[str, KnownFile]:
        """By path; with prefixes, only those paths and what lies below them."""

    async def apply(self, workspace_id: int, changes: Changes) -> None: ...

    async def reconciled(self, workspace_id: int, *, at: str, recipe: str) -> None: ...

    async def counts(self, workspace_id: int) -> Counts: ...

    async def skipped(self, workspace_id: int) -> tuple[Skip, ...]: ...


class WatchState(StrEnum):
    """``starting``: armed, and not yet proven by a first report. ``down``: dead, or no root."""

    STARTING = "starting"
    WATCH = "watch"
    POLLING = "polling"
    DOWN = "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """What a reconcile found and did. ``files`` and ``chunks`` are totals after it."""

    files: int = 0
    chunks: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    skipped: tuple[Skip, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceStatus:
    """``skipped`` counts every path left out for a reason other than an ignore rule.

    ``done`` of ``total`` files while a reconcile reads, both 0 otherwise.
    """

    id: int
    root: str
    files: int
    chunks: int
    skipped: int
    watch: WatchState
    reconciled_at: str | None
    degraded: tuple[str, ...] = ()
    done: int = 0
    total: int = 0


@dataclass(slots=True, kw_only=True)
class Dirty:
    """What has to be looked at again: paths relative to the root, or everything."""

    everything: bool = False
    paths: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return self.everything or bool(self.paths)

    def add(self, other: "Dirty") -> None:
        self.everything = self.everything or other.everything
        self.paths |= other.paths
