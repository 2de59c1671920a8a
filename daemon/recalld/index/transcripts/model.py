"""Values of reading a transcript, line by line. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from msgspec import Struct

from recalld.index.model import ChunkRecord, Stamp

Line = Mapping[str, Any]


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """What a line says. ``at`` is ISO 8601 as far as the line tells.

    Lines with the same ``message`` are one turn. ``draft``: a second telling of what the host
    also writes in another form; it counts only in a file that has no other.
    """

    role: Role
    text: str
    at: str | None = None
    message: str | None = None
    draft: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line as its host reads it. ``speech`` None: nobody spoke, ``kind`` says what it is.

    ``uid`` is the host's own identity of the line. ``branching``: the lines are a tree by
    ``parent``, and only the path to the last leaf counts.
    """

    kind: str
    speech: Speech | None = None
    uid: str | None = None
    parent: str | None = None
    branching: bool = False
    session: str | None = None
    cwd: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """How one agent writes its transcripts."""

    name: str
    recognises: Callable[[Line], bool]
    read: Callable[[Line], Entry]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawLine:
    """A line as it stands in the file: its number from 1, the bytes without the line end."""

    start: int
    end: int
    number: int
    data: bytes


class Place(Struct, frozen=True, kw_only=True):
    """A point between two lines: bytes, line ends and chunks before it."""

    position: int = 0
    line: int = 0
    ordinal: int = 0


class Progress(Struct, frozen=True, kw_only=True):
    """How far a file is read and what its next line depends on; survives a restart.

    ``inside``: ``place`` is inside a line that is too long. ``mark`` is a fingerprint of the
    bytes before ``place``. ``message`` is the last turn's, which began at ``opened``.
    ``bad`` lines are no JSON objects, ``huge`` ones were too long, ``copied`` ones stand in
    another file or further up.
    """

    host: str
    place: Place = Place()
    mark: str = ""
    inside: bool = False
    session: str | None = None
    cwd: str | None = None
    leaf: str | None = None
    told: bool = False
    drafted: bool = False
    message: str | None = None
    opened: Place = Place()
    turns: int = 0
    bad: int = 0
    huge: int = 0
    copied: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn with its place: ``identity`` is 16 bytes, the same over every rebuild."""

    speech: Speech
    identity: bytes
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A line that was taken, so that it is never taken again."""

    line: int
    value: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTranscript:
    """A transcript as the index has it. ``progress`` None: it is skipped."""

    file_id: int
    workspace_id: int
    path: str
    stamp: Stamp
    progress: Progress | None
    skipped: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """The last stored chunk of a file: its id and its own tokens."""

    chunk_id: int
    own: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One transaction: everything from ``keep`` on is replaced by ``chunks``.

    ``next_of_tail`` are the tokens that follow the last chunk kept; None leaves them.
    """

    path: str
    stamp: Stamp
    progress: Progress | None
    keep: Place
    date: str | None = None
    skipped: str | None = None
    chunks: tuple[ChunkRecord, ...] = ()
    identities: tuple[Identity, ...] = ()
    tail: Tail | None = None
    next_of_tail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """Files that a look added, found changed and removed."""

    added: int = 0
    changed: int = 0
    removed: int = 0
